"""Which entries of the whiteboard make room, decided before anything is touched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.plugins.errors import StoreFull
from memory.plugins.whiteboard_entry import WhiteboardEntry


class WhiteboardFull(StoreFull):
    """A write was refused at the capacity of the board: not even every allowed eviction makes room for it.

    Attributes:
        entries: how many entries the board holds.
        max_entries: how many it may hold.
        tokens: what its entries cost now.
        max_total_tokens: what they may cost; 0 or less for no limit.
        entry_tokens: what the refused entry costs.
    """

    def __init__(
        self,
        incoming: WhiteboardEntry,
        present: Sequence[WhiteboardEntry],
        limits: "Limits",
        *,
        by_count: bool,
    ) -> None:
        self.entries, self.max_entries = len(present), limits.max_entries
        self.tokens, self.max_total_tokens = total_tokens(present), limits.max_total_tokens
        self.entry_tokens = incoming.tokens
        kept = [entry for entry in present if entry.key != incoming.key and not entry.is_evictable]
        needed = len(kept) + 1 if by_count else total_tokens(kept) + incoming.tokens
        room = (
            f"{self.tokens:,} of {self.max_total_tokens:,} tokens"
            if limits.limits_tokens
            else "no token limit"
        )
        super().__init__(
            f"{incoming.key!r} does not fit: the whiteboard is at capacity ({self.entries} of "
            f"{self.max_entries} entries, {room}; this entry needs {self.entry_tokens:,} tokens, and "
            "critical entries are never evicted). Nothing was changed. Delete entries, shorten the value, "
            "or keep large data in the notes store if there is one",
            key=incoming.key,
            needed=needed,
            limit=limits.max_entries if by_count else limits.max_total_tokens,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """The capacity of a board."""

    max_entries: int
    """Number of entries, at least 1."""
    max_total_tokens: int
    """Sum of what the entries cost; 0 or less for no limit."""

    @property
    def limits_tokens(self) -> bool:
        """Whether there is a limit on tokens."""
        return self.max_total_tokens > 0

    def excess(self, entries: Sequence[WhiteboardEntry]) -> tuple[int, int]:
        """Return by how many entries and how many tokens the limits are exceeded; 0 or less: they hold."""
        over = total_tokens(entries) - self.max_total_tokens if self.limits_tokens else 0
        return len(entries) - self.max_entries, over


def total_tokens(entries: Iterable[WhiteboardEntry]) -> int:
    """Return what the entries cost together."""
    return sum(entry.tokens for entry in entries)


def eviction_order(entries: Iterable[WhiteboardEntry]) -> list[WhiteboardEntry]:
    """Return the entries that may go, first to go first: lowest priority, then longest unwritten."""
    evictable = (entry for entry in entries if entry.is_evictable)
    return sorted(evictable, key=lambda entry: (entry.rank, entry.recency))


def plan_write(
    incoming: WhiteboardEntry, present: Sequence[WhiteboardEntry], limits: Limits
) -> list[WhiteboardEntry]:
    """Return which other entries to evict so that ``incoming`` fits; it is never its own victim.

    A board that is over its limits already (only a restored one can be) accepts what does not grow it.
    Source: spec 1.4, rulings R1 and R2.

    Raises:
        WhiteboardFull: when the limits would be exceeded even after every eviction.
    """
    others = [entry for entry in present if entry.key != incoming.key]
    after = [*others, incoming]
    victims = plan_trim(others, limits, room_for=incoming)
    gone = {victim.key for victim in victims}
    over_entries, over_tokens = limits.excess([entry for entry in after if entry.key not in gone])
    by_count = over_entries > 0 and len(after) > len(present)
    by_tokens = over_tokens > 0 and total_tokens(after) > total_tokens(present)
    if by_count or by_tokens:
        raise WhiteboardFull(incoming, present, limits, by_count=by_count)
    return victims


def plan_trim(
    entries: Sequence[WhiteboardEntry], limits: Limits, *, room_for: WhiteboardEntry | None = None
) -> list[WhiteboardEntry]:
    """Return which entries to evict until the limits hold, or all that may go when they cannot."""
    over_entries, over_tokens = limits.excess([*entries, room_for] if room_for else entries)
    return _first_that_free(entries, over_entries, over_tokens)


def plan_compaction(entries: Sequence[WhiteboardEntry], tokens_to_free: int) -> list[WhiteboardEntry]:
    """Return which entries to evict to free so many tokens, or all that may go when they are not enough."""
    return _first_that_free(entries, 0, tokens_to_free)


def _first_that_free(
    entries: Sequence[WhiteboardEntry], over_entries: int, over_tokens: int
) -> list[WhiteboardEntry]:
    victims: list[WhiteboardEntry] = []
    for entry in eviction_order(entries):
        if over_entries <= len(victims) and over_tokens <= 0:
            break
        victims.append(entry)
        over_tokens -= entry.tokens
    return victims
