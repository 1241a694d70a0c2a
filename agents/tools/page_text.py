"""Bytes of the web as text for a model: decoded, and HTML without its markup."""

import codecs
import re
from email.message import Message
from html import unescape

_TEXT_TYPES = re.compile(r"text/.+|application/([\w.-]+\+)?(json|xml|x-ndjson|javascript|yaml|x-yaml|toml)")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_HREF = re.compile(
    r"""\shref\s*=\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'>]{1,2000}))""", re.IGNORECASE
)
# What stands between these and their end is nothing that a reader sees.
_SKIPPED = frozenset({"script", "style", "noscript", "template", "svg", "title", "textarea"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small"}
    | {"span", "strong", "sub", "sup", "time", "u", "var", "wbr"}
)


def is_text(content_type: str) -> bool:
    """Tell whether a media type, without parameters, is one of text."""
    return _TEXT_TYPES.fullmatch(content_type) is not None


def text_of(body: bytes, headers: Message) -> str:
    """Return the text of a body in the charset that its headers name, else UTF-8; HTML without markup."""
    charset = headers.get_content_charset() or "utf-8"
    try:
        codecs.lookup(charset)
        text = body.decode(charset, "replace")
    # Also for codecs that are not about text, such as "hex".
    except (LookupError, ValueError):
        text = body.decode("utf-8", "replace")
    is_html = headers.get_content_type() in {"text/html", "application/xhtml+xml"}
    return without_markup(text) if is_html else text


def without_markup(html: str) -> str:
    """Return what a reader of a page would see, with the addresses of links; linear in the page's length."""
    lines = (" ".join(line.split()) for line in unescape("".join(_Reader(html).read())).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Reader:
    """Goes through a page once, from one angle bracket to the next."""

    def __init__(self, html: str) -> None:
        self._html, self._lower = html, html.lower()
        self._pieces: list[str] = []
        self._link = ""

    def read(self) -> list[str]:
        """Return the pieces of text, line breaks where a block begins or ends."""
        html, place = self._html, 0
        while (start := html.find("<", place)) >= 0:
            self._text(html[place:start])
            place = self._markup(start)
        self._text(html[place:])
        return self._pieces

    def _text(self, text: str) -> None:
        # Line breaks in the source mean nothing.
        self._pieces.append(text.replace("\n", " "))

    def _markup(self, start: int) -> int:
        """Return where the text goes on behind what begins at an angle bracket."""
        html = self._html
        if html.startswith("<!--", start):
            return self._behind("-->", start)
        tag = _TAG.match(html, start)
        if tag is None:
            if html[start + 1 : start + 2] in {"!", "?"}:
                return self._behind(">", start)
            self._pieces.append("<")
            return start + 1
        end = self._behind(">", start)
        self._tag(tag[2].lower(), html[start : min(end, start + 4000)], is_closing=bool(tag[1]))
        if tag[2].lower() in _SKIPPED and not tag[1] and not html.endswith("/>", start, end):
            closing = self._lower.find(f"</{tag[2].lower()}", end)
            return closing if closing >= 0 else len(html)
        return end

    def _tag(self, name: str, source: str, *, is_closing: bool) -> None:
        if name == "a" and is_closing and self._link:
            self._pieces.append(f" ({self._link})")
            self._link = ""
        elif name == "a":
            found = _HREF.search(source)
            address = next(filter(None, found.groups())) if found else ""
            self._link = address if address.startswith(("http://", "https://", "/")) else ""
        elif name not in _INLINE:
            self._pieces.append("\n")

    def _behind(self, mark: str, start: int) -> int:
        """Return the place behind the next mark, or the end of the page."""
        found = self._lower.find(mark, start)
        return len(self._html) if found < 0 else found + len(mark)
