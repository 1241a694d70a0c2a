"""The height of a card, chosen once from the first value and then kept, so that a board never jumps."""

import re
from math import ceil
from typing import Literal

from agents.context import json_values
from agents.context.json_values import JSON
from memory.rendering.drawn import DRAWN

CardSize = Literal["xs", "s", "m", "l", "xl"]

# Characters of prose that fit in one line of a card at its usual width.
LINE_CHARACTERS = 60
# The most lines that each height shows without scrolling (xs is 4 board units, xl 15).
_HEIGHTS: tuple[tuple[int, CardSize], ...] = ((2, "xs"), (5, "s"), (9, "m"), (16, "l"))
# A chart of the usual height (200 pixels and its axes) above its folded source.
_DRAWING_LINES = 14
# Longer text is not drawn at all (RenderSettings.max_chars).
_MOST_CHARACTERS = 64_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w-]*)")
# Counting further changes nothing: the card is as high as cards get.
_ENOUGH_LINES = 40


def card_size(value_json: str) -> CardSize:
    """Return the height for a value given as compact JSON text: xs, s, m, l or xl."""
    lines = _lines(json_values.decode(value_json))
    return next((size for most, size in _HEIGHTS if lines <= most), "xl")


def _lines(value: JSON) -> int:
    """Return about how many lines a card needs for the value; at most ``_ENOUGH_LINES``."""
    if isinstance(value, str):
        return min(_text_lines(value, counts_drawings=True), _ENOUGH_LINES)
    total = 0
    # The grid of a record has a row for each field and none for itself.
    waiting: list[JSON] = list(value.values()) if isinstance(value, dict) else [value]
    while waiting and total < _ENOUGH_LINES:
        part = waiting.pop()
        if isinstance(part, str):
            total += _text_lines(part)
            continue
        total += 1
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return min(total, _ENOUGH_LINES)


def _text_lines(text: str, *, counts_drawings: bool = False) -> int:
    total = 0
    drawing = ""
    for line in text[:_MOST_CHARACTERS].splitlines() or [""]:
        fence = _FENCE.match(line) if counts_drawings else None
        if drawing:
            # The source is folded below the picture.
            if fence and fence[1].startswith(drawing) and not fence[2]:
                drawing = ""
        elif fence and fence[2].lower() in DRAWN:
            drawing = fence[1]
            total += _DRAWING_LINES
        else:
            total += max(1, ceil(len(line) / LINE_CHARACTERS))
        if total >= _ENOUGH_LINES:
            break
    return total
