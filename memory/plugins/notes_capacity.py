"""Which notes make room for a write, decided before anything is touched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.plugins.errors import StoreFull
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_index import PriorityOf, format_size
from memory.plugins.notes_keys import is_moved_result
from memory.plugins.priorities import RANK

EvictionStrategy = Literal["lru", "size"]

# A write that needs room frees a little more, so that the next ones need not evict again.
MARGIN_PERCENT = 80


@dataclass(frozen=True, slots=True)
class Limits:
    """The capacity of the notes."""

    max_size_bytes: int
    """Sum of the sizes of all values."""
    max_entries: int | None = None
    """Number of notes; None for no limit. Independent of how many the index lists."""


def eviction_order(
    entries: Iterable[NotesEntry], priority_of: PriorityOf, strategy: EvictionStrategy = "lru"
) -> list[NotesEntry]:
    """Return the evictable notes, first to go first; pinned and critical ones are not among them.

    Lowest priority first; among equals moved tool results go first, then the least recently accessed
    (``lru``) or the largest (``size``).
    """

    def order(entry: NotesEntry) -> tuple[int, bool, int, int]:
        largest = -entry.size_bytes if strategy == "size" else 0
        return (RANK[priority_of(entry)], not is_moved_result(entry.key), largest, entry.recency)

    return sorted((entry for entry in entries if priority_of(entry) != "critical"), key=order)


def plan_write(
    incoming: NotesEntry,
    others: Sequence[NotesEntry],
    limits: Limits,
    priority_of: PriorityOf,
    *,
    is_new: bool,
) -> list[NotesEntry]:
    """Return the notes to evict so that ``incoming`` fits among the others; empty when it fits as it is.

    Over the bytes, room is made down to 80 % of the limit, unless that margin cannot be reached without
    notes more important than the incoming one. A moved tool result makes room among its own kind only.
    A new version of a note never counts as one more note.

    Raises:
        StoreFull: when not even every allowed eviction is enough.
    """
    size = incoming.size_bytes + sum(entry.size_bytes for entry in others)
    count_excess = 0
    if is_new and limits.max_entries is not None:
        count_excess = len(others) + 1 - limits.max_entries
    candidates = eviction_order(others, priority_of)
    if is_moved_result(incoming.key):
        candidates = [entry for entry in candidates if is_moved_result(entry.key)]
    victims = _first_that_free(candidates, size - limits.max_size_bytes, count_excess)
    if victims is None:
        raise _refusal(incoming, size, limits.max_size_bytes, len(others) + 1 - max(count_excess, 0))
    if size <= limits.max_size_bytes:
        return victims
    rank = RANK[priority_of(incoming)]
    margin = [entry for entry in candidates[len(victims) :] if RANK[priority_of(entry)] <= rank]
    roomy_size = limits.max_size_bytes * MARGIN_PERCENT // 100
    roomy = _first_that_free([*victims, *margin], size - roomy_size, count_excess)
    return victims if roomy is None else roomy


def plan_trim(entries: Sequence[NotesEntry], limits: Limits, priority_of: PriorityOf) -> list[NotesEntry]:
    """Return the notes to evict until the limits hold, or all evictable ones when they cannot."""
    size_excess = sum(entry.size_bytes for entry in entries) - limits.max_size_bytes
    count_excess = 0 if limits.max_entries is None else len(entries) - limits.max_entries
    candidates = eviction_order(entries, priority_of)
    victims = _first_that_free(candidates, size_excess, count_excess)
    return candidates if victims is None else victims


def _first_that_free(
    candidates: Sequence[NotesEntry], size_excess: int, count_excess: int
) -> list[NotesEntry] | None:
    victims: list[NotesEntry] = []
    freed = 0
    for entry in candidates:
        if freed >= size_excess and len(victims) >= count_excess:
            break
        victims.append(entry)
        freed += entry.size_bytes
    return victims if freed >= size_excess and len(victims) >= count_excess else None


def _refusal(incoming: NotesEntry, size: int, max_bytes: int, max_entries: int) -> StoreFull:
    remedy = "Delete or unpin notes, or store a summary instead"
    if size > max_bytes:
        return StoreFull(
            f'"{incoming.key}" ({format_size(incoming.size_bytes)}) does not fit: the notes hold at most '
            f"{format_size(max_bytes)}, and what else they hold may not be evicted for it. {remedy}",
            key=incoming.key,
            needed=size,
            limit=max_bytes,
        )
    return StoreFull(
        f'"{incoming.key}" does not fit: the notes are at most {max_entries}, and none of them may be '
        f"evicted for it. {remedy}",
        key=incoming.key,
        needed=max_entries + 1,
        limit=max_entries,
    )
