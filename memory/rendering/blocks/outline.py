"""Markdown headings and lists as the outline of a mind map."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory.rendering.guard import MAX_NESTING
from memory.rendering.sanitize import escape

MAX_NODES = 500

_FRONT_MATTER = re.compile(r"---\n(?:.*\n)*?---\n")
_MARKS = {"strong_open": "<strong>", "strong_close": "</strong>", "em_open": "<em>", "em_close": "</em>"}
_parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})


class OutlineRefused(Exception):
    """A text is no outline that can be drawn; the message says why."""


@dataclass
class Node:
    """One line of an outline.

    Attributes:
        label: its HTML: escaped text with strong, em and code.
    """

    label: str = ""
    children: list["Node"] = field(default_factory=list)


def outline(source: str) -> list[Node]:
    """Return the outermost nodes: headings hold what follows them, list items hold their lists.

    Raises:
        OutlineRefused: when there are no nodes, more than `MAX_NODES`, or they nest too deeply.
    """
    tokens = _parser.parse(_FRONT_MATTER.sub("", source, count=1) if source.startswith("---\n") else source)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        raise OutlineRefused(f"nested deeper than {MAX_NESTING} levels")
    root = Node()
    grower = _Grower(root)
    for place, token in enumerate(tokens):
        grower.take(token, tokens[place - 1].tag if place else "")
        if grower.count > MAX_NODES:
            raise OutlineRefused(f"more than {MAX_NODES} nodes")
    if not root.children:
        raise OutlineRefused("no headings or lists")
    return root.children


def outline_html(nodes: Sequence[Node], css: str = "") -> str:
    """Return an outline as a nested list."""
    items = "".join(
        f"<li><span>{node.label}</span>{outline_html(node.children) if node.children else ''}</li>"
        for node in nodes
    )
    return f"<ul{css}>{items}</ul>"


class _Grower:
    """Hangs one token after the other onto the tree."""

    def __init__(self, root: Node) -> None:
        self.count = 0
        self._headings = [(0, root)]
        # The node of each open list item, None before its first line.
        self._items: list[Node | None] = []

    def take(self, token: Token, opened_by: str) -> None:
        """Add the node of a token, if it has one; ``opened_by`` is the tag of the token before it."""
        if token.type == "list_item_open":
            self._items.append(None)
        elif token.type == "list_item_close":
            self._items.pop()
        elif token.type == "inline" and opened_by[:1] == "h" and not self._items:
            self._add_heading(int(opened_by[1]), _label(token.children or ()))
        elif token.type == "inline":
            self._add_line(_label(token.children or ()))
        elif token.type in {"fence", "code_block"}:
            self._add_line(f"<code>{escape(token.content.strip())}</code>")

    def _add_heading(self, level: int, label: str) -> None:
        while self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, self._add(self._headings[-1][1], label)))

    def _add_line(self, label: str) -> None:
        if not self._items:
            self._add(self._headings[-1][1], label)
        elif self._items[-1] is None:
            parent = next((item for item in reversed(self._items) if item), self._headings[-1][1])
            self._items[-1] = self._add(parent, label)
        else:
            self._add(self._items[-1], label)

    def _add(self, parent: Node, label: str) -> Node:
        self.count += 1
        parent.children.append(Node(label))
        return parent.children[-1]


def _label(tokens: Sequence[Token]) -> str:
    return "".join(map(_piece, tokens))


def _piece(token: Token) -> str:
    if token.type == "code_inline":
        return f"<code>{escape(token.content)}</code>"
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return _MARKS.get(token.type) or escape(token.content)
