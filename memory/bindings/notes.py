"""The notes of a session: their plugin on its rows; values stay in the database until asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast
from uuid import UUID

from agents.bindings import Run, StoreRevisions
from agents.context.json_values import JSON
from agents.context.stores import StoreResult
from agents.context.tokens import TiktokenEstimator
from agents.models import AgentSession
from memory.actors import Actor
from memory.bindings.stored import TurnStore, refuse_conflict, store_of
from memory.models import Entry, EntryRevision, Store
from memory.plugins.notes import WorkingMemory
from memory.plugins.notes_capacity import EvictionStrategy
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_keeper import Cleanup, StoreOutcome
from memory.plugins.notes_keys import TIERS, Tier, tier_of
from memory.plugins.notes_scope import parse_scope
from memory.plugins.priorities import Priority
from memory.rewinding import Span, rewind_store
from memory.states import EntryState, read_states

Action = EntryRevision.Action
NO_VALUES: frozenset[str] = frozenset()


class NotesKind:
    """How notes are made from entries, and read back."""

    name = Store.Kind.NOTES.value

    def open(self, settings: Mapping[str, JSON], entries: Sequence[EntryState]) -> WorkingMemory:
        """Return notes that hold exactly ``entries``."""
        notes = WorkingMemory(estimator=TiktokenEstimator(str(settings.get("model", ""))))
        notes.adopt(_entry(state) for state in entries)
        return notes

    def entries(self, plugin: WorkingMemory) -> Sequence[EntryState]:
        """Return every note, in order."""
        return [_entry_state(entry) for entry in plugin.entries()]

    def adopt(self, plugin: WorkingMemory, states: Sequence[EntryState]) -> None:
        """Make the notes hold exactly ``states``."""
        plugin.adopt(_entry(state) for state in states)


NOTES = NotesKind()


def notes_of(session_id: UUID) -> Store:
    """Return the session's notes, made on first use."""
    return store_of(session_id, NOTES.name)


def open_notes(session: AgentSession) -> WorkingMemory:
    """Return a copy of the session's notes with their values; changes to it reach nobody."""
    return NOTES.open(session.settings, read_states(notes_of(session.pk).pk))


class StoredNotes(WorkingMemory):
    """Notes in a running turn: every change is a unit of work, and values are loaded when they are read."""

    def __init__(self, run: Run) -> None:
        super().__init__(estimator=TiktokenEstimator(str(run.session.settings["model"])))
        self._rows = TurnStore(run, NOTES, self._adopt_states)

    @property
    def seen_revision(self) -> int:
        """Return the revision of the rows at the last ``refresh``."""
        return self._rows.seen_revision

    def refresh(self, stores: StoreRevisions | None = None) -> None:
        """Take over what the rows hold now, without the values."""
        self._rows.refresh(NO_VALUES, stores)

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
        """Store a note; see ``WorkingMemory.store``.

        Raises:
            EntryConflict: a person changed the note after the model saw the index.
        """
        return self._rows.change(
            lambda notes: notes.store(
                key, description, value, tier=tier, priority=priority, pinned=pinned, scope=scope
            ),
            key=key,
            load=_same_base(key),
        )

    def read(self, key: str) -> NotesEntry | None:
        """Return the note with its value and count the access; see ``WorkingMemory.read``."""
        return self._rows.change(lambda notes: notes.read(key), load=_same_base(key))

    def delete(self, key: str) -> bool:
        """Remove a note; see ``WorkingMemory.delete``."""
        return self._rows.change(lambda notes: notes.delete(key), Action.DELETE, key=key, load=NO_VALUES)

    def clear(self) -> list[str]:
        """Remove every note."""
        return self._rows.change(lambda notes: notes.clear(), Action.CLEAR, load=NO_VALUES)

    def evict(self, count: int, strategy: EvictionStrategy = "lru") -> list[str]:
        """Remove notes; see ``WorkingMemory.evict``."""
        return self._rows.change(lambda notes: notes.evict(count, strategy), Action.EVICT, load=NO_VALUES)

    def cleanup_raw(self) -> Cleanup:
        """Remove raw notes; see ``WorkingMemory.cleanup_raw``."""
        return self._rows.change(lambda notes: notes.cleanup_raw(), Action.DELETE, load=NO_VALUES)

    def restore_state(self, state: object) -> None:
        """Replace every note; see ``WorkingMemory.restore_state``."""
        self._rows.change(lambda notes: notes.restore_state(state), Action.RESTORE)

    def compact(self, tokens_to_free: int) -> int:
        """Take lines out of the index; see ``WorkingMemory.compact``."""
        return self._rows.change(lambda notes: notes.compact(tokens_to_free), Action.COMPACT, load=NO_VALUES)

    def with_values(self, entries: Sequence[NotesEntry]) -> Sequence[NotesEntry]:
        """Return the same notes with their values, loaded in one statement; one that is gone has none."""
        keys = [entry.key for entry in entries]
        stored = Entry.objects.filter(store=self._rows.store_id, key__in=keys)
        values = dict(stored.values_list("key", "value"))
        return [replace(entry, value_json=values.get(entry.key, "")) for entry in entries]

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        """Answer the tool call; a note that a person changed meanwhile is refused with its current value."""
        return refuse_conflict(lambda: WorkingMemory.store_set(self, key, data), "success")

    def store_delete(self, key: str) -> StoreResult:
        """Answer the tool call; see ``store_set``."""
        return refuse_conflict(lambda: WorkingMemory.store_delete(self, key), "deleted")

    def _adopt_states(self, states: list[EntryState]) -> None:
        # The turn's own copy never holds values: a session's notes may be 25 MB.
        self.adopt(replace(_entry(state), value_json="") for state in states)


class NotesBinding:
    """Binds the plugin ``working_memory`` of a turn to the session's notes rows."""

    name = WorkingMemory.name
    feature = "workingMemory"

    def open(self, run: Run, stores: StoreRevisions | None = None) -> StoredNotes:
        """Return the session's notes, with what the rows hold now."""
        notes = StoredNotes(run)
        notes.refresh(stores)
        return notes

    def mark(self, session: AgentSession) -> JSON:
        """Return the revision of the notes."""
        return notes_of(session.pk).revision

    def rewind(self, run: Run, before: JSON, after: JSON) -> None:
        """Undo what happened to the notes between two revisions; see ``rewind_store``."""
        rewind_store(notes_of(run.session.pk).pk, NOTES, Span(before, after), Actor.of(run))


def _same_base(key: object) -> frozenset[str]:
    """Return every key that ``key`` can stand for: itself, and its base key in each tier."""
    if not isinstance(key, str):
        return NO_VALUES
    base = key.partition(".")[2] if tier_of(key) else key
    return frozenset({key, base, *(f"{tier}.{base}" for tier in TIERS)})


def _entry(state: EntryState) -> NotesEntry:
    attributes, usage = state.attributes, state.usage
    return NotesEntry(
        key=state.key,
        description=state.description,
        value_json=state.value,
        size_bytes=int(cast(int, attributes["sizeBytes"])),
        scope=parse_scope(attributes["scope"]),
        base_priority=cast(Priority, attributes["basePriority"]),
        pinned=bool(attributes["pinned"]),
        created_at=int(cast(int, attributes["createdAt"])),
        updated_at=state.updated_at,
        last_accessed_at=int(cast(int, usage.get("lastAccessedAt", state.updated_at))),
        access_count=int(cast(int, usage.get("accessCount", 0))),
        recency=state.recency,
        folded=bool(attributes["folded"]),
    )


def _entry_state(entry: NotesEntry) -> EntryState:
    return EntryState(
        key=entry.key,
        description=entry.description,
        value=entry.value_json,
        attributes={
            "basePriority": entry.base_priority,
            "pinned": entry.pinned,
            "scope": entry.scope.to_json(),
            "createdAt": entry.created_at,
            "sizeBytes": entry.size_bytes,
            "folded": entry.folded,
        },
        # Notes are read on demand; what an index line costs is counted with the index.
        tokens=0,
        updated_at=entry.updated_at,
        recency=entry.recency,
        usage={"lastAccessedAt": entry.last_accessed_at, "accessCount": entry.access_count},
    )
