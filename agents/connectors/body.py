"""Where things are in the JSON body of a request, whichever provider's format it has."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from agents.connectors.base import ModelRequest

# Only the ends of values are of interest: numbers stay text, however long they are.
_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str, parse_constant=str)
_SPACE = re.compile(r"[ \t\n\r]*")
_SEPARATOR = rb"\n\n---\n\n"
# Top-level lists that hold the messages: OpenAI Chat and Anthropic, Responses and our own form, Google.
MESSAGE_LISTS = ("messages", "input", "contents")
TOOL_LISTS = ("tools",)
SYSTEM_VALUES = ("system", "systemInstruction", "instructions")
# One piece in so many ends a part, so that a part holds a few messages and its ends do not depend on
# what stands before it.
_PIECES_PER_PART = 4
_LARGE_PART = 16 * 1024


class Place(NamedTuple):
    """A range of bytes."""

    start: int
    end: int


@dataclass(frozen=True)
class Outline:
    """The top level of a body.

    Attributes:
        values: name of each top-level field to the place of its value.
        items: name of each top-level list to the places of its elements.
    """

    values: Mapping[str, Place] = field(default_factory=dict)
    items: Mapping[str, list[Place]] = field(default_factory=dict)

    def messages(self) -> list[Place]:
        """Return the places of the messages."""
        return next((self.items[name] for name in MESSAGE_LISTS if name in self.items), [])

    def value(self, names: tuple[str, ...]) -> Place | None:
        """Return the place of the first of these fields that the body has."""
        return next((self.values[name] for name in names if name in self.values), None)


def outline(body: bytes) -> Outline:
    """Return where the top-level fields and list elements of a JSON object are.

    ``body`` must be valid; that of a request that is no longer kept is empty and has none.
    """
    if not body:
        return Outline()
    # One character for each byte; whatever is not ASCII stands inside strings.
    text = body.decode("latin-1")
    values: dict[str, Place] = {}
    items: dict[str, list[Place]] = {}
    at = _skip_space(text, _skip_space(text, 0) + 1)
    while text[at] != "}":
        named = at
        _, at = _DECODER.raw_decode(text, named)
        name = str(json.loads(body[named:at]))
        start = _skip_space(text, at) + 1
        at = _skip_space(text, start)
        if text[at] == "[":
            places, at = _elements(text, at)
            if places:
                items[name] = places
        else:
            _, at = _DECODER.raw_decode(text, at)
        at = _skip_space(text, at)
        values[name] = Place(start, at)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
    return Outline(values, items)


def _elements(text: str, opening: int) -> tuple[list[Place], int]:
    """Return the places of the elements of the list that opens there, and where the text after it begins."""
    places: list[Place] = []
    start = opening + 1
    at = _skip_space(text, start)
    while text[at] != "]":
        _, at = _DECODER.raw_decode(text, at)
        at = _skip_space(text, at)
        places.append(Place(start, at))
        if text[at] == ",":
            start = at + 1
            at = _skip_space(text, start)
    return places, at + 1


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def cut(body: bytes, found: Outline | None = None) -> list[bytes]:
    """Return the body in parts; two bodies that share messages share most parts.

    ``found`` is the body's outline, where somebody has made it already.
    """
    parts: list[bytes] = []
    part: list[bytes] = []
    size = 0
    for piece in _pieces(body, found or outline(body)):
        part.append(piece)
        size += len(piece)
        if size >= _LARGE_PART or zlib.crc32(piece) % _PIECES_PER_PART == 0:
            parts.append(b"".join(part))
            part, size = [], 0
    if part:
        parts.append(b"".join(part))
    return parts


def find_text(body: bytes, text: str, start: int = 0) -> Place | None:
    """Return where the text stands in the body as part of a JSON string, looked for from ``start`` on."""
    for is_ascii in (False, True):
        escaped = json.dumps(text, ensure_ascii=is_ascii)[1:-1].encode()
        at = body.find(escaped, start)
        if at >= 0:
            return Place(at, at + len(escaped))
    return None


def read_text(body: bytes, place: Place) -> str:
    """Return the text that a part of a JSON string stands for."""
    return str(json.loads(b'"' + body[place.start : place.end] + b'"'))


def canonical(request: ModelRequest) -> bytes:
    """Return the body of a request that leaves by no wire: the prepared request as compact JSON."""
    whole = {"model": request.model, "tools": list(request.tools), "input": list(request.input)}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"), default=dict).encode()


def _pieces(body: bytes, found: Outline) -> Iterator[bytes]:
    """Yield the body cut before every list element and behind every section of the system message."""
    starts = {place.start for places in found.items.values() for place in places}
    ends = {places[-1].end for places in found.items.values()}
    sections = {each.end() for each in re.finditer(re.escape(_SEPARATOR), body)}
    last = 0
    for at in sorted(starts | ends | sections | {len(body)}):
        if at > last:
            yield body[last:at]
            last = at
