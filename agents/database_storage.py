"""Sessions of library users in the database: the storage protocol of ``agents.context`` over rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from agents.context import json_values
from agents.context.errors import NewerState
from agents.context.ids import Clock, wall_clock
from agents.context.journal import JournalEntry, JournalQuery, matching
from agents.context.json_values import JSON
from agents.context.storage import (
    ContextState,
    SessionQuery,
    SessionSummary,
    StoredSession,
    selected,
    summary_of,
)
from agents.models import SavedContext, SavedHistoryLine

STORED_VERSION = 1
# A session may be larger and deeper than one value: its parts were checked when they came in.
_NO_LIMIT = 1 << 40
_MAX_DEPTH = 128


class DatabaseHistoryJournal:
    """Histories of one agent's sessions, an entry a row."""

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id

    def append(self, session_id: str, entries: Sequence[JournalEntry]) -> None:
        """Add entries at the end, all or none.

        Raises:
            OSError: the database did not take them.
        """
        lines = [
            SavedHistoryLine(agent_id=self._agent_id, session_id=session_id, entry=_encode(entry))
            for entry in entries
        ]
        try:
            with transaction.atomic():
                SavedHistoryLine.objects.bulk_create(lines)
        except DatabaseError as fault:
            raise OSError("The history could not be written to the database.") from fault

    def read(self, session_id: str, query: JournalQuery | None = None) -> list[JournalEntry]:
        """Return the matching entries, oldest first."""
        return list(matching(self.stream(session_id), query or {}))

    def stream(self, session_id: str) -> Iterator[JournalEntry]:
        """Yield all entries, oldest first, without holding them all."""
        for text in self._lines(session_id).values_list("entry", flat=True).iterator(chunk_size=500):
            yield cast(JournalEntry, json.loads(text))

    def count(self, session_id: str) -> int:
        """Return the number of entries."""
        return self._lines(session_id).count()

    def clear(self, session_id: str) -> None:
        """Forget the history of a session."""
        self._lines(session_id).delete()

    def get_location(self, session_id: str) -> str:
        """Return where the history is, for people."""
        return f"database: agent {self._agent_id}, session {session_id}"

    def _lines(self, session_id: str) -> QuerySet[SavedHistoryLine]:
        lines = SavedHistoryLine.objects.filter(agent_id=self._agent_id, session_id=session_id)
        return lines.order_by("pk")


class DatabaseContextStorage:
    """Sessions of one agent, a session a row.

    Args:
        agent_id: whose sessions they are; other agents' sessions of the same id are others.
        clock: epoch milliseconds.
    """

    def __init__(self, *, agent_id: str, clock: Clock = wall_clock) -> None:
        self._agent_id = agent_id
        self._clock = clock
        self.journal = DatabaseHistoryJournal(agent_id)

    def save(self, session_id: str, state: ContextState, metadata: Mapping[str, JSON] | None = None) -> None:
        """Store the session as a whole; the time of creation of an older state stays."""
        now = datetime.fromtimestamp(self._clock() / 1000, UTC).isoformat(timespec="milliseconds")
        now = now.replace("+00:00", "Z")
        with transaction.atomic():
            older = self._row(session_id)
            stored = StoredSession(
                version=STORED_VERSION,
                sessionId=session_id,
                createdAt=_decode(older.stored)["createdAt"] if older else now,
                lastSavedAt=now,
                state=state,
                metadata=dict(metadata or {}),
            )
            SavedContext.objects.update_or_create(
                agent_id=self._agent_id,
                session_id=session_id,
                defaults={"stored": _encode(stored), "summary": _encode(summary_of(stored))},
            )

    def load(self, session_id: str) -> StoredSession | None:
        """Return what was stored, None when there is nothing.

        Raises:
            NewerState: a newer version wrote it.
        """
        row = self._row(session_id)
        stored = _decode(row.stored) if row else None
        if stored is not None and stored["version"] > STORED_VERSION:
            raise NewerState(stored["version"], STORED_VERSION)
        return stored

    def exists(self, session_id: str) -> bool:
        """Tell whether there is such a session."""
        return SavedContext.objects.filter(agent_id=self._agent_id, session_id=session_id).exists()

    def delete(self, session_id: str) -> bool:
        """Return whether there was a session to delete; its history goes with it."""
        with transaction.atomic():
            self.journal.clear(session_id)
            rows = SavedContext.objects.filter(agent_id=self._agent_id, session_id=session_id)
            return rows.delete()[0] > 0

    def list(self, query: SessionQuery | None = None) -> Sequence[SessionSummary]:
        """Return the sessions, last saved first."""
        rows = SavedContext.objects.filter(agent_id=self._agent_id)
        summaries = [
            cast(SessionSummary, json.loads(text)) for text in rows.values_list("summary", flat=True)
        ]
        return selected(summaries, query or {})

    def _row(self, session_id: str) -> SavedContext | None:
        return SavedContext.objects.filter(agent_id=self._agent_id, session_id=session_id).first()


def _encode(value: object) -> str:
    return json_values.encode(value, max_depth=_MAX_DEPTH, max_bytes=_NO_LIMIT)


def _decode(text: str) -> StoredSession:
    return cast(StoredSession, json.loads(text))
