"""Looking at the notes: options, priorities, patterns and tasks; nothing here changes a note."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from agents.context.ids import Clock, wall_clock
from agents.context.json_values import JSON, MAX_BYTES
from agents.context.kinds import ESTIMATOR, FUNCTION, fault_of_kinds, maybe, whole
from agents.context.plugin import BasePlugin
from agents.context.tokens import TokenEstimator
from memory.plugins.errors import Destroyed, InvalidEntry
from memory.plugins.notes_capacity import Limits
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_keys import Tier, check_tier, glob_matches
from memory.plugins.notes_scope import effective_priority, is_stale
from memory.plugins.notes_shelf import Shelf
from memory.plugins.priorities import Priority

DEFAULT_SIZE_BYTES = 25 * 1024 * 1024
MAX_PATTERN_LENGTH = 1_000
_KINDS = {
    "max_size_bytes": whole(1),
    "max_entries": maybe(whole(1)),
    "max_index_entries": whole(1),
    "description_max_length": whole(1),
    "estimator": maybe(ESTIMATOR),
    "clock": maybe(FUNCTION),
}


class NotesQuery(TypedDict, total=False):
    """What a query found: ``entries`` in the order they were written, ``stats`` when asked for."""

    entries: list[dict[str, JSON]]
    stats: dict[str, JSON]


class NotesReader(BasePlugin):
    """Notes with their options, their priorities and every way to look at them that changes nothing.

    After ``destroy`` every method that reads or writes notes raises Destroyed; what a context asks of its
    plugins tells of no notes.

    Attributes:
        max_size_bytes: limit on the sum of the values' UTF-8 bytes of compact JSON.
        max_entries: limit on the number of notes; None for none.
        max_index_entries: notes listed in the prompt at a time; limits nothing else.
        description_max_length: characters.
        revision: grows by one with every change; equal writes and reads do not count.
    """

    name = "working_memory"
    compaction_priority = 2

    def __init__(
        self,
        *,
        max_size_bytes: int = DEFAULT_SIZE_BYTES,
        max_entries: int | None = None,
        max_index_entries: int = 30,
        description_max_length: int = 150,
        estimator: TokenEstimator | None = None,
        clock: Clock | None = None,
    ) -> None:
        if fault := fault_of_kinds(locals(), _KINDS):
            raise InvalidEntry(fault)
        self.max_size_bytes = max_size_bytes
        self.max_entries = max_entries
        self.max_index_entries = max_index_entries
        self.description_max_length = description_max_length
        if estimator is not None:
            self.estimator = estimator
        self._clock = clock or wall_clock
        self._shelf = Shelf()
        self._is_destroyed = False
        self._task_states: dict[str, str] | None = None
        self.revision = 0

    @property
    def count(self) -> int:
        """Number of notes, listed or not."""
        return len(self._shelf)

    @property
    def used_bytes(self) -> int:
        """Sum of the sizes of all values."""
        return self._shelf.used_bytes

    def find(self, key: object) -> NotesEntry | None:
        """Return the note of a key or base key without counting an access."""
        return self._living().find(key)

    def has(self, key: str) -> bool:
        """Return whether a note of that key or base key exists."""
        return self.find(key) is not None

    def query(
        self,
        *,
        pattern: str | None = None,
        tier: Tier | None = None,
        include_values: bool = False,
        include_stats: bool = False,
    ) -> NotesQuery:
        """Return the notes whose whole key fits the pattern (``*`` is any run of characters) and tier.

        Entries are ``{key, description, tier, value?}``; stats are ``{count, totalBytes}`` of those found.

        Raises:
            InvalidEntry: when pattern or tier is not what it must be.
        """
        found = self.matching(pattern, tier)
        entries: list[dict[str, JSON]] = [
            {"key": entry.key, "description": entry.description, "tier": entry.tier} for entry in found
        ]
        if include_values:
            for shown, entry in zip(entries, self.with_values(found), strict=True):
                shown["value"] = entry.value
        result: NotesQuery = {"entries": entries}
        if include_stats:
            result["stats"] = {"count": len(found), "totalBytes": sum(entry.size_bytes for entry in found)}
        return result

    def with_values(self, entries: Sequence[NotesEntry]) -> Sequence[NotesEntry]:
        """Return the same notes with their values; a host that keeps values elsewhere loads them here."""
        return entries

    def real_key(self, key: str) -> str | None:
        """Return the full key of the note of a key or base key, None when there is none; no access counts."""
        entry = self.find(key)
        return None if entry is None else entry.key

    def value_of(self, key: str) -> JSON:
        """Return the value of the note of a key or base key, None when there is none; no access counts."""
        entry = self.find(key)
        return None if entry is None else self.with_values([entry])[0].value

    def matching(self, pattern: object = None, tier: object = None) -> list[NotesEntry]:
        """Return the notes that fit pattern and tier, as `query` finds them."""
        check_tier(tier)
        if pattern is None:
            pattern = "*"
        if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_LENGTH:
            raise InvalidEntry(
                f'The pattern is a text of at most {MAX_PATTERN_LENGTH} characters, such as "raw.*"'
            )
        return [
            entry
            for entry in self._living()
            if glob_matches(pattern, entry.key) and (tier is None or entry.tier == tier)
        ]

    def set_task_states(self, states: Mapping[str, str] | None) -> None:
        """Take the status of every task by id; None means that tasks are not known.

        Statuses with a meaning are ``pending``, ``in_progress``, ``completed``, ``failed``, ``skipped`` and
        ``cancelled``. States are supplied anew after a restore; they are not part of the notes.
        """
        self._task_states = None if states is None else dict(states)
        self.invalidate_token_cache()

    def stale_keys(self) -> list[str]:
        """Return the keys of unpinned notes that served only tasks which have ended."""
        return [
            entry.key
            for entry in self._living()
            if not entry.pinned and is_stale(entry.scope, self._task_states)
        ]

    def priority_of(self, entry: NotesEntry) -> Priority:
        """Return the effective priority, on which eviction and the index work."""
        return effective_priority(
            entry.base_priority, entry.scope, is_pinned=entry.pinned, task_states=self._task_states
        )

    def entries(self) -> tuple[NotesEntry, ...]:
        """Return all notes in the order they were first written."""
        return tuple(self._living())

    def _living(self) -> Shelf:
        if self._is_destroyed:
            raise Destroyed("These notes were destroyed; create new ones")
        return self._shelf

    @property
    def _limits(self) -> Limits:
        return Limits(self.max_size_bytes, self.max_entries)

    @property
    def _max_value_bytes(self) -> int:
        # What is too big for the notes is refused for their limit, with numbers, not for that of JSON.
        return max(MAX_BYTES, self.max_size_bytes)
