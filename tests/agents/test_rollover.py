import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse

from agents import maintenance, model_calls, rollover, runner, sessions
from agents.connectors.base import (
    Connector,
    ConnectorError,
    Done,
    ModelEvent,
    ModelRequest,
    RequestSent,
    Retrying,
    Usage,
    Waiting,
)
from agents.connectors.scripted import ScriptedConnector, say
from agents.conversation import conversation_page, last_spoken
from agents.models import AgentSession, CompactionRecord, Message, ModelCall, Turn
from tests.agents import scripts
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db

LONG = "The quick brown fox jumps over the lazy dog. " * 20
Status, Trigger = CompactionRecord.Status, CompactionRecord.Trigger


@pytest.fixture
def session(people: Cast, settings: Any) -> Iterator[AgentSession]:
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    scripts.current["test"] = ScriptedConnector(*[say(f"answer {n}. {LONG}") for n in range(6)])
    for number in range(6):
        runner.run(sessions.submit_turn(people.session, f"question {number}", people.operator).pk)
    yield AgentSession.objects.get(pk=people.session.pk)
    scripts.current.clear()


def roll_over(
    session: AgentSession,
    people: Cast,
    *replies: Any,
    turns: int = 2,
    connector: Connector | None = None,
) -> CompactionRecord:
    scripts.current["test"] = connector or ScriptedConnector(*replies)
    record = maintenance.request_rollover(session, people.operator, preserve_recent_turns=turns)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    session.refresh_from_db()
    return record


class Refusing:
    """A connector that is asked twice and gives up."""

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        yield RequestSent(b'{"messages":[{"role":"user"}]}')
        yield Retrying("overloaded", 1.0)
        yield Waiting()
        yield RequestSent(b'{"messages":[{"role":"user"}]}', attempt=2)
        raise ConnectorError("It is overloaded.")


def _counted(reply: Done) -> Done:
    return replace(reply, usage=Usage(900, 30), model="test-1")


class Counted(ScriptedConnector):
    """A connector that says what its answer used."""

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        for event in super().stream(request):
            yield _counted(event) if isinstance(event, Done) else event


def next_prompt(session: AgentSession, people: Cast) -> str:
    connector = ScriptedConnector(say("noted"))
    scripts.current["test"] = connector
    turn = sessions.submit_turn(session, "what next?", people.operator)
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.SUCCEEDED
    return json.dumps(connector.requests[0].input)


def test_the_summary_takes_the_place_of_old_turns_and_nothing_is_deleted(
    session: AgentSession, people: Cast
) -> None:
    record = roll_over(session, people, say("Ana asked six questions."))
    assert (record.status, record.trigger) == (Status.DONE, Trigger.ROLLOVER)
    assert record.tokens_after < record.tokens_before
    assert session.messages.count() == 12
    assert Message.objects.filter(session=session, in_context=False).count() == 7
    asked = next_prompt(session, people)
    assert "Ana asked six questions." in asked
    assert "question 3" not in asked
    assert "question 4" in asked
    assert "answer 5" in asked


def test_the_model_gets_the_old_turns_to_summarize_and_no_tools(session: AgentSession, people: Cast) -> None:
    seen: list[ModelRequest] = []

    def summarize(request: ModelRequest) -> list[Any]:
        seen.append(request)
        return say("A brief.")

    roll_over(session, people, summarize)
    assert not seen[0].tools
    assert "question 0" in json.dumps(seen[0].input)
    assert "question 5" not in json.dumps(seen[0].input)


def test_the_calls_for_the_summary_are_kept_with_what_they_asked_and_cost(
    session: AgentSession, people: Cast
) -> None:
    record = roll_over(session, people, connector=Counted(say("A brief.")))
    (call,) = session.calls.filter(turn=None)
    assert (call.compaction, call.status, call.ordinal) == (record, ModelCall.Status.SUCCEEDED, 1)
    assert (call.input_tokens, call.output_tokens, call.model_answered) == (900, 30, "test-1")
    assert call.total_ms is not None
    request = json.loads(model_calls.request_text(call) or "")
    assert "question 0" in request["input"][0]["content"][0]["text"]
    (span,) = model_calls.spans(call)
    assert span.span.tokens == call.estimated_tokens > 100
    assert "question 0" in span.items[0]
    assert model_calls.usage_totals(session).calls == 7
    page = reverse("context", args=[session.pk])
    assert "Rollover, call 1" in signed_in(people.member).get(page).content.decode()
    file = signed_in(people.member).get(page, {"call": str(call.pk), "format": "txt"})
    assert "rollover-call-1.json" in file["Content-Disposition"]
    assert (last_spoken(session) or {})["turn"] == 6


def test_a_call_for_the_summary_that_fails_is_kept_and_the_next_try_counts_on(
    session: AgentSession, people: Cast
) -> None:
    record = roll_over(session, people, connector=Refusing())
    (failed,) = session.calls.filter(turn=None)
    assert (failed.status, failed.error, failed.attempts) == (ModelCall.Status.FAILED, "It is overloaded.", 2)
    assert failed.retries == [{"reason": "overloaded", "waitS": 1.0}]
    CompactionRecord.objects.filter(pk=record.pk).update(status=Status.QUEUED)
    scripts.current["test"] = ScriptedConnector(say("A brief."))
    maintenance.carry_out(record.pk)
    assert list(record.calls.order_by("ordinal").values_list("ordinal", "status")) == [
        (1, "failed"),
        (2, "succeeded"),
    ]


def test_a_rollover_is_shown_in_the_conversation(session: AgentSession, people: Cast) -> None:
    roll_over(session, people, say("A brief."))
    marker = conversation_page(session).messages[-1]
    assert (marker.role, marker.who) == ("marker", "Rolled over")


def test_restoring_a_rollover_brings_back_every_turn(session: AgentSession, people: Cast) -> None:
    before = [row.item() for row in session.messages.filter(in_context=True).order_by("sequence")]
    record = roll_over(session, people, say("A brief."))
    maintenance.restore(record, people.operator)
    after = [row.item() for row in session.messages.filter(in_context=True).order_by("sequence")]
    assert after == before
    assert "question 0" in next_prompt(session, people)


def test_a_second_rollover_folds_the_first_summary_in(session: AgentSession, people: Cast) -> None:
    roll_over(session, people, say("First brief. " + LONG), turns=4)
    roll_over(session, people, say("Second brief."), turns=1)
    asked = next_prompt(session, people)
    assert "Second brief." in asked
    assert "First brief." not in asked
    shown = [row.item() for row in session.messages.filter(in_context=True)]
    assert sum("summary" in json.dumps(item).lower() for item in shown) == 1


@pytest.mark.parametrize("reply", [ConnectorError("overloaded"), say(" "), say(LONG * 40)])
def test_a_rollover_that_fails_leaves_every_row_as_it_was(
    session: AgentSession, people: Cast, reply: Any
) -> None:
    before = list(Message.objects.values())
    record = roll_over(session, people, reply)
    assert record.status == Status.FAILED
    assert record.error
    assert list(Message.objects.values()) == before
    assert session.status == "idle"


def test_nothing_older_than_what_stays_is_said(session: AgentSession, people: Cast) -> None:
    record = roll_over(session, people, turns=8)
    assert (record.status, record.error) == (Status.FAILED, rollover.NOTHING)


def test_options_out_of_range_are_refused(session: AgentSession, people: Cast) -> None:
    with pytest.raises(ValueError, match="max_summary_tokens"):
        maintenance.request_rollover(session, people.operator, max_summary_tokens=1)
    assert not session.compactions.exists()


class Killed(KeyboardInterrupt):
    """What a worker that is killed looks like from inside: nothing after it runs."""


@pytest.mark.parametrize("place", ["_write", "_describe", "announce"])
def test_a_worker_killed_in_a_rollover_leaves_everything_as_it_was(
    session: AgentSession, people: Cast, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def die(*_: object, **__: object) -> None:
        raise Killed

    before = list(Message.objects.values())
    scripts.current["test"] = ScriptedConnector(say("A brief."))
    record = maintenance.request_rollover(session, people.operator, preserve_recent_turns=2)
    monkeypatch.setattr(rollover, place, die)
    with pytest.raises(Killed):
        maintenance.carry_out(record.pk)
    monkeypatch.undo()
    assert list(Message.objects.values()) == before
    AgentSession.objects.filter(pk=session.pk).update(lease_until="2000-01-01T00:00Z")
    scripts.current["test"] = ScriptedConnector(say("A brief."))
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == Status.DONE
    assert "A brief." in next_prompt(session, people)
