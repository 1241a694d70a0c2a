"""Keeping notes: every rule of writing, reading, evicting and saving them, without the prompt."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypedDict

from agents.context.json_values import JSON
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_capacity import EvictionStrategy, eviction_order, plan_trim, plan_write
from memory.plugins.notes_entry import (
    NotesEntry,
    check_description,
    check_flag,
    check_priority,
    encode_value,
)
from memory.plugins.notes_keys import TIER_PRIORITY, Tier, check_tier, final_key, usual_priority
from memory.plugins.notes_reader import NotesReader
from memory.plugins.notes_scope import parse_scope
from memory.plugins.notes_shelf import Shelf
from memory.plugins.notes_state import STATE_VERSION, entry_from_state, entry_to_state, saved_entries
from memory.plugins.priorities import Priority


@dataclass(frozen=True, slots=True)
class StoreOutcome:
    """What storing a note did."""

    key: str
    """Final key, with the tier as prefix."""
    size_bytes: int
    evicted: tuple[str, ...] = ()
    """Keys that made room."""
    changed: bool = True
    """False when the note already was exactly like this; then only its order of access moved."""


class Cleanup(TypedDict):
    """What a clean-up removed."""

    deleted: int
    keys: list[str]


class NotesKeeper(NotesReader):
    """The notes of one agent session: keyed values that stay outside the prompt.

    Attributes:
        evicted_by_restore: keys that the last restored state held beyond the limits.
    """

    evicted_by_restore: tuple[str, ...] = ()

    def store(
        self,
        key: str,
        description: str | None,
        value: object,
        *,
        tier: Tier | None = None,
        priority: Priority | None = None,
        pinned: bool | None = None,
        scope: JSON = None,
    ) -> StoreOutcome:
        """Return the final key of the stored note, and what was evicted for it.

        A tier becomes the key's prefix and sets the priority. Of an existing note everything left out stays
        as it is, the description too; a new note gets normal priority (or its prefix's), no pin and the
        scope ``session``.

        Raises:
            InvalidEntry: an argument breaks a rule; the message says which.
            StoreFull: there is no room and none can be made; nothing was evicted.
        """
        shelf = self._living()
        check_tier(tier)
        name = final_key(key, tier)
        previous = shelf.get(name)
        now = self._clock()
        known = previous or NotesEntry(name, "", "", 0, base_priority=usual_priority(name), created_at=now)
        text = encode_value(value, self._max_value_bytes)
        incoming = replace(
            known,
            description=self._description(description, previous),
            value_json=text,
            size_bytes=len(text.encode()),
            base_priority=_chosen_priority(tier, priority, known.base_priority),
            pinned=known.pinned if pinned is None else check_flag(pinned, "pinned"),
            scope=known.scope if scope is None else parse_scope(scope),
        )
        return self._write(incoming, previous, now)

    def read(self, key: str) -> NotesEntry | None:
        """Return the note of a key or base key and count the access; None when there is none."""
        entry = self.find(key)
        if entry is None:
            return None
        if entry.folded:
            self.invalidate_token_cache()
        return self._shelf.touch(entry, self._clock())

    def retrieve(self, key: str) -> JSON:
        """Return a fresh copy of the value of a key or base key, None when there is none."""
        entry = self.read(key)
        return None if entry is None else entry.value

    def delete(self, key: str) -> bool:
        """Return whether a note of that key or base key was there; it is gone, pinned or not."""
        entry = self.find(key)
        if entry is not None:
            self._remove([entry])
        return entry is not None

    def clear(self) -> list[str]:
        """Return the keys of all notes, which are gone, pinned or not."""
        return self._remove(list(self.entries()))

    def evict(self, count: int, strategy: EvictionStrategy = "lru") -> list[str]:
        """Return the keys of up to ``count`` removed notes, lowest priority first.

        Among equals the least recently accessed (``lru``) or the largest (``size``) goes first; pinned and
        critical notes stay.

        Raises:
            InvalidEntry: for a negative count or another strategy.
        """
        if strategy not in {"lru", "size"}:
            raise InvalidEntry('The strategy must be "lru" or "size"')
        if not isinstance(count, int) or count < 0:
            raise InvalidEntry("The number of notes to evict is a whole number of at least 0")
        return self._remove(eviction_order(self._living(), self.priority_of, strategy)[:count])

    def cleanup_raw(self) -> Cleanup:
        """Return what was removed: every note of tier raw that is not pinned, critical or persistent."""
        keys = self._remove(
            [
                entry
                for entry in self._living()
                if entry.tier == "raw"
                and entry.scope.kind != "persistent"
                and self.priority_of(entry) != "critical"
            ]
        )
        return {"deleted": len(keys), "keys": keys}

    def adopt(self, entries: Iterable[NotesEntry]) -> None:
        """Take over notes as they are: nothing is checked, counted, evicted or announced."""
        self._living()
        self._shelf = Shelf(entries)
        self.invalidate_token_cache()

    def get_state(self) -> dict[str, JSON]:
        """Return ``{version: 1, entries}`` with values; shares nothing with the notes."""
        return {
            "version": STATE_VERSION,
            "entries": [entry_to_state(entry) for entry in self.with_values(tuple(self._shelf))],
        }

    def restore_state(self, state: object) -> None:
        """Replace all notes by a saved state; nothing of them is left, order of access included.

        A state without entries is ignored. Notes beyond the limits are evicted in the usual order and named
        in ``evicted_by_restore``; pinned and critical ones stay even then.

        Raises:
            NewerState: a newer version wrote it.
            InvalidEntry: a note in it is wrong; the notes are as they were before.
        """
        self._living()
        saved = saved_entries(state)
        if saved is None:
            return
        now = self._clock()
        restored = [
            entry_from_state(
                item, max_description=self.description_max_length, max_bytes=self._max_value_bytes, now=now
            )
            for item in saved
        ]
        self.adopt(restored)
        surplus = plan_trim(tuple(self._shelf), self._limits, self.priority_of)
        for entry in surplus:
            self._shelf.drop(entry.key)
        self.evicted_by_restore = tuple(entry.key for entry in surplus)
        self.revision += 1

    def destroy(self) -> None:
        """Let go of all notes; a second call does nothing."""
        self._is_destroyed = True
        self._shelf = Shelf()
        self.invalidate_token_cache()

    def _description(self, description: object, previous: NotesEntry | None) -> str:
        if description is None and previous is not None:
            return previous.description
        return check_description(description, self.description_max_length)

    def _write(self, incoming: NotesEntry, previous: NotesEntry | None, now: int) -> StoreOutcome:
        victims: list[NotesEntry] = []
        if not self._has_room(incoming, previous):
            others = [entry for entry in self._shelf if entry.key != incoming.key]
            victims = plan_write(incoming, others, self._limits, self.priority_of, is_new=previous is None)
        is_changed = incoming != previous
        for entry in victims:
            self._shelf.drop(entry.key)
        self._shelf.put(
            replace(
                incoming,
                updated_at=now if is_changed else incoming.updated_at,
                last_accessed_at=now,
                recency=self._shelf.next_recency(),
                folded=False,
            )
        )
        self.revision += is_changed
        self.invalidate_token_cache()
        evicted = tuple(entry.key for entry in victims)
        return StoreOutcome(incoming.key, incoming.size_bytes, evicted, is_changed)

    def _has_room(self, incoming: NotesEntry, previous: NotesEntry | None) -> bool:
        """Tell whether the limits hold without looking at every note; a note that shrinks always has room."""
        if previous is not None:
            growth = incoming.size_bytes - previous.size_bytes
            return growth <= 0 or self._shelf.used_bytes + growth <= self._limits.max_size_bytes
        limit = self._limits.max_entries
        has_place = limit is None or len(self._shelf) < limit
        return has_place and self._shelf.used_bytes + incoming.size_bytes <= self._limits.max_size_bytes

    def _remove(self, victims: list[NotesEntry]) -> list[str]:
        for entry in victims:
            self._shelf.drop(entry.key)
        if victims:
            self.revision += 1
            self.invalidate_token_cache()
        return [entry.key for entry in victims]


def _chosen_priority(tier: Tier | None, priority: object, known: Priority) -> Priority:
    if tier is not None:
        return TIER_PRIORITY[tier]
    return known if priority is None else check_priority(priority)
