"""Which running turns people asked to stop: one look every half second for all that this process runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from agents.models import Turn
from agents.process_thread import ProcessThread

LOOK_EVERY_S = 0.5


class StopWatch:
    """Looks for the wish to stop on behalf of the threads that wait for models and tools."""

    def __init__(self) -> None:
        self._running: set[UUID] = set()
        self._wanted: set[UUID] = set()
        self._lock = threading.Lock()
        self._thread = ProcessThread("stop-watch", LOOK_EVERY_S, self.look)

    @contextmanager
    def watching(self, turn_id: UUID) -> Iterator[None]:
        """Look for this turn until the block ends."""
        with self._lock:
            self._running.add(turn_id)
            self._thread.go_on()
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(turn_id)
                self._wanted.discard(turn_id)
                if not self._running:
                    self._thread.rest()

    def is_wanted(self, turn_id: UUID) -> bool:
        """Return whether somebody wanted the turn to stop when last looked."""
        return turn_id in self._wanted

    def look(self) -> None:
        """Look once."""
        with self._lock:
            running = list(self._running)
        if not running:
            return
        asked = Turn.objects.filter(pk__in=running, cancel_requested=True)
        wanted = set(asked.values_list("pk", flat=True))
        with self._lock:
            self._wanted |= wanted & self._running


stop_watch = StopWatch()
