"""Differences between two texts: lines, words inside changed lines, and which version a line comes from."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# More lines than this are not compared: it would take long, and nobody reads the result.
MOST_LINES = 4_000
MOST_WORDS = 400
# Unchanged lines shown around a change.
CONTEXT = 3
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

Kind = Literal["same", "added", "removed", "gap"]
# A piece of a line, and whether it is what changed in it.
Piece = tuple[str, bool]


@dataclass(frozen=True)
class DiffLine:
    """One line of a comparison.

    Attributes:
        old, new: line numbers; None where the line does not exist.
        hidden: of a gap, how many unchanged lines it stands for.
    """

    kind: Kind
    old: int | None = None
    new: int | None = None
    pieces: Sequence[Piece] = ()
    hidden: int = 0


@dataclass(frozen=True)
class Diff:
    """A comparison; ``is_too_long`` when the texts were not compared."""

    lines: Sequence[DiffLine]
    added: int = 0
    removed: int = 0
    is_too_long: bool = False


def compare(before: str, after: str) -> Diff:
    """Return what changed between two texts, by lines and by words, with a few lines around each change."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) > MOST_LINES or len(new) > MOST_LINES:
        return Diff((), is_too_long=True)
    lines: list[DiffLine] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            lines += _same(new, i1, i2, j1, is_first=i1 == 0, is_last=i2 == len(old))
        else:
            lines += _changed(old[i1:i2], new[j1:j2], i1, j1)
    added, removed = (sum(line.kind == kind for line in lines) for kind in ("added", "removed"))
    return Diff(lines if added or removed else (), added, removed)


def blame(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return each line of the last text with the place of the text that brought it, counted from 0."""
    lines: list[str] = []
    origins: list[int] = []
    for place, text in enumerate(texts):
        fresh = text.splitlines()[:MOST_LINES]
        kept: list[int] = []
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, lines, fresh).get_opcodes():
            kept += origins[i1:i2] if tag == "equal" else [place] * (j2 - j1)
        lines, origins = fresh, kept
    return list(zip(lines, origins, strict=True))


def _same(
    new: Sequence[str], start: int, end: int, new_start: int, *, is_first: bool, is_last: bool
) -> list[DiffLine]:
    shown = [
        DiffLine("same", start + n + 1, new_start + n + 1, [(new[new_start + n], False)])
        for n in range(end - start)
    ]
    head = [] if is_first else shown[:CONTEXT]
    tail = [] if is_last else shown[len(shown) - CONTEXT if len(shown) > CONTEXT else 0 :]
    hidden = len(shown) - len(head) - len(tail)
    if hidden <= 1:
        return shown
    return [*head, DiffLine("gap", hidden=hidden), *tail]


def _changed(old: Sequence[str], new: Sequence[str], old_start: int, new_start: int) -> list[DiffLine]:
    pairs = [_words(was, now) for was, now in zip(old, new, strict=False)]
    removed = [pair[0] for pair in pairs] + [[(line, False)] for line in old[len(pairs) :]]
    added = [pair[1] for pair in pairs] + [[(line, False)] for line in new[len(pairs) :]]
    return [
        *(DiffLine("removed", old_start + n, None, pieces) for n, pieces in enumerate(removed, start=1)),
        *(DiffLine("added", None, new_start + n, pieces) for n, pieces in enumerate(added, start=1)),
    ]


def _words(was: str, now: str) -> tuple[Sequence[Piece], Sequence[Piece]]:
    old, new = _WORDS.findall(was), _WORDS.findall(now)
    plain: tuple[Sequence[Piece], Sequence[Piece]] = ([(was, False)], [(now, False)])
    if len(old) > MOST_WORDS or len(new) > MOST_WORDS:
        return plain
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    # Lines that have little in common are simply another line.
    if matcher.ratio() < 0.5:
        return plain
    before: list[Piece] = []
    after: list[Piece] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for pieces, text in ((before, "".join(old[i1:i2])), (after, "".join(new[j1:j2]))):
            if text:
                pieces.append((text, tag != "equal"))
    return before, after
