"""Keeping the full text of a tool result in the notes before the prompt loses it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from agents.context import json_values
from agents.context.isolation import contain

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem
    from agents.context.store_tools import StoreRouter
    from agents.context.toolbox import ToolManager

NOTES_STORE = "notes"
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_ID_CHARACTERS = 60
_DIGEST_DIGITS = 6
_DESCRIPTION_CHARACTERS = 150


class Call(NamedTuple):
    """The call a result belongs to."""

    name: str
    arguments: dict[str, JSON]


def find_call(items: Iterable[InputItem], use_id: str) -> Call:
    """Return the latest call with that id; one that is not among the items is named ``tool``."""
    found = Call("tool", {})
    for item in items:
        for block in item["content"] if item["type"] == "message" else ():
            if block["type"] == "tool_use" and block["id"] == use_id:
                found = Call(block["name"], _parse(block["arguments"]))
    return found


class Offloader:
    """Stores results as raw notes; without notes, or when they refuse, nothing is kept."""

    def __init__(self, router: StoreRouter, tools: ToolManager) -> None:
        self._router = router
        self._tools = tools

    def keep(self, use_id: str, call: Call, text: str) -> str | None:
        """Return the key under which the text can be read again, None when it was not stored."""
        handler = self._router.get(NOTES_STORE)
        if handler is None:
            return None
        key = _key(call.name, use_id)
        data: dict[str, JSON] = {"description": self._describe(call), "value": text, "tier": "raw"}
        stored = contain("Storing a tool result", partial(handler.store_set, key, data)).value
        if not stored or stored.get("success") is not True:
            return None
        return str(stored.get("key", key))

    def _describe(self, call: Call) -> str:
        tool = self._tools.get(call.name)
        shown = contain("describe_call", partial(tool.describe_call, call.arguments)).value if tool else None
        line = f"{call.name}: {shown}" if shown else f"Result of {call.name}()"
        line = " ".join(line.split())
        return line if len(line) <= _DESCRIPTION_CHARACTERS else f"{line[: _DESCRIPTION_CHARACTERS - 1]}…"


def _key(tool_name: str, use_id: str) -> str:
    """Return ``tool_result.<tool>.<id>.<digest>``: readable, and unique even where the id had to be cut."""
    digest = hashlib.sha256(use_id.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    parts = [_FOREIGN.sub("_", each)[:_ID_CHARACTERS] or "_" for each in (tool_name, use_id)]
    return ".".join(["tool_result", *parts, digest])


def _parse(arguments: str) -> dict[str, JSON]:
    try:
        value = json_values.decode(arguments)
    except json_values.InvalidJSON:
        return {}
    return value if isinstance(value, dict) else {}
