"""The whiteboard's part of the feed: snapshots, deltas, and what a person's own pins change."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.template.loader import render_to_string
from django.utils import timezone

from agents.feed import Frame
from agents.models import AgentSession
from agents.watcher import Cursor, View, Viewer
from memory.actors import AGENT_NAME
from memory.board import Board, load_values, read_board, tray, view_of, whiteboard_row
from memory.cards import BoardView, Card, card, dom_id, in_board_order
from memory.departed import departed, last_eviction
from memory.models import Entry, Store
from memory.rendered import value_html

# A page that misses more revisions than this gets everything instead.
WIDEST_DELTA = 200


class BoardPart:
    """Shows the session's whiteboard."""

    name = "board"

    def view(self, session_id: UUID, viewer: Viewer) -> BoardView:
        """Return how the person sees the board: pins, layout, and whether there are controls."""
        return view_of(viewer.user_id, viewer.profile_id, may_act=viewer.may_act)

    def read(self, session: AgentSession, cursors: Collection[Cursor]) -> Mapping[Cursor, "BoardUpdate"]:
        """Return a delta for each cursor that is behind, or a snapshot for one that is too far from it."""
        store = whiteboard_row(session.pk)
        revision = store.revision if store else 0
        starts = {cursor: _start(cursor, revision) for cursor in cursors if cursor != revision}
        if not starts:
            return {}
        deltas = [start for start in starts.values() if start is not None]
        board = read_board(session, store, since=min(deltas, default=None))
        first = 0 if len(deltas) < len(starts) else min(deltas)
        load_values(entry for entry in board.entries if entry.revision > first)
        fragments = _Fragments(session.pk, timezone.now())
        dock = ""
        if first == 0 or any(departure.was_evicted for departure in board.departures):
            dock = fragments.dock(store)
        return {cursor: BoardUpdate(board, store, start, fragments, dock) for cursor, start in starts.items()}

    def transition(self, session: AgentSession, old: View, new: View) -> Frame:
        """Return the cards that a change of this person's view brings, alters or takes away."""
        before, after = cast("BoardView", old), cast("BoardView", new)
        board = read_board(session, whiteboard_row(session.pk))
        shown = [entry for entry in board.entries if after.shows(entry) and _differs(entry, before, after)]
        hidden = [entry for entry in board.entries if before.shows(entry) and not after.shows(entry)]
        load_values(shown)
        fragments = _Fragments(session.pk, timezone.now())
        order = in_board_order(filter(after.shows, board.entries), after)
        return {
            "type": "view",
            "view": after.token,
            "order": [dom_id(entry.key) for entry in order] if _is_rearranged(before, after) else [],
            "cards": [fragments.card(entry, after, changed=False) for entry in in_board_order(shown, after)],
            "gone": [_gone(entry.key, "hidden") for entry in hidden],
            "tray": fragments.tray(board, after),
        }


@dataclass(frozen=True)
class BoardUpdate:
    """What the watchers at one cursor miss.

    Attributes:
        store: None before anything was ever written.
        since: their cursor; None makes it a snapshot.
        dock: HTML of the last eviction; empty when it is the one the page has.
    """

    board: Board
    store: Store | None
    since: int | None
    fragments: "_Fragments"
    dock: str

    @property
    def cursor(self) -> int:
        """The store's revision that the update leads to."""
        return self.board.cursor

    def frame(self, view: View) -> Frame:
        """Return the frame for one view: a value that it does not show is not in it.

        A snapshot also tells what became of the pinned keys that left, as their cards stay.
        """
        seen = cast("BoardView", view)
        since = self.since or 0
        entries = [entry for entry in self.board.entries if entry.revision > since]
        cards = in_board_order(filter(seen.shows, entries), seen)
        changed = self.since is not None
        return {
            "type": "board",
            "snapshot": not changed,
            "from": since,
            "to": self.cursor,
            "view": seen.token,
            "cards": [self.fragments.card(entry, seen, changed=changed) for entry in cards],
            "gone": self._gone(entries, seen) if changed else self._gone_pins(seen),
            "tray": self.fragments.tray(self.board, seen),
            "summary": self.fragments.part("_board_summary.html", summary=self.board.summary),
            "dock": self.dock,
        }

    def _gone(self, changed: Iterable[Entry], view: BoardView) -> list[Mapping[str, str]]:
        # A page may have shown an entry that is hidden now; one that never did ignores the line.
        hidden = [_gone(entry.key, "hidden") for entry in changed if not view.shows(entry)]
        left = [
            _gone(departure.key, "evicted" if departure.was_evicted else "deleted")
            for departure in self.board.departures
            if departure.revision > (self.since or 0)
        ]
        return left + hidden

    def _gone_pins(self, view: BoardView) -> list[Mapping[str, str]]:
        here = {entry.key for entry in self.board.entries}
        missed = [key for key in view.pins if key not in here]
        left = departed(self.store, missed)[1] if self.store and missed else ()
        return [_gone(each.entry.key, each.reason) for each in left]


class _Fragments:
    """The HTML of one read, made once for all views that share it."""

    def __init__(self, session_id: UUID, now: datetime) -> None:
        self._session_id = session_id
        self._now = now
        self._cards: dict[tuple[str, bool, bool, str], Mapping[str, str]] = {}

    def card(self, entry: Entry, view: BoardView, *, changed: bool) -> Frame:
        """Return a card of a frame; only call it for an entry that the view shows and that has its value."""
        shown = card(entry, view, value_html(entry.value, dom_id(entry.key), self._session_id), self._now)
        alike = (entry.key, shown.pinned, view.may_act, shown.size)
        if alike not in self._cards:
            self._cards[alike] = self._parts(shown, view)
        return {
            "key": entry.key,
            "id": shown.dom_id,
            "size": shown.size,
            **self._cards[alike],
            "changed": changed,
            "by": "agent" if entry.changed_by == AGENT_NAME else "person",
        }

    def tray(self, board: Board, view: BoardView) -> str:
        """Return the tray of one view."""
        return self.part("_tray.html", tray=tray(board.entries, view, self._now))

    def dock(self, store: Store | None) -> str:
        """Return the line about the last eviction."""
        dock = last_eviction(store) if store else None
        return self.part("_dock_line.html", dock=dock, session_id=self._session_id)

    def part(self, template: str, **context: Any) -> str:
        """Return one partial of the board."""
        return render_to_string(f"memory/{template}", context)

    def _parts(self, shown: Card, view: BoardView) -> Mapping[str, str]:
        context = {"card": shown, "session_id": self._session_id, "may_act": view.may_act}
        return {name: self.part(f"_card_{name}.html", **context) for name in ("head", "body", "foot")}


def _start(cursor: Cursor, revision: int) -> int | None:
    """Return the cursor when a delta can start there, else None."""
    if isinstance(cursor, int) and revision - WIDEST_DELTA <= cursor < revision:
        return cursor
    return None


def _differs(entry: Entry, before: BoardView, after: BoardView) -> bool:
    """Tell whether a card that the new view shows looks different from what the page has."""
    return (
        not before.shows(entry)
        or before.may_act != after.may_act
        or (entry.key in before.pins) != (entry.key in after.pins)
        or before.place(entry.key) != after.place(entry.key)
    )


def _is_rearranged(before: BoardView, after: BoardView) -> bool:
    """Tell whether the person chose another order: otherwise cards stay where the page has them."""
    return before.positions != after.positions


def _gone(key: str, reason: str) -> Mapping[str, str]:
    return {"key": key, "id": dom_id(key), "reason": reason}
