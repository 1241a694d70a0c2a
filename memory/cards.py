"""Cards: entries of a whiteboard as one person sees them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memory.models import Entry
from memory.receipts import Receipt, receipt_of
from memory.rendering.cards import CardHTML

PRIORITIES = ("critical", "high", "normal", "low")
COLLAPSED = "c"

Gone = Literal["", "evicted", "deleted"]


@dataclass(frozen=True)
class Place:
    """Where and how large a person wants one card.

    Attributes:
        position: lower comes first; None for the computed order.
        size: xs to xl; empty for the size the server chose.
    """

    key: str
    position: int | None
    size: str
    is_collapsed: bool


@dataclass(frozen=True)
class BoardView:
    """Everything that makes two people see one board differently; equal views get the same bytes.

    Attributes:
        pins: pinned keys, sorted.
        places: the person's layout, sorted by key.
    """

    pins: tuple[str, ...] = ()
    may_act: bool = False
    places: tuple[Place, ...] = ()

    @property
    def token(self) -> str:
        """A short digest: a page that shows this view says so when it connects again."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]

    @property
    def positions(self) -> tuple[tuple[str, int], ...]:
        """The keys with a place of their own."""
        return tuple((place.key, place.position) for place in self.places if place.position is not None)

    def shows(self, entry: Entry) -> bool:
        """Tell whether the person sees the entry as a card: the agent shows it or they pinned it."""
        return is_shown_by_agent(entry) or entry.key in self.pins

    def place(self, key: str) -> Place | None:
        """Return the person's own place of a key, if they chose one."""
        return next((place for place in self.places if place.key == key), None)


@dataclass(frozen=True)
class Card:
    """An entry as a template shows it; see templates/memory/_card.html."""

    key: str
    dom_id: str
    description: str
    priority: str
    show_in_ui: bool
    pinned: bool
    version: int
    tokens: int
    updated_at: datetime
    age: str
    size: str
    body: CardHTML
    changed_by: str
    receipt: Receipt | None = None
    gone: Gone = ""


@dataclass(frozen=True)
class HiddenEntry:
    """An entry that a person does not see, by name only."""

    key: str
    dom_id: str
    description: str
    priority: str
    tokens: int
    age: str


def dom_id(key: str) -> str:
    """Return the id of a key's card; keys may hold any character, ids may not."""
    return "card-" + hashlib.sha256(key.encode()).hexdigest()[:12]


def is_shown_by_agent(entry: Entry) -> bool:
    """Tell whether the agent wants the entry to be seen."""
    return is_shown(entry.attributes)


def is_shown(attributes: Mapping[str, object]) -> bool:
    """Tell the agent's wish in a row's attributes."""
    return bool(attributes.get("showInUI"))


def priority_of(attributes: Mapping[str, object]) -> str:
    """Return the priority in a row's attributes; anything unknown counts as normal."""
    priority = attributes.get("priority")
    return priority if isinstance(priority, str) and priority in PRIORITIES else "normal"


def moment(epoch_ms: int) -> datetime:
    """Return epoch milliseconds as an aware time."""
    return datetime.fromtimestamp(epoch_ms / 1000, tz=UTC)


def age(epoch_ms: int, now: datetime) -> str:
    """Return how long ago it was, in the largest whole unit: 3 s ago, 4 min ago, 2 h ago, 5 d ago."""
    seconds = max(0, int((now - moment(epoch_ms)).total_seconds()))
    if seconds < 1:
        return "now"
    for limit, unit, name in ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h")):
        if seconds < limit:
            return f"{seconds // unit} {name} ago"
    return f"{seconds // 86_400} d ago"


def card(entry: Entry, view: BoardView, body: CardHTML, now: datetime) -> Card:
    """Return the card of an entry for one view."""
    return Card(
        key=entry.key,
        dom_id=dom_id(entry.key),
        description=entry.description,
        priority=priority_of(entry.attributes),
        show_in_ui=is_shown_by_agent(entry),
        pinned=entry.key in view.pins,
        version=entry.version,
        tokens=entry.tokens,
        updated_at=moment(entry.updated_at),
        age=age(entry.updated_at, now),
        size=_size(entry, view),
        body=body,
        changed_by=entry.changed_by,
        receipt=receipt_of(entry),
    )


def hidden_entry(entry: Entry, now: datetime) -> HiddenEntry:
    """Return what the tray says about an entry: never its value."""
    return HiddenEntry(
        key=entry.key,
        dom_id=dom_id(entry.key),
        description=entry.description,
        priority=priority_of(entry.attributes),
        tokens=entry.tokens,
        age=age(entry.updated_at, now),
    )


def in_board_order(entries: Iterable[Entry], view: BoardView) -> Sequence[Entry]:
    """Return entries in the order a page shows them when it loads.

    The person's own order first; then pinned before others, critical before low, newest before oldest.
    """

    def rank(entry: Entry) -> tuple[int, int, int, int, str]:
        place = view.place(entry.key)
        own = place.position if place is not None and place.position is not None else None
        return (
            10**9 if own is None else own,
            0 if entry.key in view.pins else 1,
            PRIORITIES.index(priority_of(entry.attributes)),
            -entry.updated_at,
            entry.key,
        )

    return sorted(entries, key=rank)


def in_tray_order(entries: Iterable[Entry]) -> Sequence[Entry]:
    """Return entries as the tray lists them: critical before low, then by name."""
    return sorted(entries, key=lambda entry: (PRIORITIES.index(priority_of(entry.attributes)), entry.key))


def _size(entry: Entry, view: BoardView) -> str:
    place = view.place(entry.key)
    if place is None:
        return entry.card_size
    return COLLAPSED if place.is_collapsed else place.size or entry.card_size
