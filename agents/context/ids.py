"""Generated ids and the clock they take their time from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Gives the current time as epoch milliseconds."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS = 7
# The digit for each byte.
_DIGIT_OF = bytes(ord(_DIGITS[byte % len(_DIGITS)]) for byte in range(256))


def wall_clock() -> int:
    """Return the current time as epoch milliseconds."""
    return time.time_ns() // 1_000_000


def new_id(clock: Clock) -> str:
    """Return ``<epoch ms>_<7 base-36 characters>`` (spec 5.1)."""
    return f"{clock()}_{os.urandom(_RANDOM_DIGITS).translate(_DIGIT_OF).decode()}"
