"""Markdown that stays what it was meant to be whatever names and texts it is filled with."""

import re
from collections.abc import Sequence

_LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_BACKTICKS = re.compile("`+")


def code(text: str) -> str:
    """Return the text as inline code on one line, also fit for the cell of a table."""
    line = _LINE_BREAKS.sub("\u2424", text).replace("|", "\\|")
    fence = "`" * (max(map(len, _BACKTICKS.findall(line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line.strip() else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is text and whose others are numbers; cells are Markdown."""
    rule = ["---", *("---:" for _ in heads[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows))


def amount(number: int, noun: str) -> str:
    """Return the number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
