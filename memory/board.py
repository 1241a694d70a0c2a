"""The whiteboard of a session as one person sees it, read from rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import IntegerField, Value
from django.utils import timezone

from agents.access import may_act
from agents.models import AgentSession
from memory.cards import (
    BoardView,
    Card,
    HiddenEntry,
    Place,
    card,
    dom_id,
    hidden_entry,
    in_board_order,
    in_tray_order,
)
from memory.departed import EVICTIONS, Departed, Eviction, departed
from memory.models import CardLayout, Entry, Pin, Store
from memory.receipts import with_receipts
from memory.rendered import value_html


@dataclass(frozen=True)
class BoardSummary:
    """How full a whiteboard is; a limit of 0 is none."""

    entries: int
    max_entries: int
    tokens: int
    max_tokens: int


@dataclass(frozen=True)
class Departure:
    """A key that is no more, and why."""

    key: str
    revision: int
    was_evicted: bool


@dataclass(frozen=True)
class Board:
    """A whiteboard as the rows were when it was read.

    Attributes:
        cursor: the store's revision; the entries are never older than it.
        entries: every entry, in the order of insertion.
        departures: keys that left after the revision that was asked for, and did not come back.
    """

    cursor: int
    entries: Sequence[Entry]
    departures: Sequence[Departure]
    summary: BoardSummary


@dataclass(frozen=True)
class BoardPage:
    """What the session page shows of the whiteboard, for one person.

    Attributes:
        cards: what the person sees, in order.
        tray: everything else, by name.
        dock: the last eviction, or None.
        cursor: where the page's socket goes on.
        view: token of the person's view, see ``BoardView.token``.
    """

    cards: Sequence[Card]
    tray: Sequence[HiddenEntry]
    summary: BoardSummary
    dock: Eviction | None
    cursor: int
    view: str


def board_page(
    session: AgentSession, user: User, *, acts: bool | None = None, keeps_gone: bool = True
) -> BoardPage:
    """Return the whiteboard as the person sees it now; values are rendered, so never inside a transaction.

    ``acts`` says whether the person may act, if the caller knows. What the person pinned and is no more is
    among the cards, as it last was, unless ``keeps_gone`` is off.
    """
    view = view_of(user.pk, session.profile_id, may_act=may_act(user, session) if acts is None else acts)
    store = whiteboard_row(session.pk)
    board = read_board(session, store)
    here = {entry.key for entry in board.entries}
    missed = [key for key in view.pins if keeps_gone and key not in here]
    dock, left = departed(store, missed) if store else (None, ())
    load_values(filter(view.shows, board.entries))
    now = timezone.now()
    return BoardPage(
        cards=visible_cards(session, board.entries, view, now, left),
        tray=tray(board.entries, view, now),
        summary=board.summary,
        dock=dock,
        cursor=board.cursor,
        view=view.token,
    )


def visible_cards(
    session: AgentSession,
    entries: Iterable[Entry],
    view: BoardView,
    now: datetime,
    left: Iterable[Departed] = (),
) -> Sequence[Card]:
    """Return the cards of the entries that the view shows, in board order and rendered."""
    gone = {each.entry.key: each.reason for each in left}
    shown = [*filter(view.shows, entries), *(each.entry for each in left)]
    return [
        replace(
            card(entry, view, value_html(entry.value, dom_id(entry.key), session.pk), now),
            gone=gone.get(entry.key, ""),
        )
        for entry in in_board_order(shown, view)
    ]


def tray(entries: Iterable[Entry], view: BoardView, now: datetime) -> Sequence[HiddenEntry]:
    """Return the entries that the view does not show, by name."""
    return [hidden_entry(entry, now) for entry in in_tray_order(entries) if not view.shows(entry)]


def shown_keys(session: AgentSession, user: User) -> list[str]:
    """Return the keys that the person sees as cards, in board order."""
    view = view_of(user.pk, session.profile_id, may_act=False)
    entries = read_board(session, whiteboard_row(session.pk)).entries
    return [entry.key for entry in in_board_order(filter(view.shows, entries), view)]


def view_of(user_id: int, profile_id: int, *, may_act: bool) -> BoardView:
    """Return how the person sees every board of the agent."""
    mine = {"user": user_id, "profile": profile_id}
    # One statement for both: every page of a session and every change of a view asks it.
    none = Value(None, output_field=IntegerField())
    pins = Pin.objects.filter(**mine).values_list(Value(True), "key", none, Value(""), Value(False))
    layouts = CardLayout.objects.filter(**mine).values_list(
        Value(False), "key", "position", "size", "collapsed"
    )
    rows = sorted(pins.union(layouts, all=True), key=lambda row: str(row[1]))
    return BoardView(
        pins=tuple(key for is_pin, key, *_ in rows if is_pin),
        may_act=may_act,
        places=tuple(
            Place(key, position, size, bool(collapsed))
            for is_pin, key, position, size, collapsed in rows
            if not is_pin
        ),
    )


def whiteboard_row(session_id: UUID) -> Store | None:
    """Return the row of the session's whiteboard; None before anything was ever written on it."""
    return Store.objects.filter(kind=Store.Kind.WHITEBOARD, session_id=session_id).first()


def read_board(session: AgentSession, store: Store | None, *, since: int | None = None) -> Board:
    """Return the whiteboard behind ``store`` without the values, which ``load_values`` brings.

    Departures are listed from the revision ``since`` on. The entries may be newer than ``store``, never
    older: the revision was read first, so what is written in between is read twice rather than missed. A
    transaction would not do: in SQLite it takes the write lock.
    """
    limits = _limits(session)
    if store is None:
        return Board(0, (), (), _summary((), limits))
    entries = list(with_receipts(store.entries.order_by("position").defer("value"), session.pk))
    return Board(
        cursor=store.revision,
        entries=entries,
        departures=() if since is None else _departures(store, since, entries),
        summary=_summary(entries, limits),
    )


def load_values(entries: Iterable[Entry]) -> None:
    """Give the entries their values, in one statement; one that is gone by now becomes null."""
    wanted = list(entries)
    if not wanted:
        return
    values = dict(Entry.objects.filter(pk__in=[entry.pk for entry in wanted]).values_list("pk", "value"))
    for entry in wanted:
        entry.value = values.get(entry.pk, "null")


def _departures(store: Store, since: int, entries: Iterable[Entry]) -> Sequence[Departure]:
    here = {entry.key for entry in entries}
    left = store.revisions.filter(revision__gt=since, value=None).order_by("revision")
    found = {
        key: Departure(key, revision, action in EVICTIONS)
        for key, revision, action in left.values_list("key", "revision", "action")
    }
    return [departure for key, departure in found.items() if key not in here]


def _limits(session: AgentSession) -> Mapping[str, Any]:
    limits = session.settings.get("whiteboard", {})
    return limits if isinstance(limits, dict) else {}


def _summary(entries: Sequence[Entry], limits: Mapping[str, Any]) -> BoardSummary:
    return BoardSummary(
        entries=len(entries),
        max_entries=int(limits.get("maxEntries", 0)),
        tokens=sum(entry.tokens for entry in entries),
        max_tokens=int(limits.get("maxTotalTokens", 0)),
    )
