"""What one turn may use, and the meter that counts it."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields

from agents.connectors.base import Usage
from agents.context.kinds import check_kinds, maybe, whole

EMPTY_RETRIES = 2
_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 5.0


class LimitReached(Exception):
    """A turn used up what it may use; the context is complete and can be continued.

    Attributes:
        limit: name of the field of ``Limits``.
        most: its value.
    """

    def __init__(self, limit: str, most: int) -> None:
        super().__init__(f"The turn reached its limit {limit} = {most:,}. Raise the limit or split the task.")
        self.limit = limit
        self.most = most


@dataclass(frozen=True)
class Limits:
    """What one turn may use at most; None is no limit.

    Attributes:
        max_tool_calls: calls that are carried out; the first call beyond them ends the turn.
        max_time_ms: from the first step to the last, waiting included.
        max_tokens: input and output of all model calls; the turn ends before the call after they are used up.
    """

    max_tool_calls: int | None = None
    max_time_ms: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        check_kinds(vars(self), {each.name: maybe(whole(1)) for each in fields(self)})


@dataclass(frozen=True)
class Pace:
    """Time as a turn sees it.

    Attributes:
        clock: seconds that only grow.
        sleep: waits so many seconds.
        jitter: a number from 0 to 1.
        poll_s: how often a waiting turn looks whether it shall stop.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random  # noqa: S311, nobody gains by guessing it
    poll_s: float = 0.1

    def waits(self) -> Iterator[float]:
        """Yield the seconds to wait before each further try after an empty answer."""
        for attempt in range(EMPTY_RETRIES):
            yield min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt + self.jitter())

    def rest(self, seconds: float, watch: Callable[[], None]) -> None:
        """Sleep in small pieces and look in between whether to go on: ``watch`` raises when not."""
        left = seconds
        while left > 0:
            self.sleep(min(left, self.poll_s))
            left -= self.poll_s
            watch()


@dataclass
class Meter:
    """Counts what a turn uses."""

    limits: Limits
    pace: Pace
    _model_calls: int = 0
    _tool_calls: int = 0
    _tokens: int = 0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.pace.clock()

    def check(self) -> None:
        """Raise when time or tokens are used up.

        Raises:
            LimitReached: naming the limit.
        """
        self.check_time()
        most = self.limits.max_tokens
        if most is not None and self._tokens >= most:
            raise LimitReached("max_tokens", most)

    def check_time(self) -> None:
        """Raise when the time is up.

        Raises:
            LimitReached: naming the limit.
        """
        most = self.limits.max_time_ms
        if most is not None and (self.pace.clock() - self._began) * 1000 >= most:
            raise LimitReached("max_time_ms", most)

    def count_model_call(self) -> int:
        """Return the number of the model call that begins now, retries included; the first is 1."""
        self._model_calls += 1
        return self._model_calls

    def count_tool_call(self) -> None:
        """Count a call that is about to be carried out, or refuse it.

        Raises:
            LimitReached: there is none left.
        """
        most = self.limits.max_tool_calls
        if most is not None and self._tool_calls >= most:
            raise LimitReached("max_tool_calls", most)
        self._tool_calls += 1

    def count_reply(self, usage: Usage, *, prompt_tokens: int, reply_tokens: int) -> None:
        """Count a reply as its provider does, or by our own counts where it says nothing."""
        self._tokens += prompt_tokens if usage.input_tokens is None else usage.input_tokens
        self._tokens += reply_tokens if usage.output_tokens is None else usage.output_tokens
