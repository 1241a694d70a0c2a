"""What an entry of the whiteboard may be: every refusal says what to do instead."""

import re

from agents.context import json_values
from agents.context.json_values import InvalidJSON
from memory.plugins.errors import InvalidEntry
from memory.plugins.priorities import PRIORITIES, is_priority

MAX_KEY_LENGTH = 128
MAX_DESCRIPTION_LENGTH = 200
MAX_VALUE_BYTES = 1_000_000
# The last millisecond of the year 9999, up to which a time can be written as a date.
MAX_EPOCH_MS = 253_402_300_799_999

_SHOWN_KEY_LENGTH = 40

_LINE_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Controls, lone surrogates, and the characters that reverse how the text around them is shown.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Letters of scripts that join, and emoji: between two of them a joiner changes what is seen.
_JOINED = r"[\u0590-\u1fff\u2190-\U000dffff]"
# What nobody sees, so that two keys could look the same: format characters, blank letters, and variation
# selectors and joiners where they have nothing to vary or to join.
_INVISIBLE = re.compile(
    r"[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2060-\u206f\u2800\u3164\ufeff"
    r"\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
    r"|(?<![\xa9\xae\u2030-\U000dffff])[\ufe00-\ufe0f](?!\u20e3)"
    rf"|(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})"
)


def check_key(key: object) -> str:
    """Return the key unchanged: 1 to 128 characters on one line, not only spaces, no control characters.

    Raises:
        InvalidEntry: when it is anything else.
    """
    if not isinstance(key, str) or not key.strip():
        raise InvalidEntry('An entry needs a "key": a short text such as current_state')
    if len(key) > MAX_KEY_LENGTH:
        raise InvalidEntry(f"The key {_shown(key)} has {len(key)} characters: use at most {MAX_KEY_LENGTH}")
    if _UNPRINTABLE.search(key):
        raise InvalidEntry(
            f"The key {_shown(key)} contains a line break or control character: use one plain line"
        )
    return key


def check_visible(key: str) -> str:
    """Return the key of a new entry unchanged: every character of it can be seen or shapes another.

    Boards saved earlier may hold other keys, and keep them.

    Raises:
        InvalidEntry: for a zero-width or other invisible character.
    """
    found = _INVISIBLE.search(key)
    if found:
        raise InvalidEntry(
            f"The key {_shown(key)} contains an invisible character, U+{ord(found[0]):04X}: leave it out"
        )
    return key


def clean_description(description: object) -> str:
    """Return the description on one line: runs of line breaks and tabs become one space, ends are trimmed.

    Raises:
        InvalidEntry: when it is missing, empty, longer than 200 characters or holds control characters.
    """
    if not isinstance(description, str):
        raise InvalidEntry('"description" and "value" are required: describe the entry in one line of text')
    line = _LINE_BREAKS.sub(" ", description).strip()
    if not line:
        raise InvalidEntry('"description" and "value" are required: describe the entry in one line of text')
    if len(line) > MAX_DESCRIPTION_LENGTH:
        raise InvalidEntry(
            f"The description has {len(line)} characters: use at most {MAX_DESCRIPTION_LENGTH} and put "
            "details into the value"
        )
    if _UNPRINTABLE.search(line):
        raise InvalidEntry("The description contains a control character: use plain text on one line")
    return line


def check_priority(priority: object) -> str:
    """Return the priority unchanged.

    Raises:
        InvalidEntry: unless it is one of the four.
    """
    if not is_priority(priority):
        raise InvalidEntry(f"Unknown priority {_shown(priority)}: use one of {', '.join(PRIORITIES)}")
    return priority


def check_flag(show_in_ui: object) -> bool:
    """Return the flag unchanged.

    Raises:
        InvalidEntry: unless it is a boolean.
    """
    if not isinstance(show_in_ui, bool):
        raise InvalidEntry(f"showInUI is {_shown(show_in_ui)}: use true or false")
    return show_in_ui


def encode_value(value: object) -> str:
    """Return the value as compact JSON text of at most a million bytes.

    Raises:
        InvalidEntry: when JSON cannot hold it; the message names the place and the remedy.
    """
    try:
        return json_values.encode(value, max_bytes=MAX_VALUE_BYTES)
    except InvalidJSON as error:
        raise InvalidEntry(f"The value cannot be stored: {error}") from None


def check_time(epoch_ms: object) -> int:
    """Return the time unchanged.

    Raises:
        InvalidEntry: unless it is a whole number of milliseconds between 1970 and 9999.
    """
    if isinstance(epoch_ms, bool) or not isinstance(epoch_ms, int) or not 0 <= epoch_ms <= MAX_EPOCH_MS:
        raise InvalidEntry(f"updatedAt is {_shown(epoch_ms)}: use epoch milliseconds")
    return epoch_ms


def _shown(value: object) -> str:
    """Return a short, safe spelling of what was sent."""
    spelled = ascii(value) if isinstance(value, (str, bool, int, float)) else type(value).__name__
    return spelled if len(spelled) <= _SHOWN_KEY_LENGTH else f"{spelled[:_SHOWN_KEY_LENGTH]}…"
