import asyncio
import gc
import threading
from collections.abc import Coroutine
from concurrent.futures import Future

import pytest

from agents.connectors.base import Done, ModelEvent, RequestCancelled, TextDelta, Waiting
from agents.connectors.stream import BackgroundStream, Emit
from agents.context import background
from agents.context.errors import EndingRefused

PATIENT_S = 30.0


class Source:
    """A source that says something, then waits until it is let go; it knows whether it was cancelled."""

    def __init__(self, *events: ModelEvent, fault: Exception | None = None) -> None:
        self._events = events
        self._fault = fault
        self.started = threading.Event()
        self.cancelled = threading.Event()
        self._go = threading.Event()

    def let_go(self) -> None:
        self._go.set()

    async def __call__(self, emit: Emit) -> None:
        for event in self._events:
            emit(event)
        self.started.set()
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._go.wait)
        except asyncio.CancelledError:
            self.cancelled.set()
            self._go.set()
            raise
        if self._fault is not None:
            raise self._fault


def test_events_arrive_in_order_and_end() -> None:
    source = Source(TextDelta("a"), TextDelta("b"), Done([]))
    source.let_go()
    stream = BackgroundStream(source, patience_s=PATIENT_S)
    assert list(stream) == [TextDelta("a"), TextDelta("b"), Done([])]
    assert list(stream) == []


def test_nothing_starts_before_the_first_event_is_asked_for() -> None:
    source = Source()
    BackgroundStream(source).close()
    assert not source.started.is_set()


def test_a_silent_source_gives_occasions_to_look_around() -> None:
    source = Source(Done([]))
    stream = BackgroundStream(source, patience_s=0.01)
    assert next(event for event in stream if not isinstance(event, Waiting)) == Done([])
    assert next(stream) == Waiting()
    source.let_go()
    assert all(isinstance(event, Waiting) for event in stream)


def test_a_fault_of_the_source_is_raised_where_its_events_are_read() -> None:
    source = Source(TextDelta("a"), fault=KeyError("broken"))
    source.let_go()
    stream = BackgroundStream(source, patience_s=PATIENT_S)
    assert next(stream) == TextDelta("a")
    with pytest.raises(KeyError, match="broken"):
        next(stream)
    assert list(stream) == []


@pytest.mark.parametrize(
    ("ending", "refused"), [(SystemExit, EndingRefused), (asyncio.CancelledError, RequestCancelled)]
)
def test_a_source_that_raises_what_ends_processes_ends_only_its_stream(
    ending: type[BaseException], refused: type[Exception]
) -> None:
    async def leave(emit: Emit) -> None:
        raise ending

    stream = BackgroundStream(leave, patience_s=PATIENT_S)
    with pytest.raises(refused):
        next(stream)
    assert list(stream) == []


def test_closing_cancels_the_source() -> None:
    source = Source(TextDelta("a"))
    stream = BackgroundStream(source, patience_s=PATIENT_S)
    assert next(stream) == TextDelta("a")
    stream.close()
    assert source.cancelled.wait(10)
    with pytest.raises(RequestCancelled):
        next(stream)


def test_a_thread_that_waits_is_freed_when_another_closes() -> None:
    source = Source()
    stream = BackgroundStream(source, patience_s=PATIENT_S)
    caught: list[BaseException] = []

    def wait() -> None:
        try:
            next(stream)
        except RequestCancelled as fault:
            caught.append(fault)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert source.started.wait(10)
    stream.close()
    waiting.join(10)
    assert len(caught) == 1
    assert source.cancelled.wait(10)


def test_a_stream_that_is_dropped_closes_itself() -> None:
    source = Source(TextDelta("a"))
    stream = BackgroundStream(source, patience_s=PATIENT_S)
    assert next(stream) == TextDelta("a")
    del stream
    gc.collect()
    assert source.cancelled.wait(10)


def test_a_close_between_start_and_first_wait_still_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source()
    stream = BackgroundStream(source, patience_s=PATIENT_S)

    def start_and_close(work: Coroutine[object, object, None]) -> Future[None]:
        running = start(work)
        assert source.started.wait(10)
        stream.close()
        return running

    start = background.start
    monkeypatch.setattr(background, "start", start_and_close)
    with pytest.raises(RequestCancelled):
        next(stream)
    assert source.cancelled.wait(10)


def test_many_streams_run_at_once_on_one_loop() -> None:
    loops = set()

    async def source(emit: Emit) -> None:
        loops.add(asyncio.get_running_loop())
        emit(Done([]))

    streams = [BackgroundStream(source, patience_s=PATIENT_S) for _ in range(20)]
    assert all(list(stream) == [Done([])] for stream in streams)
    assert loops == {background.background_loop()}
