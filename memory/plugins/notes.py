"""Working memory: notes outside the prompt, an index of them inside, and the store ``notes``."""

from collections.abc import Sequence
from dataclasses import replace

from agents.context.json_values import JSON
from agents.context.stores import StoreResult, StoreSchema
from memory.plugins import notes_handler
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_index import format_index, select_listed
from memory.plugins.notes_keeper import NotesKeeper
from memory.plugins.notes_shelf import Shelf


class WorkingMemory(NotesKeeper):
    """The plugin ``working_memory``.

    Notes are lost only to the two limits, to `evict`, `cleanup_raw`, `delete` and `clear`: compaction takes
    lines out of the index and leaves the notes stored (a folded note returns with its next access).

    Tool results that compaction moves here (keys ``tool_result.…``) are guests: they never evict other notes,
    go first among equals, and take only index lines that no other note needs.
    """

    def get_instructions(self) -> str:
        """Return how the model works with notes."""
        return notes_handler.INSTRUCTIONS

    def get_content(self) -> str | None:
        """Return the index, None without notes."""
        content = self.format_index() if self.count else None
        self.update_token_cache(self.estimator.estimate_tokens(content) if content else 0)
        return content

    def get_contents(self) -> list[dict[str, JSON]]:
        """Return every note as an object, without its value."""
        return [
            {
                "key": entry.key,
                "description": entry.description,
                "tier": entry.tier,
                "priority": self.priority_of(entry),
                "pinned": entry.pinned,
                "scope": entry.scope.to_json(),
                "sizeBytes": entry.size_bytes,
                "updatedAt": entry.updated_at,
            }
            for entry in self._shelf
        ]

    def format_index(self) -> str:
        """Return the index as the model sees it, also without notes. Format: spec 3.5."""
        return self._index_of(self.entries())

    def is_compactable(self) -> bool:
        """Return whether a line could leave the index."""
        return any(self._is_foldable(entry) for entry in self._shelf)

    def compact(self, tokens_to_free: int) -> int:
        """Return the tokens by which the index shrank; the notes themselves stay stored.

        Lines leave from the end of the list (lowest priority, oldest access), and no more of them than
        ``tokens_to_free`` asks for. Pinned and critical notes keep theirs. Nothing happens when the index
        would not become shorter.
        """
        before = self.estimator.estimate_tokens(self.format_index())
        entries = {entry.key: entry for entry in self.entries()}
        ranked = select_listed(self.entries(), self.priority_of, len(entries))
        freed = 0
        for position in range(len(ranked) - 1, -1, -1):
            if freed >= tokens_to_free:
                break
            if not self._is_foldable(ranked[position]):
                continue
            entries[ranked[position].key] = replace(ranked[position], folded=True)
            # A note beyond the listed ones costs nothing, but would move up when a listed one leaves.
            if position < self.max_index_entries:
                freed = before - self.estimator.estimate_tokens(self._index_of(tuple(entries.values())))
        if freed <= 0:
            return 0
        self._shelf = Shelf(entries.values())
        self.revision += 1
        self.invalidate_token_cache()
        return freed

    def copy(self) -> "WorkingMemory":
        """Return notes with the same options and entries and a state of their own."""
        twin = WorkingMemory(
            max_size_bytes=self.max_size_bytes,
            max_entries=self.max_entries,
            max_index_entries=self.max_index_entries,
            description_max_length=self.description_max_length,
            estimator=self.estimator,
            clock=self._clock,
        )
        twin.adopt(self.entries())
        twin.set_task_states(self._task_states)
        twin.revision = self.revision
        return twin

    def get_store_schema(self) -> StoreSchema:
        """Return how the store ``notes`` presents itself."""
        return notes_handler.SCHEMA

    def store_get(self, key: str | None = None) -> StoreResult:
        """Return a note by key or base key, a very long value cut; without a key all, without values."""
        return notes_handler.get_note(self, key)

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        """Return the final key, the size, and what was evicted; or why nothing was stored."""
        return notes_handler.set_note(self, key, data)

    def store_delete(self, key: str) -> StoreResult:
        """Return whether the note was there, under its real key."""
        return notes_handler.delete_note(self, key)

    def store_list(self, filter: dict[str, JSON] | None = None) -> StoreResult:
        """Return the notes that fit the filter's ``pattern`` and ``tier``."""
        return notes_handler.list_notes(self, filter)

    def store_action(self, action: str, params: dict[str, JSON] | None = None) -> StoreResult:
        """Run ``query``, ``read``, ``cleanup_raw`` or ``clear`` (destructive, confirmed by the caller)."""
        return notes_handler.act(self, action, params or {})

    def _is_foldable(self, entry: NotesEntry) -> bool:
        return not entry.folded and self.priority_of(entry) != "critical"

    def _index_of(self, entries: Sequence[NotesEntry]) -> str:
        return format_index(
            select_listed(entries, self.priority_of, self.max_index_entries),
            total=len(entries),
            used_bytes=self.used_bytes,
            max_bytes=self.max_size_bytes,
            priority_of=self.priority_of,
        )
