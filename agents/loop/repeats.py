"""Notices a model that makes the same failing calls again and again."""

from agents.loop.tool_calls import Batch

# A model that waits for something asks a few times; one that is stuck never does anything else.
MOST_EQUAL_FAILURES = 10


class Repeats:
    """Counts replies in a row whose calls all failed, and in the same way.

    Attributes:
        times: how many they are now.
        error: of their first call.
    """

    def __init__(self) -> None:
        self.times = 0
        self.error = ""
        self._last: tuple[tuple[str, str], ...] = ()

    @property
    def is_stuck(self) -> bool:
        """Whether there were too many of them."""
        return self.times >= MOST_EQUAL_FAILURES

    def note(self, batch: Batch) -> None:
        """Count the calls of one more reply."""
        failures = batch.failures()
        self.times = self.times + 1 if failures and failures == self._last else min(len(failures), 1)
        self.error = failures[0][1] if failures else ""
        self._last = failures
