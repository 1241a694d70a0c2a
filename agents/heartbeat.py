"""Keeps the leases of a process alive while it runs turns: one thread, one pass every ten seconds."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from agents import leases
from agents.process_thread import ProcessThread

logger = logging.getLogger(__name__)


class Heartbeat:
    """Renews every lease held by this process."""

    def __init__(self) -> None:
        self._held: dict[UUID, int] = {}
        self._lock = threading.Lock()
        self._thread = ProcessThread("lease-heartbeat", leases.RENEW_EVERY.total_seconds(), self.renew_all)

    @contextmanager
    def holding(self, session_id: UUID, fence: int) -> Iterator[None]:
        """Renew this lease until the block ends."""
        with self._lock:
            self._held[session_id] = fence
            self._thread.go_on()
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(session_id, None)
                if not self._held:
                    self._thread.rest()

    def renew_all(self) -> None:
        """Renew once; a lease that was lost is left to the run, which notices at its next write."""
        with self._lock:
            held = list(self._held.items())
        for session_id, fence in held:
            try:
                leases.renew(session_id, fence)
            except Exception:
                # The thread serves every turn of the process, so no fault of one may end it.
                logger.exception("Could not renew the lease of session %s", session_id)


heartbeat = Heartbeat()
