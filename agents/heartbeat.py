"""Keeps the leases of a process alive while it runs turns: one thread, one pass every ten seconds."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connections

from agents import leases

logger = logging.getLogger(__name__)


class Heartbeat:
    """Renews every lease held by this process."""

    def __init__(self) -> None:
        self._held: dict[UUID, int] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()

    @contextmanager
    def holding(self, session_id: UUID, fence: int) -> Iterator[None]:
        """Renew this lease until the block ends."""
        with self._lock:
            self._held[session_id] = fence
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="lease-heartbeat", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(session_id, None)

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

    def _beat(self) -> None:
        while not self._wake.wait(leases.RENEW_EVERY.total_seconds()):
            self.renew_all()
            connections.close_all()


heartbeat = Heartbeat()
