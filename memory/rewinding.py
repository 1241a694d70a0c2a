"""Undoes what happened to a store between two of its revisions, as a new revision."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from django.db import transaction

from agents.context.json_values import JSON
from memory.actors import Actor
from memory.models import Entry, EntryRevision, Store
from memory.states import EntryState, states_at
from memory.unit_of_work import StoreKind, change_store

P = TypeVar("P")


@dataclass(frozen=True)
class Span:
    """Two revisions of a store, as marks that were kept in JSON."""

    before: JSON
    after: JSON

    @property
    def revisions(self) -> tuple[int, int]:
        """The revisions as numbers; marks that are none give an empty span."""
        if isinstance(self.before, int) and isinstance(self.after, int):
            return self.before, self.after
        return 0, 0


def rewind_store(store_id: UUID, kind: StoreKind[P], span: Span, actor: Actor) -> None:
    """Give keys that changed within the span their earlier content and place again.

    A key that changed once more after the span stays as it is: somebody wanted it so.

    Raises:
        agents.leases.LeaseLost: the actor's lease went to another worker.
    """
    before, after = (_by_key(states_at(store_id, revision)) for revision in span.revisions)
    touched = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    if not touched:
        return

    def undo(plugin: P) -> None:
        now = _by_key(kind.entries(plugin))
        for key in touched:
            if now.get(key) != after.get(key):
                continue
            if key in before:
                used = now.get(key)
                now[key] = (
                    replace(before[key], recency=used.recency, usage=used.usage) if used else before[key]
                )
            else:
                now.pop(key, None)
        kind.adopt(plugin, list(now.values()))

    with transaction.atomic():
        change = change_store(store_id, kind, undo, actor=actor, action=EntryRevision.Action.RESTORE)
        _return_to_places(store_id, change.changed, change.revision)


def _by_key(states: Iterable[EntryState]) -> dict[str, EntryState]:
    return {state.key: state for state in states}


def _return_to_places(store_id: UUID, keys: tuple[str, ...], revision: int) -> None:
    """Put keys that had left back to where they stood: the order of a board is part of the prompt."""
    store = Store.objects.get(pk=store_id)
    past = store.revisions.filter(key__in=keys, revision__lt=revision).order_by("revision")
    places: Mapping[str, int] = dict(past.values_list("key", "position"))
    for key, position in places.items():
        Entry.objects.filter(store=store, key=key).update(position=position)
        store.revisions.filter(key=key, revision=revision).update(position=position)
