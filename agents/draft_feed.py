"""The part of the feed for pages that come in the middle of an answer: the draft as it was last saved."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agents.conversation import draft_of
from agents.draft import PART_NAME
from agents.feed import Frame
from agents.models import AgentSession
from agents.watcher import Cursor, View, Viewer


class DraftPart:
    """Sends the draft once to each page that has none; what follows it gets in pieces."""

    name = PART_NAME

    def view(self, session_id: UUID, viewer: Viewer) -> None:
        """Return nothing: there is one view."""

    def read(self, session: AgentSession, cursors: Collection[Cursor]) -> Mapping[Cursor, "DraftUpdate"]:
        """Return the draft for pages that ask for it."""
        return {None: DraftUpdate(draft_of(session.pk))} if None in cursors else {}

    def transition(self, session: AgentSession, old: View, new: View) -> None:
        """Return nothing: the one view never changes."""


@dataclass(frozen=True)
class DraftUpdate:
    """A draft as it was last saved, or the news that there is none."""

    draft: Mapping[str, Any] | None
    cursor: Cursor = "sent"

    def frame(self, view: View) -> Frame:
        """Return the frame for everybody."""
        return {"type": "draft", "draft": self.draft}
