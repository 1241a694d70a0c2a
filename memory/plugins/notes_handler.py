"""How the model works with the notes through the store tools: every fault becomes a result."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from agents.context.json_values import JSON
from agents.context.stores import StoreResult, StoreSchema
from memory.plugins.errors import Destroyed, InvalidEntry, StoreError, StoreFull
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_index import format_size
from memory.plugins.notes_keeper import NotesKeeper
from memory.plugins.notes_keys import TIERS, Tier
from memory.plugins.priorities import PRIORITIES, Priority

STORE_ID = "notes"
# About 12,000 tokens: what one result may put into the conversation. The rest is read in pages.
MAX_SHOWN_CHARACTERS = 50_000
MAX_LISTED = 200

SCHEMA: StoreSchema = {
    "storeId": STORE_ID,
    "displayName": "Notes",
    "description": "Values kept outside the conversation; only an index of keys and descriptions is shown.",
    "usageHint": "Large or rarely needed data: documents, search results, intermediate findings.",
    "siblingHints": {"whiteboard": 'Small state needed on every turn belongs in "whiteboard".'},
    "setDataFields": {
        "description": {
            "type": "string",
            "description": "one line that tells you later what the value is",
            "required": True,
        },
        "value": {"description": "any JSON value", "required": True},
        "tier": {
            "type": "string",
            "enum": list(TIERS),
            "description": "raw (evicted first), summary or findings (evicted last); becomes the key's "
            "prefix and sets the priority; default: none",
        },
        "priority": {
            "type": "string",
            "enum": list(PRIORITIES),
            "description": "used only without a tier; default: normal; critical is never evicted",
        },
        "pinned": {"type": "boolean", "description": "true: never evicted"},
        "scope": {
            "type": ["string", "object"],
            "description": 'session (default), persistent, plan, or {"type": "task", "taskIds": [ids]}',
        },
    },
    "actions": {
        "query": {
            "description": 'find notes: pattern with "*", tier, includeValues, includeStats',
        },
        "read": {"description": "read a long value in pages: key, offset (in characters)"},
        "cleanup_raw": {"description": "delete the notes of tier raw, except pinned and persistent ones"},
        "clear": {"description": "delete all notes", "destructive": True},
    },
}

INSTRUCTIONS = """\
The store "notes" keeps values outside this conversation. You see an index of keys and descriptions; a value \
is loaded with store_get("notes", "<key>"), so describe each note well enough to choose from the index.

- Tiers: "raw" for unprocessed data (evicted first), "summary" for condensed data, "findings" for \
conclusions (evicted last). The tier becomes the beginning of the key: "topic" in tier raw is stored as \
"raw.topic".
- Work upwards: store raw data, derive summaries and findings from it, then clean up with \
store_action("notes", "cleanup_raw").
- "pinned": true, or priority "critical", protects a note from eviction.
- store_list and the action "query" find notes that the index leaves out. Long values come in pages: use the \
action "read"."""


def get_note(notes: NotesKeeper, key: str | None) -> StoreResult:
    """Return one note with what is known of it, or the list of all without values."""
    try:
        if key is None:
            return {"found": True, **listing(notes.entries())}
        entry = notes.read(key)
    except Destroyed as error:
        return {"found": False, "key": key, **_reason(error)}
    return {"found": False, "key": key} if entry is None else _shown(notes, entry)


def _shown(notes: NotesKeeper, entry: NotesEntry) -> StoreResult:
    shown: dict[str, JSON] = {
        "description": entry.description,
        "tier": entry.tier,
        "sizeBytes": entry.size_bytes,
        "priority": notes.priority_of(entry),
        "pinned": entry.pinned,
        "scope": entry.scope.to_json(),
    }
    text = readable_text(entry)
    if len(text) <= MAX_SHOWN_CHARACTERS:
        return {"found": True, "key": entry.key, "entry": {"value": entry.value, **shown}}
    shown["valueStart"] = text[:MAX_SHOWN_CHARACTERS]
    shown["totalCharacters"] = len(text)
    message = (
        f"The value has {len(text)} characters; valueStart holds the first {MAX_SHOWN_CHARACTERS}. Read on "
        f'with store_action("{STORE_ID}", "read", key: "{entry.key}", offset: {MAX_SHOWN_CHARACTERS}).'
    )
    return {"found": True, "key": entry.key, "entry": shown, "message": message}


def set_note(notes: NotesKeeper, key: str, data: Mapping[str, JSON]) -> StoreResult:
    """Store a note from the fields of the call."""
    if "value" not in data:
        return {"success": False, "key": key, "error": '"description" and "value" are required'}
    tier, priority = data.get("tier"), data.get("priority")
    try:
        outcome = notes.store(
            key,
            cast("str | None", data.get("description")),
            data["value"],
            tier=cast("Tier | None", tier),
            priority=cast("Priority | None", priority),
            pinned=cast("bool | None", data.get("pinned")),
            scope=data.get("scope"),
        )
    except StoreError as error:
        return {"success": False, "key": key, **_reason(error)}
    message = f'Stored "{outcome.key}" ({format_size(outcome.size_bytes)}).'
    if tier is not None and priority is not None:
        message += f' The tier "{tier}" sets the priority; "{priority}" was not used.'
    result: StoreResult = {"success": True, "key": outcome.key, "sizeBytes": outcome.size_bytes}
    if outcome.evicted:
        result["evicted"] = list(outcome.evicted)
        message += f" Evicted to make room: {', '.join(outcome.evicted)}."
    return {**result, "message": message}


def delete_note(notes: NotesKeeper, key: str) -> StoreResult:
    """Delete a note; the result names the real key."""
    try:
        entry = notes.find(key)
    except Destroyed as error:
        return {"deleted": False, "key": key, **_reason(error)}
    if entry is None:
        return {"deleted": False, "key": key}
    return {"deleted": notes.delete(entry.key), "key": entry.key}


def list_notes(notes: NotesKeeper, filter: Mapping[str, JSON] | None) -> StoreResult:
    """List the notes that fit ``pattern`` and ``tier``, without values."""
    wanted = filter or {}
    try:
        found = notes.matching(wanted.get("pattern"), wanted.get("tier"))
    except StoreError as error:
        return {"success": False, **_reason(error)}
    return {**listing(found), "total": len(found)}


def act(notes: NotesKeeper, action: str, params: Mapping[str, JSON]) -> StoreResult:
    """Run one of the actions of the schema; an unknown one is answered with their names."""
    handler = _ACTIONS.get(action)
    if handler is None:
        names = ", ".join(_ACTIONS)
        return {"success": False, "action": action, "error": f'Unknown action "{action}". Available: {names}'}
    try:
        return {"success": True, "action": action, **handler(notes, params)}
    except StoreError as error:
        return {"success": False, "action": action, **_reason(error)}


def listing(entries: Sequence[NotesEntry]) -> StoreResult:
    """Return the first 200 notes without values, and how to see the others."""
    shown: list[JSON] = [
        {"key": entry.key, "description": entry.description, "tier": entry.tier}
        for entry in entries[:MAX_LISTED]
    ]
    if len(entries) <= MAX_LISTED:
        return {"entries": shown}
    message = f"{len(entries) - MAX_LISTED} more notes are not shown; narrow the list with pattern or tier."
    return {"entries": shown, "message": message}


def readable_text(entry: NotesEntry) -> str:
    """Return what pages are cut from: a text as it is, anything else as compact JSON."""
    value = entry.value
    return value if isinstance(value, str) else entry.value_json


def _query(notes: NotesKeeper, params: Mapping[str, JSON]) -> StoreResult:
    found = notes.matching(params.get("pattern"), params.get("tier"))
    result: StoreResult = {**listing(found), "total": len(found)}
    if params.get("includeValues") is True:
        result["entries"] = _with_values(notes.with_values(found[:MAX_LISTED]))
    if params.get("includeStats") is True:
        result["stats"] = {"count": len(found), "totalBytes": sum(entry.size_bytes for entry in found)}
    return result


def _with_values(entries: Sequence[NotesEntry]) -> list[JSON]:
    room = MAX_SHOWN_CHARACTERS
    shown: list[JSON] = []
    for entry in entries:
        line: dict[str, JSON] = {
            "key": entry.key,
            "description": entry.description,
            "tier": entry.tier,
        }
        length = len(entry.value_json)
        if length <= room:
            line["value"] = entry.value
            room -= length
        else:
            line["valueOmitted"] = f"{length} characters; load it with store_get"
        shown.append(line)
    return shown


def _read(notes: NotesKeeper, params: Mapping[str, JSON]) -> StoreResult:
    offset = params.get("offset", 0)
    if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
        raise InvalidEntry("offset is a whole number of at least 0, counted in characters")
    key = params.get("key")
    entry = notes.read(key) if isinstance(key, str) else None
    if entry is None:
        raise InvalidEntry(f'There is no note "{key}"; store_list("{STORE_ID}") names all notes')
    text = readable_text(entry)
    end = offset + MAX_SHOWN_CHARACTERS
    page: StoreResult = {
        "key": entry.key,
        "text": text[offset:end],
        "offset": offset,
        "totalCharacters": len(text),
    }
    return {**page, "nextOffset": end} if end < len(text) else page


def _cleanup_raw(notes: NotesKeeper, _params: Mapping[str, JSON]) -> StoreResult:
    removed = notes.cleanup_raw()
    return {"deleted": removed["deleted"], "keys": list(removed["keys"])}


def _clear(notes: NotesKeeper, _params: Mapping[str, JSON]) -> StoreResult:
    keys = notes.clear()
    return {"deleted": len(keys), "keys": list(keys)}


def _reason(error: StoreError) -> StoreResult:
    result: StoreResult = {"error": str(error)}
    if isinstance(error, StoreFull):
        result |= {"reason": "capacity", "needed": error.needed, "limit": error.limit}
    return result


_ACTIONS: dict[str, Callable[[NotesKeeper, Mapping[str, JSON]], StoreResult]] = {
    "query": _query,
    "read": _read,
    "cleanup_raw": _cleanup_raw,
    "clear": _clear,
}
