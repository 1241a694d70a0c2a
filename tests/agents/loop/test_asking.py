import contextvars
import threading
from collections.abc import Callable, Iterator

import pytest

from agents.connectors.base import ConnectorError, Done, ModelEvent, ModelRequest, TextDelta, Waiting
from agents.connectors.scripted import ScriptedConnector, say
from agents.loop.asking import ask
from agents.loop.limits import Pace
from agents.loop.turn import TurnStopped
from tests.agents.loop.cast import Sending, StoppedTime, stop_after

REQUEST = ModelRequest((), (), "m")
both = pytest.mark.parametrize("own_thread", [False, True])


def nothing() -> None:
    pass


def read(
    connector: object, watch: Callable[[], None] = nothing, *, own_thread: bool, pace: Pace | None = None
) -> list[ModelEvent]:
    pace = pace or Pace(poll_s=0.01)
    return list(ask(connector, REQUEST, watch=watch, pace=pace, own_thread=own_thread))  # type: ignore[arg-type]


class Silent:
    """A provider whose first byte does not come until it is let go."""

    def __init__(self) -> None:
        self.go, self.asked, self.closed = threading.Event(), threading.Event(), threading.Event()

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        try:
            self.asked.set()
            self.go.wait(10)
            yield TextDelta("late")
            yield Done([])
        finally:
            self.closed.set()


@both
def test_events_arrive_in_order(own_thread: bool) -> None:
    events: list[ModelEvent] = [TextDelta("a"), TextDelta("b"), Done([])]
    assert read(Sending(*events), own_thread=own_thread) == events


@both
def test_a_failure_of_the_provider_reaches_the_caller(own_thread: bool) -> None:
    with pytest.raises(ConnectorError, match="overloaded"):
        read(ScriptedConnector(ConnectorError("overloaded")), own_thread=own_thread)


@both
def test_whether_to_stop_is_asked_at_most_every_so_often(own_thread: bool) -> None:
    looks: list[int] = []
    time = StoppedTime()

    class Slow:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            for _ in range(8):
                time.now_s += 1
                yield Waiting()

    # On a thread of its own the connector may be ahead of the reader, so that fewer looks are due.
    read(Slow(), lambda: looks.append(1), own_thread=own_thread, pace=time.pace(poll_s=2))
    assert 1 <= len(looks) <= 4


@both
def test_a_stop_between_events_closes_the_request(own_thread: bool) -> None:
    class Endless:
        closed = threading.Event()

        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            try:
                while True:
                    yield TextDelta("more ")
            finally:
                self.closed.set()

    endless = Endless()
    with pytest.raises(TurnStopped):
        read(endless, stop_after(2), own_thread=own_thread)
    assert endless.closed.wait(10)


def test_a_silent_provider_is_left_behind_at_once() -> None:
    silent = Silent()
    looks: list[int] = []

    def stop_when_asked() -> None:
        looks.append(1)
        if silent.asked.is_set() and len(looks) > 1:
            raise TurnStopped

    with pytest.raises(TurnStopped):
        read(silent, stop_when_asked, own_thread=True)
    assert not silent.go.is_set()
    silent.go.set()
    assert silent.closed.wait(10)


def test_a_reader_that_leaves_closes_the_request() -> None:
    silent = Silent()
    silent.go.set()
    events = ask(silent, REQUEST, watch=nothing, pace=Pace(), own_thread=False)
    assert next(events) == TextDelta("late")
    events.close()
    assert silent.closed.is_set()


def test_a_stream_that_cannot_be_closed_is_let_go() -> None:
    class Plain:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            return iter([Done([])])

    assert read(Plain(), own_thread=False) == [Done([])]


def test_the_request_runs_on_a_thread_of_its_own_with_the_callers_context_variables() -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who")
    who.set("ana")
    seen: list[tuple[str, bool]] = []

    def note(request: ModelRequest) -> list[dict[str, object]]:
        seen.append((who.get(), threading.current_thread() is threading.main_thread()))
        return say("ok")  # type: ignore[return-value]

    read(ScriptedConnector(note), own_thread=True)
    read(ScriptedConnector(note), own_thread=False)
    assert seen == [("ana", False), ("ana", True)]
