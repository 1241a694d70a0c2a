"""The allow-list of formulas: presentation MathML without a single HTML element, link, style or script."""

import re

TAGS = frozenset(
    {"math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle"}
    | {"mpadded", "mphantom", "msub", "msup", "msubsup", "munder", "mover", "munderover"}
    | {"mmultiscripts", "mprescripts", "mtable", "mtr", "mtd", "menclose"}
)

_CLASSES = re.compile(r"md-m-[a-z0-9]{1,12}(?: md-m-[a-z0-9]{1,12})*")
_LENGTH = re.compile(r"(-?(?:\d{1,3}(?:\.\d{1,8})?|\.\d{1,8}))(em|ex|px|pt|%)?")
_EM_PER_UNIT = {"em": 1.0, "ex": 0.5, "px": 1 / 12, "pt": 1 / 9, "%": 0.01, None: 1.0}
# In em: what moves or grows further would leave its line, or draw over what stands around the formula.
_MOST_UP_OR_DOWN = 3.0
_MOST_ALONG = 20.0
_MOST_LENGTH = {
    **dict.fromkeys(("depth", "height", "linethickness", "maxsize", "minsize", "voffset"), _MOST_UP_OR_DOWN),
    **dict.fromkeys(("lspace", "rspace", "width"), _MOST_ALONG),
}
_FLAG = re.compile(r"true|false")

_VALUES = {
    "class": _CLASSES,
    "columnspan": re.compile(r"\d{1,2}"),
    "form": re.compile(r"prefix|infix|postfix"),
    "mathcolor": re.compile(r"#[0-9a-fA-F]{6}"),
    "mathvariant": re.compile(r"normal"),
    "notation": re.compile(r"[a-z ]{1,60}"),
    "scriptlevel": re.compile(r"[+-]?\d{1,2}"),
    **dict.fromkeys(
        (
            *("accent", "accentunder", "displaystyle", "fence", "largeop", "movablelimits"),
            *("separator", "stretchy", "symmetric"),
        ),
        _FLAG,
    ),
}

# They hold text alone: what is nested in them, a browser would take for HTML.
_TEXT_ELEMENTS = frozenset({"mi", "mn", "mo", "ms", "mtext", "mspace"})
_TAG = re.compile(r"<(/?)([a-z]+)[^<>]*>")


def is_formula(html: str) -> bool:
    """Whether sanitized markup is one math element in which every part keeps its place."""
    inside: list[str] = []
    for match in _TAG.finditer(html):
        closes, name = match.groups()
        if closes:
            if not inside or inside.pop() != name:
                return False
        elif _is_misplaced(name, inside, match.start()):
            return False
        else:
            inside.append(name)
        if not inside and match.end() < len(html):
            return False
    return html.startswith("<math") and not inside


def _is_misplaced(name: str, inside: list[str], start: int) -> bool:
    if not inside:
        return name != "math" or start > 0
    return name == "math" or inside[-1] in _TEXT_ELEMENTS


def allows(tag: str, name: str, value: str) -> bool:
    """Decide about one attribute."""
    if (tag, name) == ("math", "display"):
        return value in {"block", "inline"}
    if name in _MOST_LENGTH:
        return _is_length(value, _MOST_LENGTH[name])
    allowed = _VALUES.get(name)
    return allowed is not None and allowed.fullmatch(value) is not None


def _is_length(value: str, most_em: float) -> bool:
    length = _LENGTH.fullmatch(value)
    return length is not None and abs(float(length[1])) * _EM_PER_UNIT[length[2]] <= most_em
