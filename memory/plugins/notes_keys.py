"""The names of notes: key rules, tiers as prefixes, lookup by base key and patterns."""

import re
from collections.abc import Container
from typing import Literal, TypeGuard

from memory.plugins.errors import InvalidEntry
from memory.plugins.priorities import Priority

Tier = Literal["raw", "summary", "findings"]

# Least refined first, which is the order of eviction.
TIERS: tuple[Tier, ...] = ("raw", "summary", "findings")
TIER_PRIORITY: dict[Tier, Priority] = {"raw": "low", "summary": "normal", "findings": "high"}
MAX_KEY_LENGTH = 256

_KEY = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
# Compaction files what it takes out of the conversation under these keys.
_MOVED_RESULT = re.compile(r"(?:raw\.)?(?:tool_result|moved)\..")


def is_tier(value: object) -> TypeGuard[Tier]:
    """Return whether a value from outside is exactly one of the three names."""
    return isinstance(value, str) and value in TIERS


def tier_of(key: str) -> Tier | None:
    """Return the tier that the key's prefix names."""
    prefix, dot, _ = key.partition(".")
    return prefix if dot and is_tier(prefix) else None


def check_tier(value: object) -> None:
    """Accept a tier or None.

    Raises:
        InvalidEntry: for anything else.
    """
    if value is not None and not is_tier(value):
        raise InvalidEntry("The tier must be raw, summary or findings")


def usual_priority(key: str) -> Priority:
    """Return the priority of a note created without one: that of its tier, else normal."""
    tier = tier_of(key)
    return "normal" if tier is None else TIER_PRIORITY[tier]


def final_key(key: object, tier: Tier | None) -> str:
    """Return the key an entry is stored under: a given tier becomes, or replaces, the prefix.

    Raises:
        InvalidEntry: unless it is 1 to 256 letters, digits, ``_``, ``-`` and single dots between them.
    """
    if not isinstance(key, str) or not key:
        raise InvalidEntry("A note needs a key: text such as search.results")
    name = key
    if tier is not None:
        name = f"{tier}.{key.partition('.')[2] if tier_of(key) else key}"
    if not _KEY.fullmatch(name) or len(name) > MAX_KEY_LENGTH:
        raise InvalidEntry(
            f"The key {key[:MAX_KEY_LENGTH]!r} is not allowed: use up to {MAX_KEY_LENGTH} letters, digits, "
            "_ and -, with single dots between them, such as search.results"
        )
    return name


def find_key(key: object, stored: Container[str]) -> str | None:
    """Return the stored key that is meant: the exact one, else the most refined tier of a base key."""
    if not isinstance(key, str):
        return None
    if key in stored:
        return key
    if tier_of(key) is None:
        for tier in reversed(TIERS):
            if f"{tier}.{key}" in stored:
                return f"{tier}.{key}"
    return None


def is_moved_result(key: str) -> bool:
    """Return whether compaction put this note here for what it took out of the conversation."""
    return _MOVED_RESULT.match(key) is not None


def glob_matches(pattern: str, key: str) -> bool:
    """Return whether the whole key fits a pattern in which only ``*`` is special (any run of characters).

    Every literal part is looked for once, leftmost first, so no pattern takes more than
    length of pattern times length of key.
    """
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == key
    *middle, last = rest
    if not key.startswith(first):
        return False
    position = len(first)
    for part in middle:
        found = key.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return len(key) - len(last) >= position and key.endswith(last)
