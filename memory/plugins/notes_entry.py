"""One note as a value, and the checks of its parts."""

import re
from dataclasses import dataclass

from agents.context.json_values import JSON, InvalidJSON, decode, encode
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_keys import Tier, tier_of
from memory.plugins.notes_scope import SESSION, Scope
from memory.plugins.priorities import Priority, is_priority

_LINE_BREAKS = dict.fromkeys(map(ord, "\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
# Controls, half surrogates, and the characters that reverse how the text around them is shown.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NotesEntry:
    """One note. Its value never stands in the prompt, only its line in the index."""

    key: str
    """Final key: with the tier as prefix when it has one."""
    description: str
    """One line."""
    value_json: str
    """Compact JSON text; empty when a saved state brought no value."""
    size_bytes: int
    """UTF-8 bytes of ``value_json``, counted once."""
    scope: Scope = SESSION
    base_priority: Priority = "normal"
    pinned: bool = False
    created_at: int = 0
    """Epoch milliseconds, like the other times; updates keep it."""
    updated_at: int = 0
    last_accessed_at: int = 0
    access_count: int = 0
    recency: int = 0
    """Grows with every access in the store; orders what one millisecond cannot."""
    folded: bool = False
    """Whether compaction took its line out of the index; the next access brings it back."""

    @property
    def value(self) -> JSON:
        """A fresh copy of the value; None when there is none."""
        return decode(self.value_json) if self.value_json else None

    @property
    def tier(self) -> Tier | None:
        """The tier in the key's prefix."""
        return tier_of(self.key)


def check_description(text: object, max_length: int) -> str:
    """Return the description on one line: line breaks and tabs become spaces.

    Raises:
        InvalidEntry: when it is blank, too long, holds control characters, or is no text.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidEntry('"description" and "value" are required: say in one line what the note holds')
    line = text.translate(_LINE_BREAKS).strip()
    if len(line) > max_length:
        raise InvalidEntry(
            f"The description has {len(line)} characters; the maximum is {max_length}. "
            "Put the details into the value"
        )
    if _UNPRINTABLE.search(line):
        raise InvalidEntry("The description holds a control character or half of a surrogate pair; remove it")
    return line


def check_priority(value: object) -> Priority:
    """Return the priority.

    Raises:
        InvalidEntry: unless it is one of the four.
    """
    if not is_priority(value):
        raise InvalidEntry("The priority must be low, normal, high or critical")
    return value


def check_flag(value: object, name: str) -> bool:
    """Return a boolean as it is.

    Raises:
        InvalidEntry: for anything else, also for 0, 1 and "true".
    """
    if not isinstance(value, bool):
        raise InvalidEntry(f"{name} must be true or false")
    return value


def encode_value(value: object, max_bytes: int) -> str:
    """Return the value as compact JSON text.

    Raises:
        InvalidEntry: when JSON cannot hold it; the message names the place and the remedy.
    """
    try:
        return encode(value, max_bytes=max_bytes)
    except InvalidJSON as error:
        raise InvalidEntry(str(error)) from None
