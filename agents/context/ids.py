"""Generated ids and the clock they take their time from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from agents.context.errors import InvalidOption, words_of
from agents.context.isolation import contain
from agents.context.kinds import WHOLE, Kind, check_kind, number

Clock = Callable[[], int]
"""Gives the current time as epoch milliseconds."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS = 7
# The end of the year 9999, which dates end with.
_LAST_MS = 253_402_300_799_999
_MOMENT = Kind(
    "a whole number of milliseconds since 1970, such as int(time.time() * 1000)",
    lambda value: WHOLE.fits(value) and number(0, _LAST_MS).fits(value),
)
# The digit for each byte.
_DIGIT_OF = bytes(ord(_DIGITS[byte % len(_DIGITS)]) for byte in range(256))


def wall_clock() -> int:
    """Return the current time as epoch milliseconds."""
    return time.time_ns() // 1_000_000


def check_clock(clock: Clock) -> None:
    """Do nothing when the clock gives a moment that has a date now.

    Raises:
        InvalidOption: saying what it gives.
    """
    now = contain("The clock", clock)
    if now.failure is not None:
        raise InvalidOption(f"The clock failed: {words_of(now.failure)}.") from now.failure
    check_kind("What the clock gives", now.value, _MOMENT)


def new_id(clock: Clock) -> str:
    """Return ``<epoch ms>_<7 base-36 characters>`` (spec 5.1)."""
    return f"{clock()}_{os.urandom(_RANDOM_DIGITS).translate(_DIGIT_OF).decode()}"
