"""Lines, words and bytes as ``wc`` counts them, of one file and summed over many, in bounded memory."""

import codecs
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from agents.context.json_values import JSON
from contextsite.demo.tree import path_text

CHUNK_BYTES = 1024 * 1024
# A NUL this early makes a file binary, the rule of grep and git.
SNIFFED_BYTES = 8192
NO_TYPE = "no extension"
OTHER_TYPES = "other extensions"
MAX_TYPES = 40
MAX_TYPE_CHARACTERS = 12

# What GNU wc passes over in a UTF-8 locale: control characters, unassigned ones and the two separators that
# are neither printed nor blank. Tab to carriage return are white space although they are control characters.
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cn", "Zl", "Zp"})
_WHITE_CONTROLS = frozenset("\t\n\v\f\r")
_WORD_JOINER = "\u2060"


@dataclass(frozen=True)
class Counts:
    """What one file holds.

    Attributes:
        lines: newline characters, so a last line without one is not counted.
        words: as GNU wc up to 9.4 counts them in a UTF-8 locale: white space separates, bytes that are not
            UTF-8 and control characters are passed over. Later releases count words of such bytes too,
            which differs in binary files only.
        bytes: the size.
        longest_line: bytes of the longest line, without its newline.
        is_binary: a NUL among the first 8 kB.
    """

    lines: int
    words: int
    bytes: int
    longest_line: int
    is_binary: bool

    def columns(self) -> dict[str, JSON]:
        """Return what was counted by name."""
        return {
            "lines": self.lines,
            "words": self.words,
            "bytes": self.bytes,
            "longest_line": self.longest_line,
            "binary": self.is_binary,
        }


def count(file: BinaryIO) -> Counts:
    """Return the counts of everything left to read in the file."""
    words = _Words()
    lines = size = longest = line = 0
    is_binary = False
    while chunk := file.read(CHUNK_BYTES):
        is_binary = is_binary or (size == 0 and b"\x00" in chunk[:SNIFFED_BYTES])
        size += len(chunk)
        lines += chunk.count(b"\n")
        words.feed(chunk)
        first, *rest = chunk.split(b"\n")
        line += len(first)
        if rest:
            longest = max(longest, line, *map(len, rest[:-1]))
            line = len(rest[-1])
        longest = max(longest, line)
    return Counts(lines, words.count, size, longest, is_binary)


class _Words:
    """Counts words across chunks."""

    def __init__(self) -> None:
        self.count = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self._is_inside = False

    def feed(self, chunk: bytes) -> None:
        text = _as_wc_reads(self._decoder.decode(chunk))
        if not text:
            return
        self.count += len(text.split())
        if self._is_inside and not text[0].isspace():
            self.count -= 1
        self._is_inside = not text[-1].isspace()


def _as_wc_reads(text: str) -> str:
    """Return the text without what wc passes over, the word joiner as the blank it is to wc."""
    odd: dict[int, str | None] = {
        ord(character): None
        for character in set(text) - _WHITE_CONTROLS
        if unicodedata.category(character) in _UNSEEN_CATEGORIES
    }
    if _WORD_JOINER in text:
        odd[ord(_WORD_JOINER)] = " "
    return text.translate(odd) if odd else text


def file_type(path: bytes) -> str:
    """Return the extension in lower case, such as ``.py``; missing and odd ones are ``no extension``."""
    suffix = PurePosixPath(path_text(path)).suffix.lower()
    return suffix if suffix[1:].isalnum() and len(suffix) <= MAX_TYPE_CHARACTERS else NO_TYPE


class Tally:
    """Counts summed over files, by type of file, with the extremes by name.

    Attributes:
        files: files added.
    """

    def __init__(self) -> None:
        self.files = 0
        self._sums: Counter[str] = Counter()
        self._types: dict[str, Counter[str]] = {}
        self._named: list[tuple[bytes, Counts]] = []

    def add(self, path: bytes, counts: Counts) -> None:
        """Add one file."""
        self.files += 1
        sums = Counter(
            lines=counts.lines, words=counts.words, bytes=counts.bytes, binary=int(counts.is_binary)
        )
        self._sums += sums
        kind = self._types.setdefault(file_type(path), Counter())
        kind.update(files=1, lines=counts.lines, bytes=counts.bytes)
        self._named.append((path, counts))

    def answer(self, top: int) -> dict[str, JSON]:
        """Return sums, ``by_type`` (most lines first, rare types summed up) and the ``top`` extremes."""
        sums: dict[str, JSON] = {name: self._sums[name] for name in ("lines", "words", "bytes", "binary")}
        return {
            **sums,
            "by_type": self._by_type(),
            "largest": self._extremes("bytes", top),
            "longest_lines": self._extremes("longest_line", top),
        }

    def _by_type(self) -> dict[str, JSON]:
        ranked = sorted(self._types.items(), key=lambda kind: (-kind[1]["lines"], -kind[1]["files"], kind[0]))
        shown = dict(ranked[:MAX_TYPES])
        for _, sums in ranked[MAX_TYPES:]:
            shown.setdefault(OTHER_TYPES, Counter()).update(sums)
        return {name: dict(sums) for name, sums in shown.items()}

    def _extremes(self, column: str, top: int) -> list[JSON]:
        ranked = sorted(self._named, key=lambda named: (-getattr(named[1], column), named[0]))
        return [{"path": path_text(path), **counts.columns()} for path, counts in ranked[:top]]
