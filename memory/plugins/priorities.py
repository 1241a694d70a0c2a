"""The four priorities of an entry and their order."""

from typing import Literal, TypeGuard

Priority = Literal["low", "normal", "high", "critical"]

# Lowest first: eviction works from left to right and never reaches critical.
PRIORITIES: tuple[Priority, ...] = ("low", "normal", "high", "critical")
RANK: dict[Priority, int] = {priority: rank for rank, priority in enumerate(PRIORITIES, start=1)}


def is_priority(value: object) -> TypeGuard[Priority]:
    """Return whether a value from outside is exactly one of the four names."""
    return isinstance(value, str) and value in PRIORITIES
