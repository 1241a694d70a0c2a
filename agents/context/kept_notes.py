"""Which note holds a text already, and under which key it can be kept otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from agents.context import json_values
from agents.context.background import settle
from agents.context.cut_texts import read_cut

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.stores import StoreHandler

# So many are numbered, from the second on; a digest tells any further ones apart.
_NUMBERED = 20
_DIGEST_DIGITS = 16


@runtime_checkable
class KnowsNotes(Protocol):
    """Notes that tell of a note without counting that as an access."""

    def real_key(self, key: str) -> str | None:
        """Return the full key of a note, None when there is none."""
        ...

    def value_of(self, key: str) -> JSON:
        """Return the value of a note, None when there is none."""
        ...


class Known(NamedTuple):
    """A note that exists.

    Attributes:
        value: None when it cannot be seen.
    """

    key: str
    value: JSON


class Place(NamedTuple):
    """Where a value is, or can be put.

    Attributes:
        is_taken: a note of this key says all of the value already.
    """

    key: str
    is_taken: bool


def look_up(notes: StoreHandler, key: str) -> Known | None:
    """Return the note of a key, None when there is none."""
    if isinstance(notes, KnowsNotes):
        real = notes.real_key(key)
        return None if real is None else Known(real, notes.value_of(real))
    found = settle(notes.store_get(key))
    if not found.get("found"):
        return None
    entry = found.get("entry")
    return Known(str(found.get("key", key)), entry.get("value") if isinstance(entry, dict) else None)


def find_place(key: str, value: JSON, look: Callable[[str], Known | None]) -> Place | None:
    """Return where the value is or can be put without replacing another, None when there is no such place.

    A text that was cut is where the full text is: in the note that it names, when that begins alike.
    """
    cut = read_cut(value) if isinstance(value, str) else None
    whole = look(cut.key) if cut else None
    if cut and whole and isinstance(whole.value, str) and whole.value.startswith(cut.shown):
        return Place(whole.key, is_taken=True)
    for candidate in _keys(key, value):
        known = look(candidate)
        if known is None:
            return Place(candidate, is_taken=False)
        if known.value == value:
            return Place(known.key, is_taken=True)
    return None


def _keys(key: str, value: JSON) -> Iterator[str]:
    yield key
    yield from (f"{key}.{number}" for number in range(2, _NUMBERED + 1))
    text = value if isinstance(value, str) else json_values.encode(value)
    yield f"{key}.{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGEST_DIGITS]}"
