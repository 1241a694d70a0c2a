"""Formulas: TeX to MathML, or the source and the reason where that is not possible."""

import re
from functools import lru_cache

from math_core import LatexError, LatexToMathML

from memory.rendering.blocks.code import source_block
from memory.rendering.fill import Draft
from memory.rendering.guard import RenderRefused
from memory.rendering.sanitize import SafeHTML, escape, formula_html
from memory.rendering.tex import is_display, without_marks

# math-core descends into what is nested and would overflow a small stack, which ends the process.
_MAX_DEPTH = 50
_DEPTH_MARKS = re.compile(r"\\[{}\\]|[{}]|\\(?:begin|end|left|right)(?![a-zA-Z])")
_DEEPER = {"{", "\\begin", "\\left"}
_HIGHER = {"}", "\\end", "\\right"}
_COMMAND_RUN = re.compile(r"(?:\\[a-zA-Z]+\s*|[\^_]\s*){40}")

# What writers use and math-core does not know, in words that it knows.
_REWRITES = (
    (re.compile(r"\\(begin|end)\{split\}"), r"\\\1{aligned}"),
    (re.compile(r"\\begin\{smallmatrix\}"), r"{\\scriptstyle\\begin{matrix}"),
    (re.compile(r"\\end\{smallmatrix\}"), r"\\end{matrix}}"),
    (re.compile(r"\\(begin|end)\{eqnarray(\*?)\}"), r"\\\1{align\2}"),
    (re.compile(r"\\begin\{alignat(\*?)\}\s*\{\d+\}"), r"\\begin{align\1}"),
    (re.compile(r"\\end\{alignat(\*?)\}"), r"\\end{align\1}"),
)
_LABEL = re.compile(r"\\label\{[^{}]*\}")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")
# A wide formula scrolls; the group tells what is being scrolled.
_SCROLLS = 'class="md-display" tabindex="0" role="group" aria-label="Formula"'
_NUMBERED = re.compile(r"\\begin\{(?:equation|align|gather|multline)\}")
_TAG = re.compile(r"\\tag\*?\{([^{}]*)\}")
_MACROS = {"substack": r"{\scriptstyle\begin{matrix}#1\end{matrix}}"}

# The page's policy forbids style attributes; a class stands for each declaration that matters.
_STYLE = re.compile(r' style="([^"]*)"')
_DECLARATIONS = {
    "border-left: 0.05em solid currentcolor": "md-m-bl",
    "border-right: 0.05em solid currentcolor": "md-m-br",
    "border-top: 0.05em solid currentcolor": "md-m-bt",
    "border-bottom: 0.05em solid currentcolor": "md-m-bb",
    "padding-bottom: 0": "md-m-pb0",
    "padding-left: 0": "md-m-pl0",
    "padding-left: 0.1em": "md-m-pl1",
    "padding-left:1em": "md-m-pl10",
    "padding-right: 0": "md-m-pr0",
    "padding-right: 0.1em": "md-m-pr1",
    "padding-top: 0": "md-m-pt0",
    "text-align: left": "md-m-l",
    "text-align: right": "md-m-r",
    "width: 100%": "md-m-w100",
    "width: 50%": "md-m-w50",
    "width: 7.5%": "md-m-w7",
}
_COLOR = re.compile(r"color:\s*(#[0-9A-Fa-f]{6})")
# The stylesheet draws lines through a formula by its notation.
_STRIKES = re.compile(r'<mrow class="menclose-[a-z]+"></mrow>')
_TEXT_MARKUP = re.compile(r"</?(?:b|i|code)>")

# Tables are set in full size, even where small type was asked for.
_FULL_SIZE = ' scriptlevel="0">'
_SMALL_TABLE = f'scriptlevel="1"><mtable displaystyle="false"{_FULL_SIZE}'

_MAX_MATHML_CHARS = 100_000

_converter = LatexToMathML(macros=_MACROS, fancy_error=False, allow_unreliable_rendering=True)


class FormulaRefused(Exception):
    """A formula cannot be shown as one; the text says why."""


def formula(source: str, draft: Draft) -> str:
    """Return a formula, given with its marks, as MathML and its labels, or as its source and the reason."""
    display = is_display(source)
    tex = without_marks(source).strip()
    try:
        mathml = _mathml(tex, draft, display=display)
    except FormulaRefused as refusal:
        return (
            f'<code class="md-tex">{escape(source)}</code> '
            f'<span class="md-reason">{escape(str(refusal))}</span>'
        )
    attributes = _SCROLLS if display else 'class="md-formula"'
    return f"<span {attributes}>{draft.slot(mathml)}</span>{_labels(tex)}"


def math_block(source: str, info: str, draft: Draft) -> str:
    """Return a ``math`` block as one formula, or as its source with the reason above it.

    What stands behind the language is shown above the formula.
    """
    try:
        mathml = _mathml(source.strip(), draft, display=True)
    except FormulaRefused as refusal:
        return source_block(source, info, f"Formula not shown: {refusal}", draft)
    label = f'<p class="muted">{escape(info)}</p>' if info.split()[1:] else ""
    return f"{label}<div {_SCROLLS}>{draft.slot(mathml)}</div>{_labels(source)}\n"


def _labels(tex: str) -> str:
    """Return the names by which other formulas refer to this one; nothing typesets them."""
    labels = " ".join(_LABEL.findall(tex))
    return f' <code class="md-tex">{escape(labels)}</code>' if labels else ""


def _mathml(tex: str, draft: Draft, *, display: bool) -> SafeHTML:
    draft.formulas += 1
    if draft.formulas > draft.settings.max_formulas:
        raise FormulaRefused(f"more than {draft.settings.max_formulas} formulas")
    if len(tex) > draft.settings.max_tex_chars:
        raise FormulaRefused(f"longer than {draft.settings.max_tex_chars:,} characters")
    if not tex:
        raise FormulaRefused("empty")
    if _COMMENT.search(tex):
        raise FormulaRefused(r"% begins a comment in a formula; write \%")
    if _depth(tex) > _MAX_DEPTH:
        raise FormulaRefused("nested too deeply")
    if _COMMAND_RUN.search(tex):
        raise FormulaRefused("too many commands in a row")
    draft.features.add("math")
    return typeset(tex, display)


@lru_cache(maxsize=1024)
def typeset(tex: str, display: bool) -> SafeHTML:
    """Return the MathML of TeX that passed the limits; the last ones are remembered."""
    known = _in_known_words(tex)
    try:
        raw = _converter.convert_with_local_state(known, displaystyle=display)
    except LatexError as error:
        raise FormulaRefused(_reason(str(error), has_place=known == tex)) from error
    if len(raw) > _MAX_MATHML_CHARS:
        raise FormulaRefused("its macros make it too large")
    raw = _STYLE.sub(_class_of_style, _STRIKES.sub("", _TEXT_MARKUP.sub("", raw)))
    raw = raw.replace(_SMALL_TABLE, _SMALL_TABLE.removesuffix(_FULL_SIZE) + ">")
    # A combining low line would be drawn under its own box; browsers know no such entity.
    raw = raw.replace('stretchy="true">\u0332<', 'stretchy="true">\u203e<')
    try:
        return formula_html(raw.replace("&ApplyFunction;", "\u2061"))
    except RenderRefused as refusal:
        raise FormulaRefused(str(refusal)) from refusal


def _in_known_words(tex: str) -> str:
    tex = _LABEL.sub("", tex)
    for pattern, replacement in _REWRITES:
        tex = pattern.sub(replacement, tex)
    return tex if _NUMBERED.search(tex) else _TAG.sub(r"\\qquad\\text{(\1)}", tex)


def _class_of_style(match: re.Match[str]) -> str:
    style = match.group(1)
    names = [_DECLARATIONS[item] for item in map(str.strip, style.split(";")) if item in _DECLARATIONS]
    color = _COLOR.search(style)
    return (f' class="{" ".join(names)}"' if names else "") + (
        f' mathcolor="{color.group(1)}"' if color else ""
    )


def _depth(tex: str) -> int:
    depth = deepest = 0
    for mark in _DEPTH_MARKS.findall(tex):
        depth += (mark in _DEEPER) - (mark in _HIGHER)
        deepest = max(deepest, depth)
    return deepest


def _reason(error: str, *, has_place: bool) -> str:
    """Return math-core's message, which begins with a position, as a sentence part."""
    place, colon, message = error.partition(": ")
    if not (colon and place.isdigit()):
        return error[:200]
    message = message[:200].rstrip(".")
    return f"{message} (at character {int(place) + 1})" if has_place else message
