"""The entries of a whiteboard under its rules; every operation happens completely or not at all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from agents.context.ids import Clock
from agents.context.tokens import TokenEstimator
from memory.plugins.errors import InvalidEntry
from memory.plugins.whiteboard_capacity import (
    Limits,
    plan_compaction,
    plan_trim,
    plan_write,
    total_tokens,
)
from memory.plugins.whiteboard_entry import SetResult, WhiteboardEntry
from memory.plugins.whiteboard_rules import (
    MAX_DESCRIPTION_LENGTH,
    check_flag,
    check_key,
    check_priority,
    check_time,
    check_visible,
    clean_description,
    encode_value,
)

# Guidance, not a limit: a larger value is better kept outside the prompt.
LARGE_VALUE_TOKENS = 4_000


@dataclass(frozen=True, slots=True)
class ShelfOptions:
    """What a whiteboard was configured with."""

    limits: Limits
    default_priority: str
    show_timestamps: bool


class Shelf:
    """Entries by key in order of insertion; overwriting a key keeps its place. Not thread-safe."""

    def __init__(self, options: ShelfOptions, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._entries: dict[str, WhiteboardEntry] = {}
        self._recency = 0

    @property
    def entries(self) -> tuple[WhiteboardEntry, ...]:
        """All entries in order of insertion."""
        return tuple(self._entries.values())

    @property
    def is_over_limit(self) -> bool:
        """Whether critical entries exceed the limits; only a restored or re-counted board can be."""
        return any(over > 0 for over in self._options.limits.excess(self.entries))

    def find(self, key: str) -> WhiteboardEntry | None:
        """Return the entry of a key."""
        return self._entries.get(key)

    def set(self, draft: Mapping[str, object], estimator: TokenEstimator) -> SetResult:
        """Create or overwrite an entry from its wire fields; see ``InContextMemory.set``.

        A field that is missing or None counts as not sent, except ``value``.
        """
        key = check_key(draft.get("key"))
        old = self._entries.get(key)
        new = self._build(key if old else check_visible(key), draft, old)
        if old and old.says_the_same_as(new):
            self._store(replace(old, recency=new.recency))
            return SetResult(changed=False)
        new = self._counted(new, estimator)
        victims = plan_write(new, self.entries, self._options.limits)
        self._drop(victims)
        self._store(new)
        return SetResult([victim.key for victim in victims], warnings=_warnings(new))

    def drop(self, key: str) -> bool:
        """Remove an entry; return whether it was there."""
        return self._entries.pop(key, None) is not None

    def clear(self) -> None:
        """Remove every entry."""
        self._entries.clear()

    def compact(self, tokens_to_free: int) -> list[WhiteboardEntry]:
        """Remove and return the entries that free so many tokens, or all that may go."""
        victims = plan_compaction(self.entries, tokens_to_free)
        self._drop(victims)
        return victims

    def restore(self, saved: object, estimator: TokenEstimator) -> list[str]:
        """Replace everything by saved entries in wire form; return the keys evicted to keep the limits.

        Raises:
            InvalidEntry: when one of them cannot be an entry; the board is as it was.
        """
        if not isinstance(saved, (list, tuple)):
            raise InvalidEntry("A saved whiteboard is an object with a list of entries")
        built = [self._restored(item, index) for index, item in enumerate(saved)]
        entries = [self._counted(entry, estimator) for entry in _aged(built)]
        if len({entry.key for entry in entries}) != len(entries):
            raise InvalidEntry("A saved whiteboard holds a key twice: keep one entry of each key")
        victims = plan_trim(entries, self._options.limits)
        self._entries = {entry.key: entry for entry in entries}
        self._drop(victims)
        return [victim.key for victim in victims]

    def adopt(self, entries: Iterable[WhiteboardEntry]) -> None:
        """Replace everything by the entries as they are."""
        self._entries = {entry.key: entry for entry in entries}
        self._recency = max((entry.recency for entry in self._entries.values()), default=self._recency)

    def recount(self, estimator: TokenEstimator) -> None:
        """Count every entry again."""
        self._entries = {key: self._counted(entry, estimator) for key, entry in self._entries.items()}

    @property
    def total_tokens(self) -> int:
        """What all entries cost together."""
        return total_tokens(self.entries)

    def _build(self, key: str, draft: Mapping[str, object], old: WhiteboardEntry | None) -> WhiteboardEntry:
        description, priority, flag = (draft.get(name) for name in ("description", "priority", "showInUI"))
        if old and description is None:
            description = old.description
        if priority is None:
            priority = old.priority if old else self._options.default_priority
        if flag is None:
            flag = old.show_in_ui if old else False
        return WhiteboardEntry(
            key=key,
            description=clean_description(description),
            value_json=encode_value(draft["value"]),
            priority=check_priority(priority),
            show_in_ui=check_flag(flag),
            updated_at=self._clock(),
            tokens=0,
            recency=self._next_recency(),
        )

    def _restored(self, item: object, index: int) -> WhiteboardEntry:
        if not isinstance(item, Mapping) or "value" not in item:
            raise InvalidEntry(f"Saved entry {index} is not an object with key, description and value")
        try:
            built = self._build(check_key(item.get("key")), _lenient(item), None)
            if item.get("updatedAt") is None:
                return built
            return replace(built, updated_at=check_time(item["updatedAt"]))
        except InvalidEntry as error:
            raise InvalidEntry(f"Saved entry {index}: {error}") from None

    def _counted(self, entry: WhiteboardEntry, estimator: TokenEstimator) -> WhiteboardEntry:
        cost = entry.cost(estimator, show_timestamp=self._options.show_timestamps)
        return replace(entry, tokens=cost)

    def _store(self, entry: WhiteboardEntry) -> None:
        self._entries[entry.key] = entry

    def _drop(self, victims: Iterable[WhiteboardEntry]) -> None:
        for victim in victims:
            del self._entries[victim.key]

    def _next_recency(self) -> int:
        self._recency += 1
        return self._recency


def _aged(entries: list[WhiteboardEntry]) -> list[WhiteboardEntry]:
    """Return the entries in their order with a recency by their time; equal times keep the order."""
    by_age = sorted(entries, key=lambda entry: entry.updated_at)
    first = min((entry.recency for entry in entries), default=0)
    recency = {entry.key: first + place for place, entry in enumerate(by_age)}
    return [replace(entry, recency=recency[entry.key]) for entry in entries]


def _lenient(item: Mapping[str, object]) -> dict[str, object]:
    """Return a saved entry with a description that fits: older states have long ones and none at all."""
    description = item.get("description")
    if isinstance(description, str):
        description = " ".join(description.split())
        if len(description) > MAX_DESCRIPTION_LENGTH:
            description = f"{description[: MAX_DESCRIPTION_LENGTH - 1]}…"
    return {**item, "description": description or item["key"]}


def _warnings(entry: WhiteboardEntry) -> list[str]:
    if entry.tokens <= LARGE_VALUE_TOKENS:
        return []
    return [
        f"This entry takes {entry.tokens:,} tokens of every prompt: above {LARGE_VALUE_TOKENS:,} a summary, "
        "with the full data kept elsewhere, is better."
    ]
