"""Rendered templates as a tree of elements that tests can ask."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.template.loader import render_to_string

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "wbr"})


@dataclass
class Element:
    """An element with its attributes, the text in it and its children.

    Attributes:
        texts: own pieces of text and those of descendants, in order.
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    children: list["Element"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def all(self, tag: str = "", **attributes: str) -> Iterator["Element"]:
        for child in self.children:
            if tag in ("", child.tag) and attributes.items() <= child.attributes.items():
                yield child
            yield from child.all(tag, **attributes)

    def one(self, tag: str = "", **attributes: str) -> "Element":
        found = list(self.all(tag, **attributes))
        assert len(found) == 1, f"{len(found)} elements <{tag} {attributes}>"
        return found[0]

    def ids(self) -> list[str]:
        return [element.attributes["id"] for element in self.all() if "id" in element.attributes]


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        closed = self.open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.texts.append(data)


def tree(html: str) -> Element:
    """Return the root above the elements of well-nested HTML."""
    parser = _Tree()
    parser.feed(html)
    parser.close()
    assert len(parser.open) == 1, f"<{parser.open[-1].tag}> is never closed"
    return parser.open[0]


def rendered(template: str, **context: Any) -> Element:
    """Return a template rendered from exactly this context, as a feed does it."""
    return tree(render_to_string(template, context))
