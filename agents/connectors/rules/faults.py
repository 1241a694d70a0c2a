"""Faults of a request body, the places they are at, and the checks that all formats share."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_DATA_URL = re.compile(r"data:(?P<type>[^;,]*)(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL)
_SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_MAX_NUMBER = 2**53


@dataclass(frozen=True)
class Fault:
    """One thing that a provider would refuse.

    Attributes:
        place: path in the body, for example ``messages[3].content[0].text``.
        rule: what must hold there, as a sentence.
    """

    place: str
    rule: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}"


Faults = Iterator[Fault]
PartCheck = Callable[[str, dict[str, Any]], Faults]


def fields(
    place: str, value: object, required: Collection[str], optional: Collection[str] = ()
) -> Iterator[Fault]:
    """Yield a fault for a value that is no object, and for fields that are missing or unknown."""
    if not isinstance(value, dict):
        yield Fault(place, f"must be an object, not {type(value).__name__}")
        return
    for name in required:
        if name not in value:
            yield Fault(place, f"the field `{name}` is required")
    for name in value.keys() - set(required) - set(optional):
        yield Fault(f"{place}.{name}", "is no field of this object")


def text(place: str, value: object, *, may_be_empty: bool = False, may_be_blank: bool = False) -> Faults:
    """Yield a fault for a value that is no text, or one that says nothing."""
    if not isinstance(value, str):
        yield Fault(place, f"must be a text, not {type(value).__name__}")
    elif not value and not may_be_empty:
        yield Fault(place, "must not be empty")
    elif value and not value.strip() and not may_be_blank:
        yield Fault(place, "must hold more than white space")


def identifier(place: str, value: object, max_length: int) -> Faults:
    """Yield a fault for an id that is not made of letters, digits, `_` and `-`, or is too long."""
    if not isinstance(value, str) or not _SAFE_ID.fullmatch(value):
        yield Fault(place, "an id is made of letters, digits, _ and -")
    elif len(value) > max_length:
        yield Fault(place, f"an id has at most {max_length} characters")


def one_of(place: str, value: object, allowed: Collection[object]) -> Faults:
    """Yield a fault for a value that is not among the allowed ones."""
    if isinstance(value, (dict, list)) or value not in allowed:
        yield Fault(place, f"must be one of {', '.join(map(str, allowed))}, not {value!r}")


def arguments(place: str, value: object) -> Faults:
    """Yield a fault for arguments that are not the JSON text of an object."""
    if not isinstance(value, str):
        yield Fault(place, f"arguments are JSON text, not {type(value).__name__}")
        return
    try:
        parsed = json.loads(value)
    except ValueError:
        yield Fault(place, "arguments must be JSON")
        return
    if not isinstance(parsed, dict):
        yield Fault(place, "arguments must be the JSON text of an object")


def image_url(place: str, value: object) -> Faults:
    """Yield a fault for an image that is neither an address nor a data URL of a known type."""
    if not isinstance(value, str):
        yield Fault(place, f"an image is given by a text, not {type(value).__name__}")
        return
    if value.startswith(("https://", "http://")):
        return
    found = _DATA_URL.fullmatch(value)
    if found is None:
        yield Fault(place, "an image is an http(s) address or a data URL")
        return
    if not found["base64"]:
        yield Fault(place, "a data URL of an image says ;base64")
    yield from one_of(f"{place} (type)", found["type"], IMAGE_TYPES)
    yield from base64_data(place, found["data"])


def base64_data(place: str, value: object) -> Faults:
    """Yield a fault for data that is empty or cannot be decoded."""
    if not isinstance(value, str) or not value:
        yield Fault(place, "holds no data")
        return
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        yield Fault(place, "the data is not base64")


def parts(place: str, value: object, checks: dict[str, PartCheck]) -> Faults:
    """Yield the faults of a list of parts, each of which has one of the types."""
    if not isinstance(value, list):
        yield Fault(place, f"must be a text or a list of parts, not {type(value).__name__}")
        return
    if not value:
        yield Fault(place, "must not be an empty list")
    for number, part in enumerate(value):
        here = f"{place}[{number}]"
        if not isinstance(part, dict):
            yield Fault(here, f"a part is an object, not {type(part).__name__}")
            continue
        kind = part.get("type")
        check = checks.get(kind) if isinstance(kind, str) else None
        if check is None:
            yield Fault(f"{here}.type", f"must be one of {', '.join(checks)}, not {kind!r}")
        else:
            yield from check(here, part)


def text_part(place: str, part: dict[str, Any]) -> Faults:
    """Yield the faults of a part that is a text."""
    yield from fields(place, part, ("type", "text"), ("annotations", "cache_control"))
    yield from text(f"{place}.text", part.get("text"), may_be_blank=True)


def plain_json(place: str, value: object) -> Faults:
    """Yield a fault for everything below a place that JSON, or a provider's parser, does not take.

    Walks without recursion, so that depth is no danger.
    """
    waiting: list[tuple[str, object]] = [(place, value)]
    while waiting:
        here, each = waiting.pop()
        if isinstance(each, dict):
            for name, inner in each.items():
                if not isinstance(name, str):
                    yield Fault(here, f"a field name is a text, not {type(name).__name__}")
                waiting.append((f"{here}.{name}", inner))
        elif isinstance(each, (list, tuple)):
            waiting.extend((f"{here}[{number}]", inner) for number, inner in enumerate(each))
        else:
            yield from _scalar(here, each)


def _scalar(place: str, value: object) -> Faults:
    if isinstance(value, str):
        if "\0" in value:
            yield Fault(place, "a text must not hold NUL")
        # Python knows whether a text is ASCII without looking at it, and most are.
        if not value.isascii() and _HALF_PAIR.search(value):
            yield Fault(place, "a text must not hold half of a surrogate pair")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield Fault(place, "a number must be finite")
    elif isinstance(value, int):
        if abs(value) > _MAX_NUMBER:
            yield Fault(place, "a whole number must not exceed 2^53")
    elif value is not None:
        yield Fault(place, f"JSON has no {type(value).__name__}")
