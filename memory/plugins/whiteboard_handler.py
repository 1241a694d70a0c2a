"""How the model works with the whiteboard through the store tools: every fault becomes a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from agents.context import json_values
from agents.context.json_values import JSON
from agents.context.stores import StoreField, StoreResult, StoreSchema
from memory.plugins.errors import Destroyed, StoreError
from memory.plugins.priorities import PRIORITIES
from memory.plugins.whiteboard_capacity import WhiteboardFull
from memory.plugins.whiteboard_rules import MAX_DESCRIPTION_LENGTH, MAX_KEY_LENGTH

if TYPE_CHECKING:
    from memory.plugins.whiteboard import InContextMemory
    from memory.plugins.whiteboard_entry import WhiteboardEntry

STORE_ID = "whiteboard"
# What a reading of the whole board may repeat: its values are in the prompt already.
MAX_REPEATED_TOKENS = 4_000

_REQUIRED = '"description" and "value" are required: describe the entry in one line and give its JSON value'

_INSTRUCTIONS = """\
The store "whiteboard" is your working state. Everything on it stands in this prompt with its full value and \
is current, so you never need to read it back. Keep it small and exact: overwrite a key when its state \
changes and delete what is over.

When the whiteboard is full, entries make room for new ones by priority:
- low: temporary, goes first
- normal: the default
- high: kept as long as possible
- critical: never goes by itself

A key of an existing entry keeps its description and priority unless you send new ones."""

_SHOW_IN_UI = (
    "\n\nSet showInUI to true for what the people who watch should see; strings are shown as Markdown."
)

_FIELDS: dict[str, StoreField] = {
    "description": {
        "type": "string",
        "description": f"what the value is, one line of at most {MAX_DESCRIPTION_LENGTH} characters",
        "required": True,
    },
    "value": {"description": "any JSON value; Markdown for text", "required": True},
    "priority": {
        "type": "string",
        "enum": list(PRIORITIES),
        "description": "default: normal; low is evicted first, critical never",
    },
}
_SHOW_FIELD: StoreField = {"type": "boolean", "description": "true: show it to the people who watch"}


def instructions(*, advertise_show_in_ui: bool) -> str:
    """Return how the model uses the board."""
    return _INSTRUCTIONS + (_SHOW_IN_UI if advertise_show_in_ui else "")


def schema(*, advertise_show_in_ui: bool) -> StoreSchema:
    """Return id, texts, fields and actions of the store."""
    fields = {**_FIELDS, "showInUI": _SHOW_FIELD} if advertise_show_in_ui else dict(_FIELDS)
    return {
        "storeId": STORE_ID,
        "displayName": "Whiteboard",
        "description": "Small values that are shown in full in every prompt.",
        "usageHint": "State, counters, flags, preferences and plans that are needed on every turn.",
        "siblingHints": {"notes": 'Large or rarely needed data belongs in "notes".'},
        "setDataFields": fields,
        "actions": {"clear": {"description": "delete all entries", "destructive": True}},
    }


def answer_get(board: InContextMemory, key: str | None) -> StoreResult:
    """Return one entry, or all of them with as many values as may be repeated."""
    try:
        return _all_entries(board.entries()) if key is None else _one_entry(board.entry(key), key)
    except Destroyed as error:
        return {"found": False, "key": echo(key), "error": str(error)}


def answer_set(board: InContextMemory, key: str, data: Mapping[str, JSON]) -> StoreResult:
    """Store the fields of a call; on an update every field but the value may be left out."""
    if "value" not in data:
        return _failed(key, _REQUIRED)
    try:
        outcome = board.set(
            key,
            # Whatever came is checked by `set`; an empty description counts as not sent.
            cast("str", data.get("description") or None),
            data["value"],
            cast("str | None", data.get("priority")),
            cast("bool | None", data.get("showInUI")),
        )
    except WhiteboardFull as error:
        return {**_failed(key, str(error)), **_capacity(error)}
    except StoreError as error:
        return _failed(key, str(error))
    stored = board.entry(key)
    message = f"Stored {key!r}." if outcome.changed else f"{key!r} was already exactly so."
    result: StoreResult = {"success": True, "key": key, "showInUI": stored is not None and stored.show_in_ui}
    if outcome.evicted:
        result["evicted"] = list[JSON](outcome.evicted)
        message += f" Evicted to make room: {', '.join(outcome.evicted)}."
    return {**result, "message": " ".join([message, *outcome.warnings])}


def answer_delete(board: InContextMemory, key: str) -> StoreResult:
    """Delete an entry and say whether it was there."""
    try:
        return {"deleted": board.delete(key), "key": echo(key)}
    except Destroyed as error:
        return {"deleted": False, "key": echo(key), "error": str(error)}


def answer_list(board: InContextMemory) -> StoreResult:
    """Return every entry without its value."""
    try:
        entries = board.list()
    except Destroyed as error:
        return {"entries": [], "total": 0, "error": str(error)}
    return {"entries": list[JSON](entries), "total": len(entries)}


def answer_action(board: InContextMemory, action: str) -> StoreResult:
    """Run ``clear``; the store tools ask for its confirmation before."""
    name = echo(action)
    if action != "clear":
        return {
            "success": False,
            "action": name,
            "error": f"Unknown action {name!r}: the whiteboard has clear",
        }
    try:
        cleared = len(board.entries())
        board.clear()
    except Destroyed as error:
        return {"success": False, "action": name, "error": str(error)}
    return {"success": True, "action": name, "cleared": cleared, "message": f"Entries deleted: {cleared}."}


def _one_entry(entry: WhiteboardEntry | None, key: str) -> StoreResult:
    if entry is None:
        return {"found": False, "key": echo(key)}
    return {"found": True, "key": entry.key, "entry": entry.wire()}


def _all_entries(entries: Sequence[WhiteboardEntry]) -> StoreResult:
    shown: list[JSON] = []
    left_out: list[JSON] = []
    budget = MAX_REPEATED_TOKENS
    for entry in entries:
        budget -= entry.tokens
        shown.append(entry.wire() if budget >= 0 else entry.metadata())
        if budget < 0:
            left_out.append(entry.key)
    result: StoreResult = {"found": True, "entries": shown}
    if left_out:
        result["valuesLeftOut"] = left_out
        result["message"] = (
            "Some values are left out to keep this short. All of them stand in the Whiteboard section of the "
            "prompt; pass a key to read one."
        )
    return result


def echo(key: object) -> JSON:
    """Return what was sent as a key in a form and size that a result may hold."""
    return json_values.repair_text(key)[: MAX_KEY_LENGTH + 1] if isinstance(key, str) else None


def _failed(key: object, error: str) -> StoreResult:
    return {"success": False, "key": echo(key), "error": error, "message": error}


def _capacity(error: WhiteboardFull) -> StoreResult:
    return {
        "reason": "capacity",
        "entries": error.entries,
        "maxEntries": error.max_entries,
        "tokens": error.tokens,
        "maxTotalTokens": error.max_total_tokens,
        "entryTokens": error.entry_tokens,
    }
