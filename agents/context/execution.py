"""One run at a time on a context: who works on it holds its guard."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from agents.context.errors import ContextError, ExecutionActive


class ExecutionGuard:
    """Held by a run, or by a rollover, for as long as it changes the context.

    Args:
        refusal: raised instead of waiting.
    """

    def __init__(self, refusal: type[ContextError] = ExecutionActive) -> None:
        self._refusal = refusal
        self._lock = threading.Lock()

    @property
    def is_active(self) -> bool:
        """Whether somebody holds it."""
        return self._lock.locked()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the guard inside the block.

        Raises:
            ContextError: the refusal, ``ExecutionActive``: somebody else holds it; waiting would mix two runs
                into one conversation.
        """
        if not self._lock.acquire(blocking=False):
            raise self._refusal()
        try:
            yield
        finally:
            self._lock.release()
