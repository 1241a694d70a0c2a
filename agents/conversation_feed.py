"""The parts of the feed that agents bring: the conversation, and the head of the session page."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from django.db.models import Q
from django.template.loader import render_to_string

from agents.budget_view import budget_view
from agents.calls import called_by, calls_of
from agents.context import json_values
from agents.conversation import (
    PAGE_SIZE,
    TurnView,
    conversation_page,
    last_spoken,
    message_views,
    told,
    turn_view,
    waiting_views,
)
from agents.feed import Frame
from agents.markers import markers
from agents.message_view import MessageView
from agents.models import AgentSession, Message, Turn
from agents.queue_places import place_in_queue
from agents.watcher import Cursor, View, Viewer

# Rows read around the changed ones before a snapshot is the cheaper answer.
WIDEST_WINDOW = 4 * PAGE_SIZE


class ConversationPart:
    """Shows the session's messages and its current turn; a view is whether the person may act."""

    name = "conversation"

    def view(self, session_id: UUID, viewer: Viewer) -> bool:
        """Return whether the person gets the controls of the turn."""
        return viewer.may_act

    def read(
        self, session: AgentSession, cursors: Collection[Cursor]
    ) -> Mapping[Cursor, "ConversationUpdate"]:
        """Return the changed messages for each cursor that is behind, or the newest ones."""
        revision = session.conversation_revision
        since = {each: each if isinstance(each, int) else None for each in cursors if each != revision}
        messages = _Messages(session)
        turn = turn_view(session.pk) if since else None
        spoken = last_spoken(session) if since else None
        waiting = _waiting_ids(session) if since else ()
        return {
            cursor: ConversationUpdate(revision, *messages.since(start), turn, spoken, waiting)
            for cursor, start in since.items()
        }

    def transition(self, session: AgentSession, old: View, new: View) -> None:
        """Return nothing: who gains or loses the controls gets a snapshot."""


@dataclass(frozen=True)
class ConversationUpdate:
    """What the watchers at one cursor miss.

    Attributes:
        since: their cursor; None makes it a snapshot.
        messages: the lines that are new or changed.
        waiting: element ids of all messages that wait for their turn.
        spoken: the last call that is over: its draft and those before it are of no use any more.
    """

    cursor: int
    since: int | None
    messages: Sequence[MessageView]
    turn: TurnView | None
    spoken: Mapping[str, int] | None
    waiting: Sequence[str]

    def frame(self, view: View) -> Frame:
        """Return the frame for people with or without the controls of the turn."""
        may_act = cast("bool", view)
        context = {"turn": self.turn, "may_act": may_act}
        return {
            "type": "conversation",
            "snapshot": self.since is None,
            "from": self.since or 0,
            "to": self.cursor,
            "messages": _lines(self.messages, may_act=may_act),
            "spoken": self.spoken,
            "waiting": self.waiting,
            "turn": render_to_string("agents/_turn_state.html", context),
        }


class HeadPart:
    """Shows what the session does and how full its context is; everybody sees it alike."""

    name = "session"

    def view(self, session_id: UUID, viewer: Viewer) -> None:
        """Return nothing: there is one view."""

    def read(self, session: AgentSession, cursors: Collection[Cursor]) -> Mapping[Cursor, "HeadUpdate"]:
        """Return the head for everybody who may have another one; the cursor is a digest of its source."""
        budget = json_values.encode(session.last_budget)
        place = place_in_queue(session)
        archived = session.archived_at is not None
        source = (
            f"{session.status} {place} {archived} {session.conversation_revision} {budget} {session.title}"
        )
        digest = hashlib.sha256(source.encode()).hexdigest()
        behind = [cursor for cursor in cursors if cursor != digest]
        if not behind:
            return {}
        turn = turn_view(session.pk)
        status = {
            "status": session.status,
            "turn_number": turn.number if turn else None,
            "model": session.settings.get("model", ""),
            "place": place,
            "archived": archived,
        }
        update = HeadUpdate(
            cursor=digest,
            title=session.title,
            status=render_to_string("agents/_status.html", status),
            budget=render_to_string("agents/_budget.html", {"budget": budget_view(session)}),
        )
        return dict.fromkeys(behind, update)

    def transition(self, session: AgentSession, old: View, new: View) -> None:
        """Return nothing: the one view never changes."""


@dataclass(frozen=True)
class HeadUpdate:
    """The head of the page."""

    cursor: str
    title: str
    status: str
    budget: str

    def frame(self, view: View) -> Frame:
        """Return the frame for everybody."""
        return {"type": "session", "title": self.title, "status": self.status, "budget": self.budget}


class _Messages:
    """The messages of one read, for watchers at different cursors."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._rows = told(session)

    def since(self, cursor: int | None) -> tuple[int | None, Sequence[MessageView]]:
        """Return where the update starts (None: it is a snapshot) and its lines."""
        changed = None if cursor is None else self._changed(cursor)
        if changed is None:
            page = conversation_page(self._session)
            return None, [*page.messages, *page.waiting]
        marks = markers(self._session, Q(revision__gt=cursor or 0))
        return cursor, [*changed, *marks, *waiting_views(self._session)]

    def _changed(self, cursor: int) -> Sequence[MessageView] | None:
        """Return the views that changed after the cursor; None when there are too many to list."""
        if cursor > self._session.conversation_revision:
            return None
        rows = list(self._rows.filter(revision__gt=cursor).order_by("sequence")[: PAGE_SIZE + 1])
        if len(rows) > PAGE_SIZE:
            return None
        if not rows:
            return ()
        around = self._around(rows[0].sequence, rows[-1].sequence)
        if len(around) > WIDEST_WINDOW:
            return None
        answered = set[str]().union(*map(called_by, rows))
        shown = {row.pk for row in rows} | {row.pk for row in around if calls_of(row) & answered}
        return [view for view in message_views(self._session, around) if view.id in shown]

    def _around(self, first: int, last: int) -> Sequence[Message]:
        """Return the rows from ``first`` to ``last`` with the calls before them and the results behind."""
        replies = self._rows.filter(role="assistant").values_list("sequence", flat=True)
        start = replies.filter(sequence__lt=first).order_by("-sequence").first() or first
        following = replies.filter(sequence__gt=last).order_by("sequence").first()
        rows = self._rows.filter(sequence__gte=start).order_by("sequence")
        if following is not None:
            rows = rows.filter(sequence__lt=following)
        return list(rows[: WIDEST_WINDOW + 1])


def _waiting_ids(session: AgentSession) -> Sequence[str]:
    queued = session.turns.filter(status=Turn.Status.QUEUED)
    return [f"message-{turn_id}" for turn_id in queued.values_list("pk", flat=True)]


def _lines(views: Sequence[MessageView], *, may_act: bool) -> Sequence[Mapping[str, str]]:
    return [
        {
            "id": f"message-{view.id}",
            "html": render_to_string("agents/_message.html", {"message": view, "may_act": may_act}),
        }
        for view in views
    ]
