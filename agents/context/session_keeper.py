"""Saving and loading the session of a context."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from agents.context import json_values
from agents.context.errors import SessionIdMissing, StorageMissing
from agents.context.kinds import WORD, check_kind
from agents.context.storage import ContextState, ContextStorage, StoredSession, metadata_of

if TYPE_CHECKING:
    from agents.context.journal import JournalRecorder
    from agents.context.json_values import JSON


class SessionKeeper:
    """Knows the session id and the host's metadata, and moves states in and out of the storage.

    Every method that takes an id raises InvalidOption for what is none.

    Attributes:
        storage: None when sessions cannot be kept.
        session_id: None until the first save or load.
        metadata: the host's, kept from one save to the next.
    """

    def __init__(self, storage: ContextStorage | None, recorder: JournalRecorder) -> None:
        self.storage = storage
        self.session_id: str | None = None
        self.metadata: dict[str, JSON] = {}
        self._recorder = recorder

    def save(
        self, session_id: str, capture: Callable[[], ContextState], metadata: Mapping[str, JSON]
    ) -> None:
        """Store the state under the id, with the metadata so far and what is given now."""
        storage = self._storage_for(session_id)
        json_values.check(session_id, "session_id")
        together = self.metadata | dict(metadata)
        state = capture()
        state["metadata"] = together | state["metadata"]
        storage.save(session_id, state, together)
        self.session_id, self.metadata = session_id, together
        self._recorder.session_id = session_id
        self._recorder.flush()

    def load(self, session_id: str, restore: Callable[[ContextState], None]) -> StoredSession | None:
        """Return what was loaded; None, and nothing has changed, when there is no such session."""
        stored = self._storage_for(session_id).load(session_id)
        if stored is None:
            return None
        metadata = metadata_of(stored)
        restore(stored.get("state"))
        self.session_id, self.metadata = session_id, metadata
        self._recorder.session_id = session_id
        self._recorder.discard()
        return stored

    def last_turn(self) -> int:
        """Return the highest turn in the history of the session, 0 without one."""
        journal, session_id = self._recorder.journal, self.session_id
        if journal is None or session_id is None:
            return 0
        return max((entry["turnIndex"] for entry in journal.stream(session_id)), default=0)

    def exists(self, session_id: str) -> bool:
        """Tell whether there is such a session."""
        return self._storage_for(session_id).exists(session_id)

    def delete(self, session_id: str | None) -> bool:
        """Return whether there was a session to delete; without an id the current one.

        Raises:
            SessionIdMissing: when there is no current one.
        """
        wanted = self.session_id if session_id is None else session_id
        if wanted is None:
            self.require_storage()
            raise SessionIdMissing
        deleted = self._storage_for(wanted).delete(wanted)
        if wanted == self.session_id:
            self.session_id = self._recorder.session_id = None
        return deleted

    def require_storage(self) -> ContextStorage:
        """Return the storage.

        Raises:
            StorageMissing: when the context has none.
        """
        if self.storage is None:
            raise StorageMissing
        return self.storage

    def _storage_for(self, session_id: str) -> ContextStorage:
        storage = self.require_storage()
        check_kind("session_id", session_id, WORD)
        return storage
