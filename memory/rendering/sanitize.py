"""The second wall: one allow-list for everything a card may contain, whatever the renderer did."""

import html
import re
import unicodedata

from bleach.sanitizer import Cleaner

from memory.rendering import mathml
from memory.rendering.fill import Draft
from memory.rendering.guard import RenderRefused, visible
from memory.rendering.links import LINK_REL, LINK_TARGET, SCHEMES, is_safe_url
from memory.rendering.pictures import ShownPicture

TAGS = frozenset(
    {"p", "br", "hr", "h3", "h4", "h5", "h6", "strong", "em", "s", "sup", "code", "pre", "blockquote"}
    | {"ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td"}
    | {"a", "div", "span", "section", "details", "summary", "time", "button", "figure", "img"}
)

# The classes of the site's stylesheet that a card uses; its own begin with ``md-``.
STYLESHEET_CLASSES = frozenset(
    {"code", "code__bar", "code__copy", "done", "kv", "muted", "needs-script", "notice", "notice--warn"}
    | {"num", "plain", "scroll-x", "tasks", "tick", "tick--on"}
    | {"tk-c", "tk-f", "tk-k", "tk-n", "tk-p", "tk-s"}
)
_OWN_CLASS = re.compile(r"md-[a-z0-9-]{1,40}")

_ANCHOR = re.compile(r"c[0-9a-f]{8}-fn(?:ref)?[0-9]{1,4}(?:-[0-9]{1,4})?")
_TIME = re.compile(r"[0-9]{4}-[0-9T:. Z+-]{5,30}")

_SESSION_PICTURE = re.compile(r"/sessions/[0-9a-f-]{36}/pictures/[0-9a-f]{64}")

IMAGE_BEHAVIOUR = 'class="md-picture" loading="lazy" decoding="async" referrerpolicy="no-referrer"'

# Attributes whose value must match.
_PATTERNS = {
    ("a", "title"): re.compile(r"(?s).*"),
    ("img", "alt"): re.compile(r"(?s).*"),
    ("img", "src"): re.compile(r"/cards/picture/\?url=https%3A%2F%2F[A-Za-z0-9%._~-]+"),
    ("img", "title"): re.compile(r"(?s).*"),
    ("ol", "start"): re.compile(r"[0-9]{1,9}"),
    ("time", "datetime"): _TIME,
    ("time", "title"): _TIME,
}

# Attributes with the only values they may have.
_FIXED = {
    ("a", "rel"): {LINK_REL},
    ("a", "target"): {LINK_TARGET},
    ("button", "type"): {"button"},
    ("button", "data-copy-next"): {""},
    ("button", "data-copy-name"): {"code"},
    ("img", "decoding"): {"async"},
    ("img", "loading"): {"lazy"},
    ("img", "referrerpolicy"): {"no-referrer"},
    ("th", "scope"): {"col"},
    ("details", "open"): {""},
    ("pre", "tabindex"): {"0"},
    ("div", "tabindex"): {"0"},
    ("div", "role"): {"group"},
    ("div", "aria-label"): {"Table", "Formula"},
    ("span", "tabindex"): {"0"},
    ("span", "role"): {"img", "group"},
    ("span", "aria-label"): {"Done", "Open", "Formula"},
}

# Highlighted code never meets bleach, which is quadratic in siblings; it must have exactly this form.
_HIGHLIGHTED = re.compile(
    r"""(?:[^<>&"']|&(?:amp|lt|gt|quot|\#x27);|<span\ class="tk-[cfknps]">|</span>)*+""", re.VERBOSE
)
_SPANS = re.compile(r'<span class="tk-[cfknps]">|</span>')

_ELEMENT = re.compile(r"<[^>]*>")
_DRAWN = re.compile(r'<(?:img|hr|menclose|span class="tick)\b')
# Controls, formats, surrogates, and what separates words, lines and paragraphs.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})


class SafeHTML(str):
    """HTML that passed this module; template engines print it unescaped."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def seal(raw: str, draft: Draft) -> SafeHTML:
    """Return the finished HTML of a card: cleaned against the allow-list, slots checked and filled.

    Raises:
        RenderRefused: when the HTML is larger than ``max_html_chars``.
    """
    if len(raw) > draft.settings.max_html_chars:
        raise RenderRefused(f"more than {draft.settings.max_html_chars:,} characters of HTML")
    # A cleaner is not safe to share between threads and costs next to nothing to make.
    cleaner = Cleaner(
        tags=TAGS,
        attributes=_AllowedAttributes(draft),
        protocols=SCHEMES,
        strip=True,
        strip_comments=True,
    )
    return SafeHTML(draft.restore(draft.fill(visible(cleaner.clean(visible(raw))))))


def formula_html(raw: str) -> SafeHTML:
    """Return the MathML of one formula, cleaned against an allow-list that has no HTML element.

    One list for both would let an element change its namespace when a browser parses the page.

    Raises:
        RenderRefused: when what is left is not one formula.
    """
    cleaner = Cleaner(
        tags=mathml.TAGS, attributes=mathml.allows, protocols=(), strip=True, strip_comments=True
    )
    clean = cleaner.clean(visible(raw))
    if not mathml.is_formula(clean):
        raise RenderRefused("a formula has an unexpected form")
    return SafeHTML(clean)


def code_html(raw: str) -> SafeHTML:
    """Return highlighted code after a look at its form.

    Raises:
        RenderRefused: when it is more than text and unnested spans of the token classes.
    """
    if not is_highlighted_code(raw):
        raise RenderRefused("highlighted code has an unexpected form")
    return SafeHTML(raw)


def image_html(picture: ShownPicture, words: str, title: str = "") -> SafeHTML:
    """Return the image of a session's picture.

    Raises:
        ValueError: when it is not served under the session.
    """
    if _SESSION_PICTURE.fullmatch(picture.address) is None:
        raise ValueError(f"No picture of a session: {picture.address!r}.")
    size = f'width="{picture.width:d}" height="{picture.height:d}"'
    described = f'alt="{escape(words)}"{title_attribute(title)}'
    return SafeHTML(f'<img src="{picture.address}" {described} {size} {IMAGE_BEHAVIOUR}>')


def title_attribute(title: str) -> SafeHTML:
    """Return the attribute, with a space before it, or nothing for an empty title."""
    return SafeHTML(f' title="{escape(title)}"' if title else "")


def hidden_image_html(words: str, reason: str, *, address: str | None = None, title: str = "") -> SafeHTML:
    """Return what stands in the place of an image that is not shown: all that was written, and why.

    The address is left out where it is None because the reason names it, or because nobody can read it.
    """
    quoted = f'"{title}"' if title else ""
    written = " ".join(filter(None, (address, quoted)))
    target = f" ({written})" if written or address is not None else ""
    label = f'<span class="md-image">[image: {escape(words)}]{escape(target)}</span>'
    return SafeHTML(f'{label} <span class="md-reason">{escape(reason)}</span>')


def escape(text: str) -> SafeHTML:
    """Return text as HTML that shows it, unsafe characters made visible."""
    return SafeHTML(html.escape(visible(text)))


def source_html(source: str, reason: str) -> SafeHTML:
    """Return a value as its source under one line that says why; nothing is left out."""
    notice = f'<div class="notice notice--warn"><p>{escape(reason)}</p></div>'
    return SafeHTML(f'{notice}<pre class="plain" tabindex="0">{escape(source)}</pre>')


def is_highlighted_code(piece: str) -> bool:
    """Whether HTML is only text and unnested spans of the token classes."""
    if _HIGHLIGHTED.fullmatch(piece) is None:
        return False
    spans = _SPANS.findall(piece)
    return (
        len(spans) % 2 == 0 and all(span == "</span>" for span in spans[1::2]) and "</span>" not in spans[::2]
    )


def shows_anything(clean: str) -> bool:
    """Whether sealed HTML has a picture, a tick, a rule or a visible character."""
    return _DRAWN.search(clean) is not None or any(
        unicodedata.category(character) not in _INVISIBLE
        for character in html.unescape(_ELEMENT.sub("", clean))
    )


class _AllowedAttributes:
    """Decides attribute by attribute, for bleach; anything not named is dropped."""

    def __init__(self, draft: Draft) -> None:
        self._slot = re.compile(rf"{draft.nonce}-[0-9]{{1,5}}")

    def __call__(self, tag: str, name: str, value: str) -> bool:
        if name == "class":
            return all(item in STYLESHEET_CLASSES or _OWN_CLASS.fullmatch(item) for item in value.split(" "))
        if name == "id":
            return _ANCHOR.fullmatch(value) is not None
        if (tag, name) == ("a", "href"):
            return is_safe_url(value) or (value.startswith("#") and _ANCHOR.fullmatch(value[1:]) is not None)
        if (tag, name) == ("span", "data-slot"):
            return self._slot.fullmatch(value) is not None
        pattern = _PATTERNS.get((tag, name))
        if pattern is not None:
            return pattern.fullmatch(value) is not None
        return value in _FIXED.get((tag, name), ())
