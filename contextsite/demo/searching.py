"""A search for one text, line by line, over many files in bounded memory."""

from typing import BinaryIO

from agents.context.json_values import JSON
from contextsite.demo.counting import CHUNK_BYTES, SNIFFED_BYTES


class LineSearch:
    """Counts the lines that hold a text.

    Attributes:
        unreadable: files that could not be opened, counted by whoever opens them.
    """

    def __init__(self, needle: bytes) -> None:
        self._needle = needle
        self._found: list[tuple[int, str, int]] = []
        self._searched = self._binary = 0
        self.unreadable = 0

    @property
    def is_possible(self) -> bool:
        """Whether a line can hold the text at all."""
        return bool(self._needle) and b"\n" not in self._needle

    def add(self, path: str, file: BinaryIO) -> None:
        """Search one file; a binary one is only counted as such."""
        chunk = file.read(CHUNK_BYTES)
        if b"\x00" in chunk[:SNIFFED_BYTES]:
            self._binary += 1
            return
        self._searched += 1
        lines = _Lines(self._needle)
        while chunk:
            lines.feed(chunk)
            chunk = file.read(CHUNK_BYTES)
        if lines.hits:
            self._found.append((lines.hits, path, lines.first))

    def answer(self, limit: int) -> dict[str, JSON]:
        """Return the sums and the ``limit`` files with most hits, those in byte order when equal."""
        ranked = sorted(self._found, key=lambda found: (-found[0], found[1].encode()))
        return {
            "lines": sum(found[0] for found in self._found),
            "files_with_text": len(self._found),
            "files": [
                {"path": path, "lines": hits, "first_line": first} for hits, path, first in ranked[:limit]
            ],
            "searched": self._searched,
            "binary": self._binary,
            "unreadable": self.unreadable,
        }


class _Lines:
    """Counts the lines of one file that hold the text, fed chunk by chunk.

    Attributes:
        hits: lines with the text.
        first: number of the first of them, 0 for none.
    """

    def __init__(self, needle: bytes) -> None:
        self.hits = self.first = 0
        self._needle = needle
        self._number = 1
        self._is_hit = False
        # The end of the line so far, in which the text may have begun.
        self._tail = b""

    def feed(self, chunk: bytes) -> None:
        if self._needle in self._tail + chunk:
            for index, piece in enumerate(chunk.split(b"\n")):
                self._feed_piece(piece, starts_line=index > 0)
        else:
            self._skip(chunk)

    def _feed_piece(self, piece: bytes, *, starts_line: bool) -> None:
        if starts_line:
            self._number += 1
            self._is_hit, self._tail = False, b""
        window = self._tail + piece
        if not self._is_hit and self._needle in window:
            self._is_hit = True
            self.hits += 1
            self.first = self.first or self._number
        self._keep_tail(window)

    def _skip(self, chunk: bytes) -> None:
        newlines = chunk.count(b"\n")
        if newlines:
            self._number += newlines
            self._is_hit, self._tail = False, b""
        self._keep_tail(self._tail + chunk.rpartition(b"\n")[2])

    def _keep_tail(self, window: bytes) -> None:
        self._tail = window[max(0, len(window) - len(self._needle) + 1) :]
