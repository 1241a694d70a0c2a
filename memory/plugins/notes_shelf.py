"""The notes themselves with their running total and order of access; knows no limits and no prompt."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_keys import find_key


class Shelf:
    """Notes by key, in the order they were first written.

    Attributes:
        used_bytes: sum of the sizes of all values.
    """

    def __init__(self, entries: Iterable[NotesEntry] = ()) -> None:
        self._entries = {entry.key: entry for entry in entries}
        self.used_bytes = sum(entry.size_bytes for entry in self._entries.values())
        self._last_recency = max((entry.recency for entry in self._entries.values()), default=0)

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[NotesEntry]:
        return iter(self._entries.values())

    def find(self, key: object) -> NotesEntry | None:
        """Return the note of an exact key, else of a base key in its most refined tier."""
        stored = find_key(key, self._entries)
        return None if stored is None else self._entries[stored]

    def get(self, key: str) -> NotesEntry | None:
        """Return the note of exactly this key."""
        return self._entries.get(key)

    def put(self, entry: NotesEntry) -> None:
        """Add a note or replace the one of that key in its place."""
        self.used_bytes += entry.size_bytes - self._size_of(entry.key)
        self._entries[entry.key] = entry

    def drop(self, key: str) -> None:
        """Remove the note of exactly this key."""
        self.used_bytes -= self._size_of(key)
        del self._entries[key]

    def next_recency(self) -> int:
        """Return a number above all given before, so that accesses of one millisecond keep their order."""
        self._last_recency += 1
        return self._last_recency

    def touch(self, entry: NotesEntry, now: int) -> NotesEntry:
        """Return the note with this access counted; it stands in the index again."""
        touched = replace(
            entry,
            last_accessed_at=now,
            access_count=entry.access_count + 1,
            recency=self.next_recency(),
            folded=False,
        )
        self._entries[entry.key] = touched
        return touched

    def _size_of(self, key: str) -> int:
        entry = self._entries.get(key)
        return entry.size_bytes if entry else 0
