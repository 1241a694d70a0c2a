"""A text that is still being written: its finished blocks, each given once, and never too often."""

import itertools
import re
from collections.abc import Callable

from memory.rendering.guard import DEFAULT_SETTINGS
from memory.rendering.parser import top_level_starts

QUIET_MS = 150
"""Least time between two looks at one growing text."""

# Every look parses the rest again; a longer rest, such as a long code block, is looked at less often.
_CHARS_PER_LOOK = 8_000

# As the parser counts them: Python's own lines end at more characters.
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")

Split = Callable[[str], tuple[list[str], str]]


def split_finished(text: str) -> tuple[list[str], str]:
    """Return the blocks that no further text can change, and the rest; joined they are the text.

    A block is a paragraph, list, table, fenced block or the like, with the lines up to the next one. Only
    whole lines count, and the last block is never finished: give the rest, with what was written since, to
    the next call. A text over the limit of one message has no finished blocks.
    """
    written = text.rfind("\n") + 1
    if written == 0 or len(text) > DEFAULT_SETTINGS.max_chars:
        return [], text
    lines = _LINE.findall(text[:written])
    # What stands before the first block belongs to it.
    starts = [0, *top_level_starts(text[:written])[1:]]
    blocks = ["".join(lines[start:end]) for start, end in itertools.pairwise(starts)]
    return blocks, text[sum(map(len, blocks)) :]


class GrowingText:
    """Follows one text as it is written.

    Attributes:
        tail: what was written behind the finished blocks.
    """

    def __init__(self, split: Split = split_finished) -> None:
        self.tail = ""
        self._split = split
        self._looked_ms: float | None = None

    def add(self, more: str, now_ms: float) -> list[str]:
        """Return the blocks that are finished since the last call; none while it is too early to look.

        ``now_ms`` is any clock that only goes forward.
        """
        self.tail += more
        pause_ms = QUIET_MS * max(1.0, len(self.tail) / _CHARS_PER_LOOK)
        if self._looked_ms is not None and now_ms - self._looked_ms < pause_ms:
            return []
        self._looked_ms = now_ms
        blocks, self.tail = self._split(self.tail)
        return blocks
