from typing import Any
from uuid import uuid4

import pytest

from agents import bus, leases
from agents.bindings import Run
from agents.bus import BusMessage, DraftPiece
from agents.connectors.base import Done, RequestSent, Retrying, ToolCallStarted
from agents.connectors.scripted import say
from agents.draft import Piece
from agents.loop.events import CallStarted, ReplyDiscarded, ReplyStored, TextStreamed, ThinkingStreamed
from agents.models import AgentSession, ModelCall, Turn
from agents.sessions import submit_turn
from agents.streaming import SAVE_AFTER_S, SEND_EVERY_S, DraftStream, Pump
from tests.rows import make_session

pytestmark = pytest.mark.django_db


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """A stream of a running turn, with everything it sent."""

    def __init__(self, session: AgentSession) -> None:
        self.turn = submit_turn(session, "hi", None)
        Turn.objects.filter(pk=self.turn.pk).update(status=Turn.Status.RUNNING)
        fence = leases.claim(session.pk, "worker")
        assert fence is not None
        self.session, self.clock, self.sent = session, Clock(), list[Piece]()
        self.stream = DraftStream(Run(session, self.turn, fence), self.turn, self.clock)
        self.call = ModelCall(turn=self.turn, session=session, ordinal=1)

    def publish(self, message: BusMessage) -> None:
        if isinstance(message, DraftPiece):
            assert message.session_id == self.session.pk
            self.sent.append(message.piece)

    @property
    def words(self) -> list[Piece]:
        """What was sent with text."""
        return [piece for piece in self.sent if piece.text]

    def write(self, *events: Any) -> None:
        for event in events:
            self.stream.observe(event, self.call)

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds
        self.stream.tick()

    def draft(self) -> Any:
        return Turn.objects.values_list("draft", flat=True).get(pk=self.turn.pk)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage(make_session())
    monkeypatch.setattr(bus, "current", lambda: stage)
    return stage


def test_the_first_words_leave_at_once(stage: Stage) -> None:
    stage.write(TextStreamed("Hel"))
    assert stage.sent == [Piece(turn=1, call=1, voice="text", offset=0, text="Hel")]


def test_what_comes_soon_after_leaves_together(stage: Stage) -> None:
    stage.write(TextStreamed("Hel"), TextStreamed("lo "), TextStreamed("Ana"))
    assert len(stage.sent) == 1
    stage.wait(SEND_EVERY_S)
    assert stage.words[1:] == [Piece(turn=1, call=1, voice="text", offset=3, text="lo Ana")]


def test_offsets_count_as_browsers_do(stage: Stage) -> None:
    stage.write(TextStreamed("\U0001f600 ok"), TextStreamed(" then"))
    stage.wait(SEND_EVERY_S)
    # One character here, two units in a browser.
    assert [(piece.offset, piece.text) for piece in stage.words] == [(0, "\U0001f600 ok"), (5, " then")]


def test_nothing_is_sent_twice(stage: Stage) -> None:
    stage.write(TextStreamed("Hello"))
    stage.wait(SEND_EVERY_S)
    stage.wait(SEND_EVERY_S)
    assert len(stage.words) == 1


def test_thinking_has_offsets_of_its_own(stage: Stage) -> None:
    stage.write(ThinkingStreamed("Hm. "), TextStreamed("Yes"), ThinkingStreamed("Well."))
    stage.wait(SEND_EVERY_S)
    assert [(piece.voice, piece.offset, piece.text) for piece in stage.words] == [
        ("thinking", 0, "Hm. "),
        ("text", 0, "Yes"),
        ("thinking", 4, "Well."),
    ]


def test_calls_that_are_being_written_are_named(stage: Stage) -> None:
    stage.write(ToolCallStarted("c1", "store_set"))
    assert stage.sent == [Piece(turn=1, call=1, calls=("store_set",))]


def test_a_retry_is_told_until_the_next_request_leaves(stage: Stage) -> None:
    stage.write(Retrying("provider overloaded", 4.2))
    assert stage.sent[-1].note == "Provider overloaded, trying again in 4 s"
    stage.write(RequestSent(b"{}", 2))
    stage.wait(SEND_EVERY_S)
    assert stage.sent[-1].note == ""


def test_events_that_say_nothing_to_readers_send_nothing(stage: Stage) -> None:
    stage.write(CallStarted(1))
    stage.wait(SEND_EVERY_S)
    assert stage.sent == []


def test_the_draft_is_kept_now_and_then_for_pages_that_come_late(stage: Stage) -> None:
    stage.write(ThinkingStreamed("Hm."), TextStreamed("Hel"), ToolCallStarted("c1", "store_set"))
    stage.wait(SEND_EVERY_S)
    assert stage.draft() is None
    stage.wait(SAVE_AFTER_S)
    first = stage.draft()
    assert first == {
        "turn": 1,
        "call": 1,
        "text": "Hel",
        "thinking": "Hm.",
        "calls": ["store_set"],
        "note": "",
    }
    stage.write(TextStreamed("lo"))
    stage.wait(SEND_EVERY_S)
    assert stage.draft() == first
    stage.wait(SAVE_AFTER_S)
    assert stage.draft()["text"] == "Hello"


def test_a_page_that_came_between_the_words_and_their_keeping_hears_that_it_lacks_them(stage: Stage) -> None:
    stage.write(ThinkingStreamed("Hm."), TextStreamed("So\U0001f600 ok"))
    stage.wait(SEND_EVERY_S)
    assert stage.draft() is None
    stage.sent.clear()
    # And now the model says nothing for a long while.
    stage.wait(SAVE_AFTER_S)
    assert stage.draft()["text"] == "So\U0001f600 ok"
    assert stage.sent == [Piece(1, 1, "text", 7), Piece(1, 1, "thinking", 3)]
    stage.wait(SAVE_AFTER_S)
    assert len(stage.sent) == 2


def test_a_worker_that_lost_its_lease_keeps_no_draft(stage: Stage) -> None:
    AgentSession.objects.update(lease_owner="")
    leases.claim(stage.session.pk, "another")
    stage.write(TextStreamed("Hello"))
    stage.wait(SAVE_AFTER_S)
    assert stage.draft() is None


@pytest.mark.parametrize("end", [ReplyStored(Done(say("Hello"))), ReplyDiscarded(Done([]), 1.0)])
def test_pages_drop_the_draft_when_the_reply_is_stored_or_discarded(stage: Stage, end: Any) -> None:
    stage.write(TextStreamed("Hello"))
    stage.stream.observe(end, None)
    assert stage.sent[-1] == Piece(turn=1, call=1, is_over=True)
    stage.wait(SAVE_AFTER_S)
    assert stage.draft() is None
    assert stage.stream.text == ""


def test_the_next_call_begins_a_draft_of_its_own(stage: Stage) -> None:
    stage.write(TextStreamed("first"))
    stage.call = ModelCall(turn=stage.turn, session=stage.session, ordinal=2)
    stage.wait(SEND_EVERY_S)
    stage.write(TextStreamed("second"))
    assert (stage.sent[-1].call, stage.sent[-1].offset, stage.sent[-1].text) == (2, 0, "second")


def test_the_first_words_leave_at_once_however_soon_they_come(stage: Stage) -> None:
    stage.write(RequestSent(b"{}"), TextStreamed("Hel"), TextStreamed("lo"))
    assert [piece.text for piece in stage.sent] == ["", "Hel"]


def test_that_a_call_began_is_not_kept_as_its_row_says_it(stage: Stage) -> None:
    stage.write(RequestSent(b"{}"))
    stage.wait(SAVE_AFTER_S)
    assert stage.draft() is None
    stage.write(TextStreamed("Hel"))
    stage.wait(SAVE_AFTER_S)
    assert stage.draft()["text"] == "Hel"


def test_a_note_that_was_kept_goes_when_the_model_is_asked_again(stage: Stage) -> None:
    stage.write(Retrying("the provider is overloaded", 3.0))
    stage.wait(SAVE_AFTER_S)
    assert stage.draft()["note"]
    stage.write(RequestSent(b"{}"))
    stage.wait(SAVE_AFTER_S)
    assert stage.draft()["note"] == ""


def test_a_stream_without_draft_has_nothing_to_end(stage: Stage) -> None:
    stage.stream.end()
    assert stage.sent == []


def test_the_pump_keeps_streams_going_until_they_stop(stage: Stage) -> None:
    pump = Pump()
    pump.start(stage.turn.pk, stage.stream)
    stage.write(TextStreamed("Hel"), TextStreamed("lo"))
    stage.clock.now += SEND_EVERY_S
    pump.stop(stage.turn.pk)
    pump.tick()
    assert "".join(piece.text for piece in stage.sent) in {"Hel", "Hello"}
    assert stage.stream.text == "Hello"


def test_a_stream_that_fails_stops_no_other(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(DraftStream):
        def tick(self) -> None:
            raise RuntimeError("no connection")

    pump, broken = Pump(), uuid4()
    pump.start(broken, Broken(Run(stage.session, stage.turn, 1), stage.turn))
    pump.start(stage.turn.pk, stage.stream)
    stage.write(TextStreamed("Hel"), TextStreamed("lo"))
    stage.clock.now += SEND_EVERY_S
    pump.tick()
    pump.stop(broken)
    pump.stop(stage.turn.pk)
    assert "".join(piece.text for piece in stage.sent) == "Hello"
    assert "A draft could not be saved" in caplog.text
