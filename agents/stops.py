"""Which running turns people asked to stop: one look every half second for all that this process runs."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connections

from agents.models import Turn

LOOK_EVERY_S = 0.5

logger = logging.getLogger(__name__)


class StopWatch:
    """Looks for the wish to stop on behalf of the threads that wait for models and tools."""

    def __init__(self) -> None:
        self._running: set[UUID] = set()
        self._wanted: set[UUID] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._has_work = threading.Event()
        # Nobody sets it: a wait is a sleep that tests of other sleeps do not touch.
        self._pause = threading.Event()

    @contextmanager
    def watching(self, turn_id: UUID) -> Iterator[None]:
        """Look for this turn until the block ends."""
        with self._lock:
            self._running.add(turn_id)
            self._has_work.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="stop-watch", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(turn_id)
                self._wanted.discard(turn_id)
                if not self._running:
                    self._has_work.clear()

    def is_wanted(self, turn_id: UUID) -> bool:
        """Return whether somebody wanted the turn to stop when last looked."""
        return turn_id in self._wanted

    def look(self) -> None:
        """Look once; what cannot be looked at now is looked at the next time."""
        with self._lock:
            running = list(self._running)
        if not running:
            return
        try:
            asked = Turn.objects.filter(pk__in=running, cancel_requested=True)
            wanted = set(asked.values_list("pk", flat=True))
        except Exception:
            # The thread serves every turn of the process, so no fault may end it.
            logger.exception("Could not look whether a turn shall stop")
            return
        with self._lock:
            self._wanted |= wanted & self._running

    def _watch(self) -> None:
        while True:
            self._has_work.wait()
            self._pause.wait(LOOK_EVERY_S)
            self.look()
            connections.close_all()


stop_watch = StopWatch()
