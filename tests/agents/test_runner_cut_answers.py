import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User

from agents import runner, sessions, silence
from agents.connectors.base import (
    Connector,
    ConnectorError,
    Done,
    FinishReason,
    ModelEvent,
    ModelRequest,
    TextDelta,
    Waiting,
)
from agents.connectors.scripted import say
from agents.conversation import conversation_page
from agents.conversation_feed import ConversationPart
from agents.message_view import MessageView
from agents.models import AgentSession, Message, Turn
from agents.stops import stop_watch
from tests.agents import scripts
from tests.agents.scripts import roles, run, say_next, store_set
from tests.rows import make_profile, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]


@pytest.fixture
def session() -> AgentSession:
    return make_session(make_profile())


def test_a_turn_is_stopped_in_the_middle_of_an_answer(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield TextDelta("half an ans")
            sessions.stop_turn(session)
            stop_watch.look()
            yield Waiting()
            raise AssertionError("it went on")

    monkeypatch.setattr(runner, "STOP_POLL_S", 0)
    stopped: Connector = Stopped()
    scripts.current["test"] = stopped
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.CANCELLED
    assert roles(session) == ["user", "assistant"]
    said = turn.messages.get(role="assistant")
    assert said.blocks == [{"type": "output_text", "text": "half an ans"}]
    assert (said.cut, said.remark()) == (Message.Cut.STOPPED, "stopped here")


def test_after_a_stopped_answer_the_model_sees_what_it_had_said(session: AgentSession, ana: User) -> None:
    cut_off(session, ana)
    connector = say_next(say("ok"))
    run(session, "and now?", ana)
    assert "half an ans" in json.dumps(connector.requests[0].input)


def test_a_stopped_answer_that_is_retried_is_given_anew(session: AgentSession, ana: User) -> None:
    turn = cut_off(session, ana)
    connector = say_next(say("a whole answer"))
    sessions.retry_turn(session)
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.SUCCEEDED
    assert "half an ans" not in json.dumps(connector.requests[0].input)
    assert roles(session) == ["user", "assistant", "assistant"]


def test_readers_are_told_that_an_answer_was_asked_for_again(session: AgentSession, ana: User) -> None:
    turn = cut_off(session, ana)
    half = turn.messages.get(role="assistant")
    seen = session.conversation_revision
    sessions.retry_turn(session)
    half.refresh_from_db()
    assert (half.is_replaced, half.in_context) == (True, False)
    assert half.remark() == "broke off here · not part of the context: asked again"
    assert half.revision > seen
    say_next(say("half an answer"))
    runner.run(turn.pk)
    assert [(line.is_replaced, line.remark != "") for line in shown(session)[1:]] == [
        (True, True),
        (False, False),
    ]
    last = turn.messages.latest("sequence")
    assert (last.is_replaced, last.in_context, last.remark()) == (False, True, "")


def test_an_answer_that_later_left_the_context_was_not_asked_for_again(
    session: AgentSession, ana: User
) -> None:
    half = cut_off(session, ana).messages.get(role="assistant")
    half.in_context = False
    assert half.remark() == "broke off here"


def test_a_retry_keeps_what_the_provider_cut_before_its_failure(session: AgentSession, ana: User) -> None:
    scripts.current["test"] = Replying(
        Done(store_set("k", 1), finish_reason="length"), ConnectorError("It broke off. Retry the turn.")
    )
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.FAILED
    connector = say_next(say("a whole answer"))
    sessions.retry_turn(session)
    runner.run(turn.pk)
    assert "store_set" in json.dumps(connector.requests[0].input)


def test_an_answer_that_broke_off_keeps_what_was_said(session: AgentSession, ana: User) -> None:
    turn = cut_off(session, ana)
    assert turn.status == Turn.Status.FAILED
    assert turn.messages.get(role="assistant").cut == Message.Cut.FAILED


def cut_off(session: AgentSession, ana: User) -> Turn:
    class BrokenOff:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield TextDelta("half an ans")
            raise ConnectorError("The answer broke off. Retry the turn.")

    scripts.current["test"] = BrokenOff()
    return run(session, "go", ana)


def test_what_the_model_thought_is_kept_beside_its_answer(session: AgentSession, ana: User) -> None:
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "output_text", "text": "Yes"}]
    say_next([{"type": "message", "role": "assistant", "content": content}])
    turn = run(session, "go", ana)
    assert turn.messages.get(role="assistant").thinking == "Hm."


def test_a_turn_that_takes_too_long_ends_and_says_what_to_do(
    session: AgentSession, ana: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield TextDelta("half an ans")
            while True:
                yield Waiting()

    settings.TURN_SECONDS = 0.01
    monkeypatch.setattr(runner, "STOP_POLL_S", 0)
    slow: Connector = Slow()
    scripts.current["test"] = slow
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.FAILED
    assert "took longer than" in turn.error
    assert turn.messages.get(role="assistant").cut == Message.Cut.FAILED


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_the_provider_cut_off_is_marked(
    session: AgentSession, ana: User, reason: FinishReason
) -> None:
    scripts.current["test"] = Replying(Done(say("half an ans"), finish_reason=reason))
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.SUCCEEDED
    said = turn.messages.get(role="assistant")
    assert said.cut == Message.Cut.PROVIDER
    assert "cut off by the model's provider" in said.remark()


def test_a_model_that_stays_silent_fails_the_turn_and_a_retry_asks_it_again(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.loop.limits.Pace.rest", lambda *_: None)
    say_next(say(""), say(" "), say(" \n"))
    turn = run(session, "go", ana)
    assert (turn.status, turn.error) == (Turn.Status.FAILED, silence.SILENT)
    assert set(turn.messages.filter(role="assistant").values_list("cut", flat=True)) == {Message.Cut.SILENT}
    say_next(say("Hello"))
    sessions.retry_turn(session)
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.SUCCEEDED
    assert turn.messages.filter(blocks=[{"type": "output_text", "text": "Hello"}]).exists()


THOUGHT: dict[str, Any] = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "thinking", "thinking": "Hm", "persistInHistory": False}],
}


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Done([], finish_reason="content_filter"), silence.WITHHELD),
        (Done([THOUGHT], finish_reason="content_filter"), silence.WITHHELD),
        (Done([], finish_reason="tool_call"), silence.UNREADABLE_CALL),
        (Done([THOUGHT], finish_reason="tool_call"), silence.UNREADABLE_CALL),
        (Done([THOUGHT]), silence.ONLY_THOUGHT),
        (Done([], finish_reason="length"), silence.SILENT),
    ],
)
def test_a_turn_without_an_answer_tells_why_there_is_none(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch, reply: Done, text: str
) -> None:
    monkeypatch.setattr("agents.loop.limits.Pace.rest", lambda *_: None)
    scripts.current["test"] = Replying(reply, reply, reply)
    turn = run(session, "go", ana)
    assert (turn.status, turn.error) == (Turn.Status.FAILED, text)


def test_an_answer_of_blanks_has_no_line(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.loop.limits.Pace.rest", lambda *_: None)
    say_next(say(" "), say("\n"), say(" \n"))
    run(session, "go", ana)
    say_next(store_set("k", 1), say(" "), say("\n"), say(" \n"))
    run(session, "again", ana)
    assert roles(session).count("assistant") == 3
    lines = shown(session)
    assert [line.role for line in lines] == ["user", "user", "assistant"]
    assert lines[-1].calls
    sent = ConversationPart().read(session, {0})[0].frame(False)["messages"]
    assert [line["id"] for line in sent] == [f"message-{line.id}" for line in lines]


def test_blanks_after_a_thought_or_cut_by_the_provider_have_a_line(session: AgentSession, ana: User) -> None:
    thought = [{"type": "thinking", "thinking": "Hm."}, {"type": "output_text", "text": " "}]
    scripts.current["test"] = Replying(
        Done([{"type": "message", "role": "assistant", "content": thought}], finish_reason="error"),
        Done(say(" "), finish_reason="content_filter", is_final=True),
    )
    for message in ("go", "again"):
        run(session, message, ana)
    first, second = (line for line in shown(session) if line.role == "assistant")
    assert (first.thinking, first.remark) == ("Hm.", "answered nothing")
    assert "cut off by the model's provider" in second.remark


def test_a_model_may_be_silent_after_its_calls(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.loop.limits.Pace.rest", lambda *_: None)
    say_next(store_set("k", 1), say(""), say(""), say(""))
    assert run(session, "go", ana).status == Turn.Status.SUCCEEDED


def shown(session: AgentSession) -> Sequence[MessageView]:
    """Return the lines of the session's page."""
    session.refresh_from_db()
    return conversation_page(session).messages


class Replying:
    """Gives one answer after the other, or fails."""

    def __init__(self, *answers: Done | ConnectorError) -> None:
        self._answers = iter(answers)

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        answer = next(self._answers)
        if isinstance(answer, ConnectorError):
            raise answer
        yield answer


def test_a_call_that_leaves_no_room_is_shortened_for_the_model_and_kept_for_people(ana: User) -> None:
    profile = make_profile(max_context_tokens=8_192, response_reserve=1_024)
    session = make_session(profile)
    say_next(store_set("report", "word " * 8_000), say("Too long."), say("Yes."))
    assert run(session, "Write it down.", ana).status == Turn.Status.SUCCEEDED
    row = session.messages.filter(role="assistant").earliest("sequence")
    assert len(row.blocks[0]["arguments"]) > 40_000
    assert "[Cut: " in str(row.context_item)
    assert row.item_tokens() < 1_000
    assert run(session, "Are you there?", ana).status == Turn.Status.SUCCEEDED
