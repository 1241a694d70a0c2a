from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents import maintenance, runner, sessions
from agents.connectors.scripted import ScriptedConnector, say
from agents.conversation import conversation_page
from agents.conversation_feed import ConversationPart
from agents.models import AgentSession, CompactionRecord, Turn
from tests.agents import scripts
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db

LONG = "The quick brown fox jumps over the lazy dog. " * 120


@pytest.fixture
def full(people: Cast, settings: Any) -> Iterator[AgentSession]:
    """Return a session that has something to compact, below its gate."""
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    people.profile.max_context_tokens, people.profile.response_reserve = 9_000, 500
    people.profile.save()
    session = sessions.start_session(people.profile, people.operator, "Small window")
    scripts.current["test"] = ScriptedConnector(*[say(f"answer {n}. {LONG}") for n in range(6)])
    for number in range(6):
        runner.run(sessions.submit_turn(session, f"question {number}", people.operator).pk)
    yield AgentSession.objects.get(pk=session.pk)
    scripts.current.clear()


def page(session: AgentSession) -> str:
    return reverse("compaction", args=[session.pk])


def test_the_page_shows_what_a_compaction_would_do_and_changes_nothing(
    people: Cast, full: AgentSession
) -> None:
    text = signed_in(people.member).get(page(full)).content.decode()
    assert "What it would do now" in text
    assert "Message 2" in text
    assert "Compact now" not in text
    assert "Compact now" in signed_in(people.operator).get(page(full)).content.decode()
    assert not full.compactions.exists()


def test_an_operator_compacts_sees_the_marker_and_restores(people: Cast, full: AgentSession) -> None:
    client = signed_in(people.operator)
    assert client.post(page(full)).status_code == 303
    record = full.compactions.get()
    assert "Compacting" in client.get(reverse("session", args=[full.pk])).content.decode()
    maintenance.carry_out(record.pk)
    shown = client.get(reverse("session", args=[full.pk])).content.decode()
    assert "Compacted" in shown
    assert f"{full.compactions.get().tokens_before:,} to" in shown
    log = client.get(page(full)).content.decode()
    assert "A person asked for it." in log
    assert client.post(reverse("compaction-restore", args=[full.pk, record.pk])).status_code == 303
    record.refresh_from_db()
    assert record.status == CompactionRecord.Status.RESTORED
    assert "Compaction undone" in client.get(reverse("session", args=[full.pk])).content.decode()


def test_markers_stand_where_the_compaction_happened(people: Cast, full: AgentSession) -> None:
    record = maintenance.request_compaction(full, people.operator)
    maintenance.carry_out(record.pk)
    scripts.current["test"] = ScriptedConnector(say("after"))
    runner.run(sessions.submit_turn(full, "and then", people.operator).pk)
    full.refresh_from_db()
    roles = [view.role for view in conversation_page(full).messages]
    assert roles == ["user", "assistant"] * 6 + ["marker", "user", "assistant"]
    earlier = conversation_page(full, before=13).messages
    assert [view.role for view in earlier][-1] == "assistant"


def test_the_live_page_gets_the_marker(people: Cast, full: AgentSession) -> None:
    cursor = full.conversation_revision
    record = maintenance.request_compaction(full, people.operator)
    full.refresh_from_db()
    frame = ConversationPart().read(full, [cursor])[cursor].frame(True)
    assert f"message-{record.pk}" in {message["id"] for message in frame["messages"]}


def test_a_page_with_nothing_to_do_says_so(people: Cast) -> None:
    text = signed_in(people.operator).get(page(people.session)).content.decode()
    assert maintenance.NOTHING in text
    assert "There was none yet" in text


def test_a_context_too_large_for_any_compaction_is_told_what_helps(people: Cast) -> None:
    turn = sessions.submit_turn(people.session, "Read it", people.operator)
    for sequence, role in ((1, "user"), (2, "assistant")):
        kind = "input_text" if role == "user" else "output_text"
        turn.messages.create(
            session=people.session,
            sequence=sequence,
            item_id=f"m{sequence}",
            role=role,
            blocks=[{"type": kind, "text": LONG * 200}],
            tokens=120_000,
            revision=1,
        )
    people.session.turns.update(status=Turn.Status.SUCCEEDED)
    AgentSession.objects.filter(pk=people.session.pk).update(message_count=2)
    assert maintenance.NOTHING_MORE in signed_in(people.operator).get(page(people.session)).content.decode()
    record = maintenance.request_compaction(people.session, people.operator)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.error == maintenance.NOTHING_MORE


def test_a_busy_agent_is_not_compacted(people: Cast, full: AgentSession) -> None:
    sessions.submit_turn(full, "work", people.operator)
    client = signed_in(people.operator)
    answer = client.post(page(full), headers={"accept": "application/json"})
    assert answer.status_code == 409
    assert "working" in answer.json()["error"]


def test_an_unknown_tool_of_the_agent_is_explained(people: Cast) -> None:
    people.profile.tools = ["missing_tool"]
    people.profile.save()
    session = sessions.start_session(people.profile, None, "Broken")
    assert "missing_tool" in signed_in(people.operator).get(page(session)).content.decode()


def test_only_people_of_the_agent_see_it_and_only_operators_act(people: Cast, full: AgentSession) -> None:
    record = maintenance.request_compaction(full, people.operator)
    maintenance.carry_out(record.pk)
    undo = reverse("compaction-restore", args=[full.pk, record.pk])
    assert signed_in(people.stranger).get(page(full)).status_code == 404
    for address in (page(full), undo):
        assert signed_in(people.stranger).post(address).status_code == 404
        assert signed_in(people.member).post(address).status_code == 403
        assert Client().post(address)["Location"].startswith(reverse("login"))


def test_an_operator_rolls_the_session_over_from_the_page(people: Cast, full: AgentSession) -> None:
    client = signed_in(people.operator)
    address = reverse("rollover", args=[full.pk])
    assert signed_in(people.member).post(address).status_code == 403
    data = {"preserve_recent_turns": "1", "max_summary_tokens": "100", "reason": "hand over"}
    assert client.post(address, data).status_code == 303
    record = full.compactions.get()
    assert record.options == {"preserve_recent_turns": 1, "max_summary_tokens": 100, "reason": "hand over"}
    scripts.current["test"] = ScriptedConnector(say("A brief."))
    maintenance.carry_out(record.pk)
    assert "Rolled over" in client.get(page(full)).content.decode()


def test_a_rollover_that_failed_is_not_said_to_have_happened(people: Cast, full: AgentSession) -> None:
    record = maintenance.request_rollover(full, people.operator, preserve_recent_turns=100)
    client = signed_in(people.operator)
    for title in ("Rolling over", "Not rolled over"):
        shown = client.get(page(full)).content.decode()
        assert title in shown
        assert "The conversation was rolled over" not in shown
        assert "A person asked for it." in shown
        maintenance.carry_out(record.pk)


@pytest.mark.parametrize("data", [{"max_summary_tokens": "3"}, {"preserve_recent_turns": "many"}])
def test_a_rollover_with_options_that_make_no_sense_is_refused(
    people: Cast, full: AgentSession, data: dict[str, str]
) -> None:
    client = signed_in(people.operator)
    answer = client.post(reverse("rollover", args=[full.pk]), data, headers={"accept": "application/json"})
    assert answer.status_code == 400
    assert not full.compactions.exists()
