"""Sessions as JSON files, one folder per agent; what the TypeScript library wrote is read too."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from agents.context import json_values
from agents.context.errors import NewerState, SessionUnreadable, StorageUnusable, words_of
from agents.context.file_journal import FileHistoryJournal
from agents.context.home import home_folder
from agents.context.ids import Clock, check_clock, wall_clock
from agents.context.session_files import file_name, write_atomically
from agents.context.storage import (
    ContextState,
    SessionQuery,
    SessionSummary,
    StoredSession,
    selected,
    summary_of,
)

if TYPE_CHECKING:
    from agents.context.json_values import JSON

logger = logging.getLogger(__name__)

FILE_VERSION = 1
_INDEX = "_index.json"
# A session may be larger and deeper than one value: its parts were checked when they came in.
_NO_LIMIT = 1 << 40
_MAX_DEPTH = 128
# The last is what deeply nested lists raise.
_UNREADABLE = (OSError, ValueError, RecursionError)


class FileContextStorage:
    """``<root>/agents/<agent>/sessions/<session>.json``.

    The index beside the sessions only saves reading them: it is checked against the files at every listing
    and rebuilt where it differs, so it can be missing, old or broken.

    Args:
        agent_id: whose sessions they are.
        root: default ``CONTEXTSITE_HOME`` or ``~/.contextsite``.
        clock: epoch milliseconds.

    Raises:
        InvalidOption: for an id that is none, and a clock that gives no time.
    """

    def __init__(self, *, agent_id: str, root: str | Path | None = None, clock: Clock = wall_clock) -> None:
        self.folder = Path(root or home_folder()) / "agents" / file_name(agent_id) / "sessions"
        self.journal = FileHistoryJournal(self.folder)
        check_clock(clock)
        self._clock = clock

    def save(self, session_id: str, state: ContextState, metadata: Mapping[str, JSON] | None = None) -> None:
        """Write the session as a whole; the time of creation of an older file stays.

        Raises:
            StorageUnusable: the folder cannot be written to.
            SessionUnreadable, NewerState: there is a session that ``load`` refuses; it is as it was.
        """
        now = _iso(self._clock())
        older = self.load(session_id)
        stored = StoredSession(
            version=FILE_VERSION,
            sessionId=session_id,
            createdAt=older["createdAt"] if older else now,
            lastSavedAt=now,
            state=state,
            metadata=dict(metadata or {}),
        )
        write_atomically(
            self._path(session_id), json_values.encode(stored, max_depth=_MAX_DEPTH, max_bytes=_NO_LIMIT)
        )

    def load(self, session_id: str) -> StoredSession | None:
        """Return the session; None when there is no such file.

        Raises:
            SessionUnreadable: when the file cannot be read or holds no session.
            NewerState: when a newer version wrote it.
        """
        stored = self._read(self._path(session_id))
        if stored is not None and stored["version"] > FILE_VERSION:
            raise NewerState(stored["version"], FILE_VERSION)
        return stored

    def exists(self, session_id: str) -> bool:
        """Tell whether there is such a file."""
        return self._path(session_id).is_file()

    def delete(self, session_id: str) -> bool:
        """Return whether there was a session to delete; its history goes with it.

        Raises:
            StorageUnusable: the folder cannot be written to.
        """
        found = self.exists(session_id)
        try:
            if found:
                self._path(session_id).unlink(missing_ok=True)
            self.journal.clear(session_id)
        except OSError as reason:
            raise StorageUnusable(self.folder, reason.strerror or reason) from reason
        return found

    def list(self, query: SessionQuery | None = None) -> Sequence[SessionSummary]:
        """Return the readable sessions, last saved first; others are left out with a warning in the log."""
        return selected(self._summaries(), query or {})

    def rebuild_index(self) -> None:
        """Read every session again and write the index anew."""
        (self.folder / _INDEX).unlink(missing_ok=True)
        self._summaries()

    def _summaries(self) -> Sequence[SessionSummary]:
        known = self._read_index()
        current: dict[str, dict[str, Any]] = {}
        for path in sorted(self.folder.glob("*.json")):
            if path.name == _INDEX:
                continue
            stamp = _stamp(path)
            line = known.get(path.name, {})
            if line.get("stamp") != stamp:
                line = {"stamp": stamp, "summary": self._summary(path)}
            current[path.name] = line
        if current != known:
            self._write_index(current)
        return [cast("SessionSummary", line["summary"]) for line in current.values() if line["summary"]]

    def _summary(self, path: Path) -> SessionSummary | None:
        try:
            stored = self._read(path)
        except SessionUnreadable as fault:
            logger.warning("Left out of the list of sessions. %s", fault)
            return None
        return summary_of(stored) if stored else None

    def _write_index(self, lines: Mapping[str, Mapping[str, Any]]) -> None:
        try:
            write_atomically(self.folder / _INDEX, json_values.encode({"version": 2, "files": lines}))
        except StorageUnusable as reason:
            logger.warning("Listing will be slow. %s", reason)

    def _read_index(self) -> dict[str, dict[str, Any]]:
        try:
            index = json.loads((self.folder / _INDEX).read_text(encoding="utf-8"))
        except _UNREADABLE:
            return {}
        files = index.get("files") if isinstance(index, dict) else None
        if not isinstance(files, dict):
            return {}
        return {name: line for name, line in files.items() if isinstance(line, dict) and "summary" in line}

    def _read(self, path: Path) -> StoredSession | None:
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, IsADirectoryError):
            return None
        except _UNREADABLE as reason:
            raise SessionUnreadable(path, words_of(reason)) from reason
        if not _is_session(stored):
            raise SessionUnreadable(path, "it does not hold a session")
        return cast("StoredSession", {"version": FILE_VERSION, "metadata": {}, **stored})

    def _path(self, session_id: str) -> Path:
        return self.folder / f"{file_name(session_id)}.json"


def _stamp(path: Path) -> str:
    """Return what changes with the file; a file deleted meanwhile has its own stamp."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return "gone"
    return f"{stat.st_ino}-{stat.st_mtime_ns}-{stat.st_size}"


def _is_session(stored: object) -> bool:
    """Tell whether the fields are there that loading and listing look at, each of its kind."""
    if not isinstance(stored, dict) or not isinstance(stored.get("state"), dict):
        return False
    texts = ("sessionId", "createdAt", "lastSavedAt")
    of_state = {"conversation": list, "pluginStates": dict, "metadata": dict}
    return (
        all(isinstance(stored.get(name), str) for name in texts)
        and isinstance(stored.get("version", FILE_VERSION), int)
        and isinstance(stored.get("metadata", {}), dict)
        and all(isinstance(stored["state"].get(name, kind()), kind) for name, kind in of_state.items())
    )


def _iso(now_ms: int) -> str:
    """Return ISO 8601 in UTC with milliseconds and a Z."""
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
