"""One thread of a process that does the same work again and again, for everything the process runs."""

import logging
import threading
from collections.abc import Callable

from django.db import connections

logger = logging.getLogger(__name__)


class ProcessThread:
    """Does ``work`` every ``every_s`` seconds while there is any; started by the first that there is.

    It serves every turn of the process: a fault is logged with its stack, and the next round comes all the
    same. Database connections are closed after each round.
    """

    def __init__(self, name: str, every_s: float, work: Callable[[], None]) -> None:
        self._name, self._every_s, self._work = name, every_s, work
        self._thread: threading.Thread | None = None
        self._has_work = threading.Event()
        # Nobody sets it: a wait is a sleep that tests of other sleeps do not touch.
        self._pause = threading.Event()

    def go_on(self) -> None:
        """Work from now on; call it under the lock of what is to be done."""
        self._has_work.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def rest(self) -> None:
        """Do nothing until ``go_on``; call it under the lock of what is to be done."""
        self._has_work.clear()

    def round(self) -> None:
        """Do the work once."""
        try:
            self._work()
        except Exception:
            logger.exception("A round of %s failed; the next one follows", self._name)

    def _run(self) -> None:
        while True:
            self._has_work.wait()
            self._pause.wait(self._every_s)
            self.round()
            connections.close_all()
