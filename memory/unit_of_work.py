"""The one way a store changes: lock, load, apply the plugin's rules, write the difference, poke."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agents import bus, leases
from agents.context.json_values import JSON
from agents.models import AgentSession
from memory.actors import Actor
from memory.card_size import card_size
from memory.models import Entry, EntryRevision, Store
from memory.states import NOT_LOADED, EntryState, read_entries, state_of

Action = EntryRevision.Action
P = TypeVar("P")
T = TypeVar("T")


class StoreKind(Protocol[P]):
    """What a kind of store brings: how its plugin is made from rows and read back."""

    name: str

    def open(self, settings: Mapping[str, JSON], entries: Sequence[EntryState]) -> P:
        """Return a plugin that holds exactly ``entries``."""
        ...

    def entries(self, plugin: P) -> Sequence[EntryState]:
        """Return everything the plugin holds, in order."""
        ...

    def adopt(self, plugin: P, states: Sequence[EntryState]) -> None:
        """Make the plugin hold exactly ``states``."""
        ...


class EntryConflict(Exception):
    """Somebody changed the key after the version that the writer saw; nothing was written.

    Attributes:
        current: the entry as it is now, or None when it is gone.
    """

    def __init__(self, key: str, current: Entry | None) -> None:
        super().__init__(f"{key!r} was changed by somebody else meanwhile. Look at the current value first.")
        self.key = key
        self.current = current


class Expectation(Protocol):
    """What a writer saw of a key; checked under the store's lock."""

    def check(self, store: Store, rows: Mapping[str, Entry]) -> None:
        """Raise EntryConflict when the key is no longer as it was seen."""
        ...


@dataclass(frozen=True)
class VersionSeen:
    """A person saw this version of the key; 0: the key did not exist."""

    key: str
    version: int

    def check(self, store: Store, rows: Mapping[str, Entry]) -> None:
        """Raise EntryConflict when the key has another version now."""
        row = rows.get(self.key)
        if (row.version if row else 0) != self.version:
            raise EntryConflict(self.key, row)


@dataclass(frozen=True)
class RevisionSeen:
    """A turn's model saw the store at this revision; changes of its own turn since then are no conflict."""

    key: str
    revision: int
    turn_id: UUID

    def check(self, store: Store, rows: Mapping[str, Entry]) -> None:
        """Raise EntryConflict when somebody else changed the key after that revision."""
        if store.revision == self.revision:
            return
        foreign = store.revisions.filter(key=self.key, revision__gt=self.revision).exclude(
            turn_id=self.turn_id
        )
        if foreign.exists():
            raise EntryConflict(self.key, rows.get(self.key))


@dataclass(frozen=True)
class Change(Generic[P, T]):
    """What a committed unit of work left behind.

    Attributes:
        result: what ``apply`` returned.
        plugin: the plugin as committed; nobody else holds it.
        revision: the store's revision after the change (unchanged when nothing was).
        changed: keys created or changed.
        gone: keys removed.
    """

    result: T
    plugin: P
    revision: int
    changed: tuple[str, ...]
    gone: tuple[str, ...]


def change_store(
    store_id: UUID,
    kind: StoreKind[P],
    apply: Callable[[P], T],
    *,
    actor: Actor,
    action: Action = Action.SET,
    expect: Expectation | None = None,
    load: Collection[str] | None = None,
) -> Change[P, T]:
    """Run ``apply`` on the store's plugin as one transaction and return what it did.

    ``apply`` works on a plugin of its own: when it raises, nothing was written anywhere. ``action`` says what
    becomes of removed keys in the history: deleted, cleared or compacted; otherwise they count as evicted.
    ``load`` names the keys whose values ``apply`` needs, so that large ones stay where they are; None: all.

    Raises:
        EntryConflict: ``expect`` no longer holds.
        agents.leases.LeaseLost: the actor is a turn whose lease went to another worker.
        Store.DoesNotExist: there is no such store.
    """
    owner = Store.objects.values_list("session_id", flat=True).get(pk=store_id)
    with transaction.atomic():
        # Always the session first, then the store: every writer takes the locks in the same order.
        session = AgentSession.objects.select_for_update().get(pk=owner) if owner else None
        if session and actor.fence is not None:
            leases.check(session, actor.fence)
        store = Store.objects.select_for_update().get(pk=store_id)
        rows = {row.key: row for row in read_entries(store_id, load)}
        if expect:
            expect.check(store, rows)
        plugin = kind.open(session.settings if session else {}, [state_of(row) for row in rows.values()])
        result = apply(plugin)
        difference = _Difference(store, rows, kind.entries(plugin), actor, action)
        difference.write()
        if difference.is_empty:
            return Change(result, plugin, store.revision, (), ())
        if session:
            _tell_watchers(session, store)
        return Change(result, plugin, store.revision, difference.changed, difference.gone)


def _tell_watchers(session: AgentSession, store: Store) -> None:
    revision = session.revision + 1
    columns: dict[str, Any] = {"revision": revision, "changed_at": timezone.now()}
    if store.kind == Store.Kind.WHITEBOARD:
        columns["entry_count"] = store.entries.count()
    AgentSession.objects.filter(pk=session.pk).update(**columns)
    transaction.on_commit(lambda: bus.poke_session(session.pk, revision))


class _Difference:
    """The rows that must change so that the store holds what its plugin holds."""

    def __init__(
        self,
        store: Store,
        rows: Mapping[str, Entry],
        after: Sequence[EntryState],
        actor: Actor,
        action: Action,
    ) -> None:
        self._store, self._rows, self._actor, self._action = store, rows, actor, action
        self._after = {state.key: state for state in after}
        self._set = [s for s in after if s.key not in rows or state_of(rows[s.key]) != s]
        self.changed = tuple(state.key for state in self._set)
        self.gone = tuple(key for key in rows if key not in self._after)
        self.is_empty = not self.changed and not self.gone

    def write(self) -> None:
        """Write entries, history and the store's revision; use alone moves no revision."""
        self._write_usage()
        if self.is_empty:
            return
        self._store.revision += 1
        self._store.save(update_fields=["revision"])
        versions = self._next_versions()
        history = [self._set_one(state, versions) for state in self._set]
        history += [self._remove_one(key) for key in self.gone]
        EntryRevision.objects.bulk_create(history)

    def _write_usage(self) -> None:
        moved = []
        for key, row in self._rows.items():
            state = self._after.get(key)
            if not state or key in self.changed:
                continue
            if (state.recency, dict(state.usage)) != (row.recency, row.usage):
                row.recency, row.usage = state.recency, dict(state.usage)
                moved.append(row)
        Entry.objects.bulk_update(moved, ["recency", "usage"])

    def _next_versions(self) -> dict[str, int]:
        """Return the last version of each new key: a key that comes back goes on counting."""
        new = [key for key in self.changed if key not in self._rows]
        past = self._store.revisions.filter(key__in=new).order_by("revision")
        return dict(past.values_list("key", "version"))

    def _set_one(self, state: EntryState, versions: Mapping[str, int]) -> EntryRevision:
        row = self._rows.get(state.key)
        if row is None:
            last = max((r.position for r in self._rows.values()), default=0)
            place = last + 1 + self.changed.index(state.key)
            row = Entry(store=self._store, key=state.key, position=place, version=versions.get(state.key, 0))
            if self._store.kind == Store.Kind.WHITEBOARD:
                row.card_size = card_size(state.value)
        elif state.value == NOT_LOADED:
            row.refresh_from_db(fields=["value"])
            state = replace(state, value=row.value)
        row.description, row.value, row.attributes = state.description, state.value, dict(state.attributes)
        row.tokens, row.size_bytes = state.tokens, len(state.value.encode())
        row.updated_at, row.recency, row.usage = state.updated_at, state.recency, dict(state.usage)
        row.version += 1
        row.revision = self._store.revision
        row.changed_by = self._actor.name
        row.save()
        restored = self._action == Action.RESTORE
        return self._record(row, Action.RESTORE if restored else Action.SET, row.value)

    def _remove_one(self, key: str) -> EntryRevision:
        row = self._rows[key]
        removal = {Action.DELETE, Action.CLEAR, Action.COMPACT}
        action = self._action if self._action in removal else Action.EVICT
        record = self._record(row, action, None)
        record.version += 1
        row.delete()
        return record

    def _record(self, row: Entry, action: Action, value: str | None) -> EntryRevision:
        return EntryRevision(
            store=self._store,
            revision=self._store.revision,
            key=row.key,
            action=action,
            description=row.description,
            value=value,
            attributes=row.attributes,
            tokens=row.tokens,
            version=row.version,
            position=row.position,
            updated_at=row.updated_at,
            card_size=row.card_size,
            actor_kind=self._actor.kind,
            actor_name=self._actor.name,
            turn_id=self._actor.turn_id,
            user_id=self._actor.user_id,
        )
