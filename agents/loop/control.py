"""What other threads may do to a run: cancel it, hold it, and speak into it."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from agents.loop.turn import TurnStopped

MAX_INJECTED = 100


class InboxFull(Exception):
    """A hundred injected messages wait already; run the agent, so that it can read them."""

    def __init__(self) -> None:
        super().__init__(f"{MAX_INJECTED} messages wait to be read. Run the agent before injecting more.")


class Control:
    """The switches of one agent; every method may be called from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inbox: deque[str] = deque()
        self._is_running = self._is_paused = self._is_cancelled = False

    @property
    def is_running(self) -> bool:
        """Whether a run is going on, be it held."""
        return self._is_running

    @property
    def is_paused(self) -> bool:
        """Whether runs are held."""
        return self._is_paused

    @contextmanager
    def running(self) -> Iterator[None]:
        """Mark the block as the run that may be cancelled."""
        with self._changed:
            self._is_running, self._is_cancelled = True, False
        try:
            yield
        finally:
            with self._changed:
                self._is_running = False

    def cancel(self) -> bool:
        """Return whether there is a run; it ends as soon as it looks."""
        with self._changed:
            self._is_cancelled = self._is_running
            self._changed.notify_all()
            return self._is_running

    def pause(self) -> None:
        """Hold runs before their next step; what the model or a tool is doing is finished."""
        with self._changed:
            self._is_paused = True

    def resume(self) -> None:
        """Let held runs go on."""
        with self._changed:
            self._is_paused = False
            self._changed.notify_all()

    def inject(self, text: str) -> None:
        """Queue a message for the next model call.

        Raises:
            InboxFull: a hundred wait already.
        """
        with self._changed:
            if len(self._inbox) >= MAX_INJECTED:
                raise InboxFull
            self._inbox.append(text)

    def read_inbox(self) -> list[str]:
        """Return what was injected since the last time, in order."""
        with self._changed:
            said = list(self._inbox)
            self._inbox.clear()
            return said

    def hold(self) -> None:
        """Return when runs are not held, or when this one was cancelled."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_cancelled or not self._is_paused)

    def check_stop(self) -> None:
        """Do nothing unless the run was cancelled.

        Raises:
            TurnStopped: it was.
        """
        if self._is_cancelled:
            raise TurnStopped
