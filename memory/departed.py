"""Entries that left a whiteboard: the one it gave up last, and those that a person still has pinned."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from memory.cards import Gone, age, priority_of
from memory.models import Entry, EntryRevision, Store

Action = EntryRevision.Action
# What makes room, as against what somebody wanted away.
EVICTIONS = (Action.EVICT, Action.COMPACT)


@dataclass(frozen=True)
class Eviction:
    """An entry that the board gave up, and when."""

    key: str
    priority: str
    tokens: int
    at: datetime
    age: str


@dataclass(frozen=True)
class Departed:
    """An entry that is no more, as it last was."""

    entry: Entry
    reason: Gone


def last_eviction(store: Store) -> Eviction | None:
    """Return the entry that the board gave up last, if it ever did."""
    row = _evictions(store).defer("value").first()
    return _eviction(row) if row else None


def departed(store: Store, keys: Iterable[str]) -> tuple[Eviction | None, Sequence[Departed]]:
    """Return the last eviction, and those of the keys, none of them on the board, that once were there.

    It takes one statement, for a page counts them.
    """
    wanted = list(keys)
    if not wanted:
        return last_eviction(store), ()
    of_key = EntryRevision.objects.filter(store=store, key=OuterRef("key")).order_by("-revision")
    ends = Q(key__in=wanted, store=store, revision=Subquery(of_key.values("revision")[:1]))
    # A scalar, so that a database looks it up once and by its key.
    rows = EntryRevision.objects.filter(ends | Q(pk=Subquery(_evictions(store).values("pk")[:1])))
    values = of_key.filter(revision__lt=OuterRef("revision")).exclude(value=None).values("value")[:1]
    found = list(rows.annotate(last_value=Subquery(values)).order_by("-revision", "key"))
    evicted = next((row for row in found if row.action == Action.EVICT), None)
    left = [_departed(row) for row in found if row.key in wanted and row.value is None]
    return _eviction(evicted) if evicted else None, left


def _evictions(store: Store) -> QuerySet[EntryRevision]:
    return store.revisions.filter(action=Action.EVICT).order_by("-revision", "key")


def _eviction(row: EntryRevision) -> Eviction:
    told = age(int(row.created_at.timestamp() * 1000), timezone.now())
    return Eviction(row.key, priority_of(row.attributes), row.tokens, row.created_at, told)


def _departed(row: EntryRevision) -> Departed:
    value: Any = getattr(row, "last_value", None)
    entry = Entry(
        key=row.key,
        description=row.description,
        value=value or "null",
        attributes=row.attributes,
        tokens=row.tokens,
        version=row.version,
        updated_at=row.updated_at,
        changed_by=row.actor_name,
        card_size=row.card_size,
    )
    return Departed(entry, "evicted" if row.action in EVICTIONS else "deleted")
