"""The saved state of the notes: the form of spec 3.7, and beside it what keeps the order of access."""

from collections.abc import Mapping

from agents.context.errors import NewerState
from agents.context.json_values import JSON, MAX_INTEGER
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_entry import (
    NotesEntry,
    check_description,
    check_flag,
    check_priority,
    encode_value,
)
from memory.plugins.notes_keys import final_key, usual_priority
from memory.plugins.notes_scope import parse_scope

STATE_VERSION = 1


def saved_entries(state: object) -> list[object] | None:
    """Return the entries of a saved state as they are; None for a state without any, which is ignored.

    Raises:
        NewerState: a newer version wrote it.
        InvalidEntry: it is no state of notes.
    """
    if not state:
        return None
    if not isinstance(state, Mapping):
        raise InvalidEntry("A saved state of the notes is an object with version and entries")
    entries = state.get("entries")
    if entries is None:
        return None
    version = state.get("version", STATE_VERSION)
    if not isinstance(version, int):
        raise InvalidEntry("The version of a saved state is a whole number")
    if version > STATE_VERSION:
        raise NewerState(version, STATE_VERSION)
    if not isinstance(entries, list | tuple):
        raise InvalidEntry("The entries of a saved state are a list")
    return list(entries)


def entry_to_state(entry: NotesEntry) -> dict[str, JSON]:
    """Return the saved form of a note; it shares nothing with the note."""
    state: dict[str, JSON] = {"key": entry.key, "description": entry.description}
    if entry.value_json:
        state["value"] = entry.value
    state |= {
        "scope": entry.scope.to_json(),
        "sizeBytes": entry.size_bytes,
        "basePriority": entry.base_priority,
        "pinned": entry.pinned,
        "createdAt": entry.created_at,
        "updatedAt": entry.updated_at,
        "lastAccessedAt": entry.last_accessed_at,
        "accessCount": entry.access_count,
        "recency": entry.recency,
    }
    if entry.folded:
        state["folded"] = True
    return state


def entry_from_state(state: object, *, max_description: int, max_bytes: int, now: int) -> NotesEntry:
    """Return the note of a saved entry; the size is counted again, a description too long is clipped.

    Entries written by the TypeScript library lack times and order: they count as accessed ``now``, in the
    order of the state.

    Raises:
        InvalidEntry: when key, description, scope, priority, a flag, a number or the value is wrong.
    """
    if not isinstance(state, Mapping):
        raise InvalidEntry("A saved note is an object with key, description and value")
    key = final_key(state.get("key"), None)
    text = encode_value(state["value"], max_bytes) if "value" in state else ""
    return NotesEntry(
        key=key,
        description=_saved_description(state.get("description"), max_description),
        value_json=text,
        size_bytes=len(text.encode()),
        scope=parse_scope(state.get("scope", "session")),
        base_priority=check_priority(state.get("basePriority", usual_priority(key))),
        pinned=check_flag(state.get("pinned", False), "pinned"),
        created_at=_saved_number(state, "createdAt", now),
        updated_at=_saved_number(state, "updatedAt", now),
        last_accessed_at=_saved_number(state, "lastAccessedAt", now),
        access_count=_saved_number(state, "accessCount", 0),
        recency=_saved_number(state, "recency", 0),
        folded=check_flag(state.get("folded", False), "folded"),
    )


def _saved_description(text: object, max_length: int) -> str:
    # Older states may hold an empty description, which only new writes refuse.
    if text == "":
        return ""
    clipped = f"{text[: max_length - 1]}…" if isinstance(text, str) and len(text) > max_length else text
    return check_description(clipped, max_length)


def _saved_number(state: Mapping[str, object], name: str, default: int) -> int:
    value = state.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_INTEGER:
        raise InvalidEntry(f"{name} of a saved note is a whole number from 0 to 2^53")
    return value
