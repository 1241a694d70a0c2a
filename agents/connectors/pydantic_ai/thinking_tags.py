"""Thinking that local models write in tags before their answer, however a server cuts it into pieces."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

OPEN, CLOSE = "<think>", "</think>"
# White space before the first tag; more is no template's.
_MOST_HELD = 100


class _Place(Enum):
    BEFORE = auto()
    INSIDE = auto()
    BEHIND = auto()
    TEXT = auto()


class ThinkingTags:
    """Cuts a text anew so that each tag is a piece of its own, as pydantic-ai wants it.

    Tags count at the very beginning only; behind it a model may write about them.
    """

    def __init__(self) -> None:
        self._place = _Place.BEFORE
        self._held = ""

    def pieces(self, text: str, *, is_last: bool) -> Iterator[str]:
        """Yield what can be told by now; what may become a tag is held until more comes, or the last."""
        self._held += text
        if self._place is _Place.BEFORE:
            yield from self._begin(is_last=is_last)
        if self._place is _Place.INSIDE:
            yield from self._think(is_last=is_last)
        if self._place is _Place.BEHIND:
            self._held = self._held.lstrip()
            self._place = _Place.TEXT if self._held else _Place.BEHIND
        if self._place is _Place.TEXT and self._held:
            held, self._held = self._held, ""
            # As one piece it would be taken for a tag.
            yield from (held[0], held[1:]) if held == OPEN else (held,)

    def _begin(self, *, is_last: bool) -> Iterator[str]:
        start = self._held.lstrip()
        if start.startswith(OPEN):
            self._place, self._held = _Place.INSIDE, start.removeprefix(OPEN)
            yield OPEN
        elif is_last or not OPEN.startswith(start) or len(self._held) > _MOST_HELD:
            self._place = _Place.TEXT

    def _think(self, *, is_last: bool) -> Iterator[str]:
        thought, tag, rest = self._held.partition(CLOSE)
        if not tag and not is_last:
            sizes = range(len(CLOSE) - 1, 0, -1)
            rest = next((CLOSE[:size] for size in sizes if thought.endswith(CLOSE[:size])), "")
            thought = thought.removesuffix(rest)
        self._held = rest
        if thought:
            yield thought
        if tag:
            self._place = _Place.BEHIND
            yield CLOSE
