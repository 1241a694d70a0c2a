"""The entries of a store between rows and plugin: as they are now, and as they were at any revision."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import OuterRef, Subquery

from agents.context.json_values import JSON
from memory.models import Entry, EntryRevision

NOT_LOADED = ""


@dataclass(frozen=True)
class EntryState:
    """One entry of any kind of store, between its plugin and its row.

    Attributes:
        value: compact JSON text; NOT_LOADED when a unit of work was told that it needs no value of this key.
        attributes: what the kind of store adds, in wire names (priority, showInUI, tier …).
        tokens: exact tokens of the entry as the model reads it.
        updated_at: epoch milliseconds of the last change.
        recency: order of last writes; compared for eviction only, never a change by itself.
        usage: what using the entry moves, such as its last access; no change by itself either.
    """

    key: str
    description: str
    value: str
    attributes: Mapping[str, JSON]
    tokens: int = field(compare=False)
    updated_at: int = field(compare=False)
    recency: int = field(compare=False)
    usage: Mapping[str, JSON] = field(compare=False, default_factory=dict)


def read_states(store_id: UUID, load: Collection[str] | None = None) -> list[EntryState]:
    """Return the store's entries in order; ``load`` names the keys whose values are wanted, None: all."""
    return [state_of(row) for row in read_entries(store_id, load)]


def states_at(store_id: UUID, revision: int) -> list[EntryState]:
    """Return the entries as they were at a revision, in order, by replaying the history up to it.

    How recently an unchanged entry was written again is not in the history, so ``recency`` is the revision.
    """
    past = EntryRevision.objects.filter(store_id=store_id, revision__lte=revision)
    last = past.filter(key=OuterRef("key")).order_by("-revision").values("revision")[:1]
    present = past.filter(revision=Subquery(last), value__isnull=False).order_by("position")
    return [
        EntryState(
            key=row.key,
            description=row.description,
            value=row.value or "",
            attributes=row.attributes,
            tokens=row.tokens,
            updated_at=row.updated_at,
            recency=row.revision,
        )
        for row in present
    ]


def read_entries(store_id: UUID, load: Collection[str] | None) -> list[Entry]:
    """Return the rows in order; those whose key is not in ``load`` hold NOT_LOADED as their value."""
    rows = Entry.objects.filter(store_id=store_id).order_by("position")
    if load is None:
        return list(rows)
    entries = list(rows.defer("value"))
    values = dict(rows.filter(key__in=load).values_list("key", "value")) if load else {}
    for entry in entries:
        entry.value = values.get(entry.key, NOT_LOADED)
    return entries


def state_of(row: Entry) -> EntryState:
    """Return the row as a state."""
    return EntryState(
        key=row.key,
        description=row.description,
        value=row.value,
        attributes=row.attributes,
        tokens=row.tokens,
        updated_at=row.updated_at,
        recency=row.recency,
        usage=row.usage,
    )
