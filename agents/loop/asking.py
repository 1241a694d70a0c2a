"""One request to a model, read so that a turn can be stopped while the model is silent."""

import contextvars
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress

from agents.connectors.base import Connector, ConnectorError, ModelEvent, ModelRequest
from agents.loop.limits import Pace

Watch = Callable[[], None]
Events = Generator[ModelEvent, None, None]


def ask(connector: Connector, request: ModelRequest, *, watch: Watch, pace: Pace, own_thread: bool) -> Events:
    """Yield the reply as it arrives, calling ``watch`` every ``pace.poll_s`` seconds; it raises to give up.

    On the calling thread a request can be given up only when something arrives; connectors of providers
    send Waiting for that. With ``own_thread`` the request runs on a thread that can be left at any time.
    """
    events = connector.stream(request)
    if not isinstance(events, Iterable):
        raise ConnectorError(f"The connector streams {type(events).__name__}, not events. Mend it.")
    with _closed_in_the_end(events):
        if own_thread:
            with closing(_read_apart(events, watch, pace.poll_s)) as arriving:
                yield from _watched(arriving, watch, pace)
        else:
            yield from _watched(events, watch, pace)


def _watched(events: Iterable[ModelEvent], watch: Watch, pace: Pace) -> Events:
    due = pace.clock() + pace.poll_s
    for event in events:
        yield event
        if pace.clock() >= due:
            watch()
            due = pace.clock() + pace.poll_s


def _read_apart(events: Iterator[ModelEvent], watch: Watch, poll_s: float) -> Events:
    arrived: queue.SimpleQueue[ModelEvent | None] = queue.SimpleQueue()
    work: Future[None] = Future()
    given_up = threading.Event()

    def read() -> None:
        try:
            with _closed_in_the_end(events):
                for event in events:
                    if given_up.is_set():
                        break
                    arrived.put(event)
        except BaseException as failure:  # noqa: BLE001, it is raised again by the thread that waits
            work.set_exception(failure)
        else:
            work.set_result(None)
        arrived.put(None)

    within = contextvars.copy_context()
    threading.Thread(target=within.run, args=(read,), name="contextsite-request", daemon=True).start()
    try:
        yield from _arriving(arrived, watch, poll_s)
        work.result()
    finally:
        given_up.set()


def _arriving(arrived: "queue.SimpleQueue[ModelEvent | None]", watch: Watch, poll_s: float) -> Events:
    while True:
        try:
            event = arrived.get(timeout=poll_s)
        except queue.Empty:
            watch()
            continue
        if event is None:
            return
        yield event


@contextmanager
def _closed_in_the_end(events: Iterator[ModelEvent]) -> Iterator[None]:
    """Let the stream go, so that its connection does not wait for the collector."""
    try:
        yield
    finally:
        close = getattr(events, "close", None)
        if close is not None:
            # A generator that another thread is inside of cannot be closed; that thread closes it.
            with suppress(ValueError):
                close()
