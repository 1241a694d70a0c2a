"""Histories as files of JSON lines beside the session files."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from agents.context import json_values
from agents.context.errors import StorageUnusable
from agents.context.journal import JournalEntry, JournalQuery, matching
from agents.context.session_files import file_name

logger = logging.getLogger(__name__)


class FileHistoryJournal:
    """``<session>.history.jsonl`` in one folder; a line that cannot be read is skipped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def append(self, session_id: str, entries: Sequence[JournalEntry]) -> None:
        """Add entries at the end, in order, in one write.

        Raises:
            StorageUnusable: the folder cannot be written to.
        """
        lines = "".join(f"{json_values.encode(entry)}\n" for entry in entries)
        path = self._path(session_id)
        with self._lock:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("ab+") as file:
                    file.write((_missing_line_end(path) + lines).encode())
            except OSError as reason:
                raise StorageUnusable(path.parent, reason.strerror or reason) from reason

    def read(self, session_id: str, query: JournalQuery | None = None) -> list[JournalEntry]:
        """Return the matching entries, oldest first."""
        return list(matching(self.stream(session_id), query or {}))

    def stream(self, session_id: str) -> Iterator[JournalEntry]:
        """Yield all entries, oldest first; a history that does not exist is empty."""
        path = self._path(session_id)
        if not path.exists():
            return
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                entry = _parse(line)
                if entry is None:
                    logger.warning("Line %d of %s is no history entry and is skipped", number, path.name)
                else:
                    yield entry

    def count(self, session_id: str) -> int:
        """Return the number of readable entries."""
        return sum(1 for _ in self.stream(session_id))

    def clear(self, session_id: str) -> None:
        """Remove the file."""
        self._path(session_id).unlink(missing_ok=True)

    def get_location(self, session_id: str) -> str:
        """Return the path of the file."""
        return str(self._path(session_id))

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{file_name(session_id)}.history.jsonl"


def _missing_line_end(path: Path) -> str:
    """Return a line break when a crash left the last line half written, so that the next one is whole."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if size == 0:
            return ""
        file.seek(size - 1)
        return "" if file.read(1) == b"\n" else "\n"


def _parse(line: str) -> JournalEntry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(entry, dict) and isinstance(entry.get("item"), dict) and "type" in entry
    if not fits or not all(isinstance(entry.get(name), int) for name in ("timestamp", "turnIndex")):
        return None
    return cast("JournalEntry", entry)
