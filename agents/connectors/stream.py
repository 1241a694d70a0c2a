"""A stream that is produced on the background loop and consumed by a thread that waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Self, TypeAlias

from agents.connectors.base import ModelEvent, RequestCancelled, Waiting
from agents.context import background

Emit: TypeAlias = Callable[[ModelEvent], None]
Source: TypeAlias = Callable[[Emit], Coroutine[object, object, None]]
"""What answers: it hands every event to ``emit`` and returns after the last one."""


class _End:
    """The source has nothing more."""


_Queue: TypeAlias = SimpleQueue[ModelEvent | Exception | _End]


class BackgroundStream:
    """Iterates over the events of a source that runs on the background loop.

    The source starts with the first ``next``. While it is silent, ``Waiting`` comes every ``patience_s``
    seconds. ``close`` may be called by any thread, and by nobody: a stream that is dropped closes itself.
    """

    def __init__(self, source: Source, *, patience_s: float = 1.0) -> None:
        self._source = source
        self._patience_s = patience_s
        self._events: _Queue = SimpleQueue()
        self._running: Future[None] | None = None
        self._is_closed = False
        self._has_ended = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> ModelEvent:
        """Return the next event, waiting for it.

        Raises:
            RequestCancelled: the stream is closed, or is being closed by another thread.
        """
        if self._has_ended:
            raise StopIteration
        if self._is_closed:
            raise RequestCancelled
        if self._running is None:
            self._running = background.start(_run(self._source, self._events))
            if self._is_closed:
                # Closed at this very moment, by a thread that found nothing to cancel yet.
                self._running.cancel()
        try:
            event = self._events.get(timeout=self._patience_s)
        except Empty:
            return Waiting()
        if self._is_closed:
            raise RequestCancelled
        if isinstance(event, Exception | _End):
            self._has_ended = True
            raise StopIteration if isinstance(event, _End) else event
        return event

    def close(self) -> None:
        """Cancel the request; a thread that waits for the next event gets RequestCancelled."""
        self._is_closed = True
        self._events.put(_End())
        if self._running is not None:
            self._running.cancel()

    def __del__(self) -> None:
        if self._running is not None:
            self._running.cancel()


async def _run(source: Source, events: _Queue) -> None:
    """Run the source; without a reference to the stream, so that dropping the stream is noticed."""
    try:
        await background.keep_loop(source(events.put))
    except asyncio.CancelledError:
        # Raised by the source itself, somebody waits for more.
        events.put(RequestCancelled())
        raise
    except Exception as fault:  # noqa: BLE001, it is raised again by the thread that waits
        events.put(fault)
    else:
        events.put(_End())
