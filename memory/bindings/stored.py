"""A store as one turn sees and changes it: every change a unit of work, others' changes respected."""

from collections.abc import Callable, Collection
from typing import Generic, TypeVar
from uuid import UUID

from agents.bindings import Run, StoreRevision, StoreRevisions
from agents.context.json_values import JSON
from agents.context.stores import StoreResult
from memory.actors import Actor
from memory.models import EntryRevision, Store
from memory.states import EntryState, read_states
from memory.unit_of_work import EntryConflict, RevisionSeen, StoreKind, change_store

Action = EntryRevision.Action
P = TypeVar("P")
T = TypeVar("T")


class TurnStore(Generic[P]):
    """One store in one run of a turn.

    ``adopt`` is called with the entries as committed after every change, so that the turn's own plugin never
    shows what was rolled back.

    Attributes:
        store_id: None until the rows were found.
        seen_revision: the store's revision at the last ``refresh``.
    """

    def __init__(self, run: Run, kind: StoreKind[P], adopt: Callable[[list[EntryState]], None]) -> None:
        self._session_id = run.session.pk
        self._kind = kind
        self._adopt = adopt
        self.store_id: UUID | None = None
        self._actor = Actor.of(run)
        self._turn_id = run.turn.pk if run.turn else None
        self.seen_revision = 0
        # What the plugin holds; None before it holds anything.
        self._adopted_revision: int | None = None

    def refresh(self, load: Collection[str] | None = None, stores: StoreRevisions | None = None) -> None:
        """Take over what the rows hold now; the next model call sees the store at this revision.

        ``stores`` is what a look at the rows found a moment ago.
        """
        # Two statements without a lock: the revision first, so that a write between them is seen as a
        # conflict once too often rather than not at all.
        known = revisions_of(self._session_id) if stores is None else stores
        self.store_id, now = known.get(self._kind.name, (None, 0))
        if now != self._adopted_revision:
            # A store that nobody has written to holds nothing.
            self._adopt(read_states(self.store_id, load) if self.store_id and now else [])
            self._adopted_revision = now
        self.seen_revision = now

    def change(
        self,
        apply: Callable[[P], T],
        action: Action = Action.SET,
        *,
        key: object = None,
        load: Collection[str] | None = None,
    ) -> T:
        """Run ``apply`` as a unit of work and return its result; see ``change_store``.

        Raises:
            EntryConflict: somebody else changed ``key`` after the model saw the store.
        """
        expect = None
        if self._turn_id and isinstance(key, str) and key:
            expect = RevisionSeen(key, self.seen_revision, self._turn_id)
        store_id = self.store_id or store_of(self._session_id, self._kind.name).pk
        change = change_store(
            store_id, self._kind, apply, actor=self._actor, action=action, expect=expect, load=load
        )
        self.store_id = store_id
        self._adopt(list(self._kind.entries(change.plugin)))
        self._adopted_revision = change.revision
        return change.result


def revisions_of(session_id: UUID) -> dict[str, StoreRevision]:
    """Return the session's stores by kind."""
    rows = Store.objects.filter(session_id=session_id).values_list("kind", "pk", "revision")
    return {kind: StoreRevision(store_id, revision) for kind, store_id, revision in rows}


def store_of(session_id: UUID, kind: str) -> Store:
    """Return the session's store of a kind, made on first use."""
    store, _ = Store.objects.get_or_create(kind=kind, session_id=session_id)
    return store


def refuse_conflict(answer: Callable[[], StoreResult], outcome: str) -> StoreResult:
    """Return the answer of a store tool, or, after a conflict, a refusal with the current value.

    ``outcome`` is the field of the result that says whether it worked.
    """
    try:
        return answer()
    except EntryConflict as conflict:
        return _refusal(conflict, outcome)


def _refusal(conflict: EntryConflict, outcome: str) -> StoreResult:
    current = conflict.current
    now: JSON = None
    if current is not None:
        now = {
            "description": current.description,
            "value": current.parsed_value(),
            **current.attributes,
            "changedBy": current.changed_by,
        }
    state = "They deleted it." if current is None else "Its current content is in `current`."
    text = f"Somebody changed this key after you last saw the store, so nothing was written. {state} "
    return {
        outcome: False,
        "key": conflict.key,
        "error": text + "Decide again and, if it still applies, repeat the call at your next step.",
        "reason": "conflict",
        "current": now,
    }
