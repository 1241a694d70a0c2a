"""The part of the feed that says when the model has seen what stands on the whiteboard."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from django.template.loader import render_to_string

from agents.feed import Frame
from agents.models import AgentSession
from agents.watcher import Cursor, View, Viewer
from memory.board import view_of, whiteboard_row
from memory.cards import BoardView, dom_id
from memory.models import Entry
from memory.receipts import receipt_of, seen_revision, with_receipts


class ReceiptPart:
    """Tells pages which cards the model has seen meanwhile; the cursor is the revision it has seen."""

    name = "receipts"

    def view(self, session_id: UUID, viewer: Viewer) -> BoardView:
        """Return which cards the person sees."""
        return view_of(viewer.user_id, viewer.profile_id, may_act=viewer.may_act)

    def read(self, session: AgentSession, cursors: Collection[Cursor]) -> Mapping[Cursor, "ReceiptUpdate"]:
        """Return what was seen since each cursor that is behind."""
        revision = seen_revision(session.pk)
        behind = [cursor for cursor in cursors if cursor != revision]
        store = whiteboard_row(session.pk) if behind else None
        if store is None:
            return {}
        least = min(cursor if isinstance(cursor, int) else 0 for cursor in behind)
        fresh = store.entries.filter(revision__gt=least, revision__lte=revision).defer("value")
        entries = list(with_receipts(fresh, session.pk))
        return {
            cursor: ReceiptUpdate(revision, cursor if isinstance(cursor, int) else 0, entries)
            for cursor in behind
        }

    def transition(self, session: AgentSession, old: View, new: View) -> Frame:
        """Return a frame without news: cards that come bring their receipts."""
        return ReceiptUpdate(0, 0, ()).frame(new)


@dataclass(frozen=True)
class ReceiptUpdate:
    """What the model has seen since ``since``."""

    cursor: int
    since: int
    entries: Sequence[Entry]

    def frame(self, view: View) -> Frame:
        """Return the frame for one view: nothing is said of entries that it does not show."""
        seen = cast("BoardView", view)
        shown = [entry for entry in self.entries if entry.revision > self.since and seen.shows(entry)]
        return {"type": "receipts", "cards": [_line(entry) for entry in shown]}


def _line(entry: Entry) -> Mapping[str, str]:
    card = {"dom_id": dom_id(entry.key), "receipt": receipt_of(entry)}
    return {"id": dom_id(entry.key), "html": render_to_string("memory/_receipt.html", {"card": card})}
