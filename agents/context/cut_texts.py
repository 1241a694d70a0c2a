"""The note at the end of a text that was cut: how it is written, and known again."""

from __future__ import annotations

import re
from typing import NamedTuple

NOTES_STORE = "notes"

_BEGIN = "[Cut: "
_GAP = "\n\n"
_NOTE = re.compile(
    r"\[Cut: \d+\.\d KB, of which the first \d+\.\d KB are shown\. "
    rf'Read all of it with store_get\("{NOTES_STORE}", "(?P<key>[^"]+)"\)\.\]'
)


class CutText(NamedTuple):
    """What a text says that looks as if it had been cut; anybody can write such a text.

    Attributes:
        shown: its beginning, without the note.
        key: where all of it can be read, by its own words.
    """

    shown: str
    key: str


def cut_text(text: str, shown: int, key: str | None) -> str:
    """Return the first ``shown`` characters and a note that tells what is missing, and where it is."""
    where = f' Read all of it with store_get("{NOTES_STORE}", "{key}").' if key else ""
    sizes = f"{_kilobytes(text)} KB, of which the first {_kilobytes(text[:shown])} KB are shown"
    note = f"{_BEGIN}{sizes}.{where}]"
    return f"{text[:shown]}{_GAP}{note}" if shown else note


def read_cut(text: str) -> CutText | None:
    """Return what a text with a note that names a key says, None for any other text."""
    before = text.rpartition(_BEGIN)[0]
    note = _NOTE.fullmatch(text, len(before))
    if note is None or (before and not before.endswith(_GAP)):
        return None
    return CutText(before.removesuffix(_GAP), note["key"])


def _kilobytes(text: str) -> str:
    return f"{len(text.encode('utf-8', 'replace')) / 1024:.1f}"
