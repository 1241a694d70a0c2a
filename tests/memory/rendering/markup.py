"""Reads rendered HTML as a browser would and holds it against a list written apart from the sanitizer's."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit
from uuid import UUID
from xml.etree.ElementTree import Element

from bleach.html5lib_shim import HTMLParser  # type: ignore[attr-defined]  # a re-export

from memory.rendering import cards
from memory.rendering.cards import CardHTML
from memory.rendering.pictures import ShownPicture

XHTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"

ELEMENTS = set(
    """a blockquote br button code dd details div dl dt em figure h3 h4 h5 h6 hr img li ol p pre s section
    span strong summary sup table tbody td th thead time tr ul""".split()  # noqa: SIM905 - reads better than a list
)
CLASS = re.compile(
    r"md-[a-z0-9-]+|code|code__bar|code__copy|done|kv|muted|needs-script|notice|notice--warn|num|plain|scroll-x|tasks|tick|tick--on"
    r"|tk-[cfknps]"
)
VALUES = {
    ("*", "class"): r"[a-z0-9_ -]+",
    ("a", "href"): r"(?:[hH][tT][tT][pP][sS]?://|[mM][aA][iI][lL][tT][oO]:|#c[0-9a-f]{8}-fn).*",
    ("a", "id"): r"c[0-9a-f]{8}-fnref[0-9-]+",
    ("a", "rel"): r"noopener noreferrer nofollow ugc",
    ("a", "target"): r"_blank",
    ("a", "title"): r"(?s).*",
    ("button", "data-copy-name"): r"code",
    ("button", "data-copy-next"): r"",
    ("button", "type"): r"button",
    ("details", "open"): r"",
    ("div", "aria-label"): r"Table|Formula",
    ("div", "role"): r"group",
    ("div", "tabindex"): r"0",
    ("img", "alt"): r"(?s).*",
    ("img", "class"): r"md-picture",
    ("img", "decoding"): r"async",
    ("img", "height"): r"[0-9]+",
    ("img", "loading"): r"lazy",
    ("img", "referrerpolicy"): r"no-referrer",
    ("img", "src"): (
        r"/sessions/[0-9a-f-]{36}/pictures/[0-9a-f]{64}|/cards/picture/\?url=https%3A%2F%2F[A-Za-z0-9%._~-]+"
    ),
    ("img", "title"): r"(?s).*",
    ("img", "width"): r"[0-9]+",
    ("li", "id"): r"c[0-9a-f]{8}-fn[0-9]+",
    ("ol", "start"): r"[0-9]+",
    ("pre", "tabindex"): r"0",
    ("span", "aria-label"): r"Done|Open|Formula",
    ("span", "role"): r"img|group",
    ("span", "tabindex"): r"0",
    ("th", "scope"): r"col",
    ("time", "datetime"): r"[0-9]{4}-[0-9T:. Z+-]+",
    ("time", "title"): r"[0-9]{4}-[0-9T:. Z+-]+",
}

FORMULA_ELEMENTS = set(
    """math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace
    msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover""".split()  # noqa: SIM905 - see above
)
FLAG, LENGTH = r"true|false", r"-?[0-9]*(?:\.[0-9]+)?(?:em|ex|px|pt|%)?"
FORMULA_VALUES = {
    "accent": FLAG,
    "accentunder": FLAG,
    "class": r"md-m-[a-z0-9]+(?: md-m-[a-z0-9]+)*",
    "columnspan": r"[0-9]+",
    "depth": LENGTH,
    "display": r"block|inline",
    "displaystyle": FLAG,
    "fence": FLAG,
    "form": r"prefix|infix|postfix",
    "height": LENGTH,
    "largeop": FLAG,
    "linethickness": LENGTH,
    "lspace": LENGTH,
    "mathcolor": r"#[0-9a-fA-F]{6}",
    "mathvariant": r"normal",
    "maxsize": LENGTH,
    "minsize": LENGTH,
    "movablelimits": FLAG,
    "notation": r"[a-z ]+",
    "rspace": LENGTH,
    "scriptlevel": r"[+-]?[0-9]+",
    "separator": FLAG,
    "stretchy": FLAG,
    "symmetric": FLAG,
    "voffset": LENGTH,
    "width": LENGTH,
}

SESSION_PICTURE = f"/sessions/{UUID(int=1)}/pictures/{'0' * 64}"


def with_pictures(card: CardHTML) -> CardHTML:
    """Return the card as a session shows it in which half of the files are missing."""
    shown = ShownPicture(SESSION_PICTURE, 3, 2)
    found = {
        slot.mark: f"There is no file {slot.path!r}." if number % 2 else shown
        for number, slot in enumerate(card.pictures)
    }
    return cards.with_pictures(card, found)


def check_card(card: CardHTML) -> None:
    """Fail on what has no business in a card that is shown with its pictures."""
    check(with_pictures(card).html)


def elements(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Every element with its attributes, names without the HTML namespace."""
    for element in _parse(html).iter():
        if element.tag != "DOCUMENT_FRAGMENT":
            yield str(element.tag).removeprefix(XHTML), dict(element.attrib)


def tags(html: str) -> list[str]:
    return [tag for tag, _ in elements(html)]


def text(html: str) -> str:
    return "".join(_parse(html).itertext())


def classes(html: str) -> set[str]:
    return {name for _, attributes in elements(html) for name in attributes.get("class", "").split()}


def cells(html: str) -> list[str]:
    """The text of each body cell."""
    return ["".join(cell.itertext()) for cell in _parse(html).iter(f"{XHTML}td")]


def links(html: str) -> list[str]:
    return [attributes["href"] for tag, attributes in elements(html) if tag == "a" and "href" in attributes]


def check(html: str) -> None:
    """Fail on any element, attribute or address that has no business in a card."""
    for tag, attributes in elements(html):
        if tag.startswith(MATHML):
            check_formula(tag.removeprefix(MATHML), attributes)
            continue
        assert tag in ELEMENTS, f"element {tag} in {html!r}"
        for name, value in attributes.items():
            pattern = VALUES.get((tag, name), VALUES.get(("*", name)))
            assert pattern is not None, f"attribute {tag} {name} in {html!r}"
            assert re.fullmatch(pattern, value), f"value {tag} {name}={value!r}"
            if name == "class":
                assert all(CLASS.fullmatch(item) for item in value.split()), value
            if name == "href" and not value.startswith("#"):
                assert urlsplit(value).scheme in {"http", "https", "mailto"}, value


def check_formula(tag: str, attributes: dict[str, str]) -> None:
    """Fail on an element or attribute that has no business in a formula."""
    assert tag in FORMULA_ELEMENTS, f"element {tag} in a formula"
    for name, value in attributes.items():
        assert name in FORMULA_VALUES, f"attribute {tag} {name} in a formula"
        assert re.fullmatch(FORMULA_VALUES[name], value), f"value {tag} {name}={value!r}"


def _parse(html: str) -> Element:
    fragment: Element = HTMLParser().parseFragment(html)
    return fragment
