from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from agents import runner
from agents.bindings import Run
from agents.connectors.scripted import say
from agents.insight import of_call, of_now
from agents.models import ModelCall
from agents.opening import open_context
from agents.parts import DamagedBody
from agents.sessions import submit_turn
from tests.agents.scripts import say_next
from tests.boards import write
from tests.people import Cast, signed_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("scripted")]


def page(people: Cast, user: User | None = None, **asked: str) -> Any:
    client = signed_in(user or people.member)
    return client.get(reverse("context", args=[people.session.pk]), asked)


def text(people: Cast, **asked: Any) -> str:
    return str(page(people, **asked).content.decode())


@pytest.fixture
def call(people: Cast) -> ModelCall:
    """Return the call of a turn that ran."""
    people.profile.system_prompt, people.profile.model = "You are <b>careful</b>.", "scripted:test"
    people.profile.save()
    people.session.freeze(people.profile.snapshot())
    people.session.save()
    write(people.session, "progress", "Half done")
    say_next(say("There is one file."))
    turn = submit_turn(people.session, "Survey it, Okafor", people.operator)
    runner.run(turn.pk)
    return people.session.calls.get()


def test_strangers_get_404(people: Cast) -> None:
    assert page(people, people.stranger).status_code == 404
    assert page(people, people.stranger, call="now").status_code == 404


def test_before_the_first_call_the_page_shows_the_next_one(people: Cast) -> None:
    shown = text(people)
    assert "What the next call would send" in shown
    assert "Tool definitions" in shown


def test_a_call_is_shown_part_by_part(people: Cast, call: ModelCall) -> None:
    shown = text(people, call=str(call.pk))
    assert "You are &lt;b&gt;careful&lt;/b&gt;." in shown
    for part in ("System prompt", "Whiteboard", "Tool definitions", "Current input"):
        assert part in shown
    assert "store_set" in shown
    assert f'Estimated <span class="num">{call.estimated_tokens:,}</span>' in shown
    insight = of_call(call, "")
    assert insight.tokens == call.estimated_tokens
    assert round(sum(part.percent for part in insight.parts)) == 100


def test_what_the_next_call_would_send_changes_nothing(people: Cast, call: ModelCall) -> None:
    before = people.session.messages.count()
    insight = of_now(people.session, "okafor")
    assert insight.hits == 1
    assert "Conversation" in [part.name for part in insight.parts]
    assert people.session.messages.count() == before


def test_the_next_call_is_shown_by_its_sections_with_the_tokens_of_each(
    people: Cast, call: ModelCall
) -> None:
    sent, coming = of_call(call, ""), of_now(people.session, "")
    of = {part.name: part for part in coming.parts}
    assert of.keys() >= {"System prompt", "Plugin instructions", "Whiteboard", "Tool definitions"}
    for part in sent.parts:
        if part.name in {"System prompt", "Plugin instructions", "Tool definitions"}:
            assert of[part.name].tokens == part.tokens
    assert ("".join(text for text, _ in of["System prompt"].pieces)).endswith("You are <b>careful</b>.")
    context = open_context(Run(people.session, None, 0)).context
    assert coming.tokens == context.calculate_budget().total_used
    context.destroy()


def test_the_page_names_the_part_where_two_calls_differ_as_people_do(people: Cast, call: ModelCall) -> None:
    write(people.session, "progress", "All done")
    say_next(say("It is done."))
    runner.run(submit_turn(people.session, "Go on", people.operator).pk)
    assert "they part in Whiteboard." in text(people)


def test_the_search_marks_and_counts_what_it_finds(people: Cast, call: ModelCall) -> None:
    shown = text(people, call=str(call.pk), q="okafor")
    assert '<mark id="hit-1">Okafor</mark>' in shown
    assert "1 found" in shown
    assert "0 found" in text(people, call=str(call.pk), q="no such words")


def test_the_exact_request_is_a_file(people: Cast, call: ModelCall) -> None:
    answer = page(people, call=str(call.pk), format="txt")
    assert answer["Content-Disposition"].startswith("attachment; ")
    assert len(answer.content) == call.body_size


def test_a_dropped_request_leaves_its_measures(people: Cast, call: ModelCall) -> None:
    ModelCall.objects.filter(pk=call.pk).update(body_parts=b"")
    assert "only its measures are kept" in text(people, call=str(call.pk))
    assert page(people, call=str(call.pk), format="txt").status_code == 404


def test_a_damaged_request_says_so(people: Cast, call: ModelCall, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise DamagedBody("The stored parts do not fit.")

    monkeypatch.setattr("agents.insight.spans", damaged)
    assert "The stored parts do not fit." in text(people, call=str(call.pk))


@pytest.mark.parametrize("asked", ["x", str(UUID(int=7))])
def test_a_call_that_never_was_gives_404(people: Cast, asked: str) -> None:
    assert page(people, call=asked).status_code == 404
