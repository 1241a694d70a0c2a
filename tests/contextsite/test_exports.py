import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests.boards import write
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db


def fill(people: Cast) -> None:
    write(people.session, "progress", "Half **done** ```x```")
    said: list[tuple[str, list[dict[str, Any]]]] = [
        ("user", [{"type": "input_text", "text": "Count <b>them</b>"}]),
        ("assistant", [{"type": "tool_use", "id": "1", "name": "count", "arguments": '{"n":1.50}'}]),
        ("user", [{"type": "tool_result", "tool_use_id": "1", "content": {"total": 10**15}}]),
        ("assistant", [{"type": "output_text", "text": "Done."}]),
    ]
    for sequence, (role, blocks) in enumerate(said, start=1):
        people.session.messages.create(
            sequence=sequence, item_id=f"i{sequence}", role=role, blocks=blocks, tokens=3, revision=1
        )


def export(people: Cast, form: str, user: User | None = None) -> Any:
    return signed_in(user or people.member).get(reverse("session-export", args=[people.session.pk, form]))


@pytest.mark.parametrize("form", ["md", "json"])
def test_strangers_get_404(people: Cast, form: str) -> None:
    assert export(people, form, people.stranger).status_code == 404


def test_json_holds_conversation_settings_and_whiteboard(people: Cast) -> None:
    fill(people)
    answer = export(people, "json")
    assert answer["Content-Disposition"] == 'attachment; filename="a-session.json"'
    told = json.loads(answer.content)
    assert told["session"]["settings"] == people.session.settings
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "user", "assistant"]
    assert told["messages"][1]["content"][0]["arguments"] == '{"n":1.50}'
    assert told["whiteboard"]["entries"][0]["key"] == "progress"


def test_markdown_reads_as_a_document(people: Cast) -> None:
    fill(people)
    text = export(people, "md").content.decode()
    assert text.startswith("# A session\n")
    for part in (
        "Count <b>them</b>",
        "Called `count`:",
        '{"n":1.50}',
        "1000000000000000",
        "Done.",
        "### `progress`",
    ):
        assert part in text
    # The fence is longer than the one inside the value.
    assert "````\nHalf **done** ```x```\n````" in text


def test_answers_that_are_not_whole_say_why(people: Cast) -> None:
    fill(people)
    people.session.messages.filter(sequence=4).update(cut="stopped", is_replaced=True)
    assert (
        "(stopped here · not part of the context: asked again)\n\nDone."
        in export(people, "md").content.decode()
    )
    told = json.loads(export(people, "json").content)["messages"]
    assert [(each["cut"], each["isReplaced"]) for each in told[2:]] == [("", False), ("stopped", True)]


def test_a_call_without_a_name_is_exported_as_one(people: Cast) -> None:
    fill(people)
    people.session.messages.filter(sequence=2).update(
        blocks=[{"type": "tool_use", "id": "1", "name": "", "arguments": "{}"}]
    )
    assert "Called `(no name)`:" in export(people, "md").content.decode()


def test_an_empty_session_is_exported_too(people: Cast) -> None:
    assert "## Conversation" in export(people, "md").content.decode()
    assert json.loads(export(people, "json").content)["messages"] == []


def test_a_title_without_letters_still_gives_a_file_name(people: Cast) -> None:
    people.session.title = "…"
    people.session.save(update_fields=["title"])
    assert 'filename="session.md"' in export(people, "md")["Content-Disposition"]
