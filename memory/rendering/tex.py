"""Parser rules that find formulas: TeX between dollars, brackets or the marks of an environment."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

# Where the closing mark is looked for; what is longer stays text.
_MAX_SOURCE_CHARS = 2_100
_MAX_LINES = 200

# As on GitHub, so that prices and shell variables stay text: nothing but TeX touches the inside of the
# marks, no letter or digit the outside, and code is not looked into.
_DOLLARS = re.compile(
    r"(?<!\w)(?:\$\$(?:\\.|[^\\$`])+\$\$|\$(?![\s$])(?:\\.|[^\\$`])*(?<=\S)\$)(?![\w$])", re.DOTALL
)
_CLOSING = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
_ENVIRONMENT = r"(?:equation|align|alignat|eqnarray|flalign|gather|multline)\*?"
_OPENING = re.compile(rf"\$\$|\\\[|\\begin\{{(?P<environment>{_ENVIRONMENT})\}}")
_INLINE = re.compile(r"\$(?!\$)|\\\(")


def is_display(source: str) -> bool:
    """Whether a formula, given with its marks, stands on lines of its own."""
    return _INLINE.match(source) is None


def without_marks(source: str) -> str:
    """Return the TeX of a formula that is given with its marks; an environment's marks are TeX."""
    if source.startswith(("$$", "\\(", "\\[")):
        return source[2:-2]
    return source[1:-1] if source.startswith("$") else source


def tex_inline(state: StateInline, silent: bool) -> bool:
    """Keep a formula as it was written, whose backslashes would otherwise count as escapes."""
    end = _end(state.src, state.pos, min(state.pos + _MAX_SOURCE_CHARS, state.posMax))
    if end is None:
        return False
    if not silent:
        state.push("tex", "", 0).content = state.src[state.pos : end]
    state.pos = end
    return True


def tex_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """Take a formula that fills whole lines, whose lines would otherwise become lists, headings or quotes."""
    opening = None if state.is_code_block(first) else _OPENING.match(_line(state, first))
    if opening is None:
        return False
    environment = opening["environment"]
    closing = f"\\end{{{environment}}}" if environment else _CLOSING[opening[0]]
    lines = _formula_lines(state, first, min(last, first + _MAX_LINES), len(opening[0]), closing)
    source = "\n".join(lines)
    if not source.removeprefix(opening[0]).removesuffix(closing).strip():
        return False
    if not silent:
        token = state.push("tex_block", "", 0)
        token.content = source
        token.map = [first, first + len(lines)]
        state.line = first + len(lines)
    return True


def _formula_lines(state: StateBlock, first: int, last: int, start: int, closing: str) -> list[str]:
    """Return the lines up to the one that ends with the closing mark; none when there is no such line."""
    lines: list[str] = []
    size = 0
    for number in range(first, last):
        line = _line(state, number).rstrip()
        size += len(line)
        if not line or state.sCount[number] < state.blkIndent or size > _MAX_SOURCE_CHARS:
            return []
        lines.append(line)
        place = line.find(closing, start if number == first else 0)
        if place >= 0:
            return lines if place + len(closing) == len(line) else []
    return []


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _end(source: str, start: int, limit: int) -> int | None:
    mark = source[start : start + 2]
    if mark in {"\\(", "\\["}:
        end = source.find(_CLOSING[mark], start + 2, limit)
        return end + 2 if source[start + 2 : max(end, 0)].strip() else None
    found = _DOLLARS.match(source, start, limit)
    return found.end() if found else None
