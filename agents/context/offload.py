"""Keeping the full text of a tool result in the notes before the prompt loses it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from agents.context import json_values
from agents.context.cut_texts import NOTES_STORE
from agents.context.isolation import contain
from agents.context.kept_notes import find_place, look_up

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import Block, InputItem, OutputText
    from agents.context.store_tools import StoreRouter
    from agents.context.stores import StoreHandler
    from agents.context.toolbox import ToolManager

DESCRIPTION_CHARACTERS = 150

_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_PART_CHARACTERS = 60
_NAME_CHARACTERS = 150
_DIGEST_DIGITS = 6


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
                found = Call(block["name"], parse_arguments(block["arguments"]))
    return found


class Offloader:
    """Stores results as raw notes; without notes, or when they refuse, nothing is kept."""

    def __init__(self, router: StoreRouter, tools: ToolManager) -> None:
        self._router = router
        self._tools = tools

    def keep(self, use_id: str, call: Call, text: str) -> str | None:
        """Return the key under which the text can be read again, None when it was not stored.

        A text that was cut before is in the notes already, in full, and is not stored again. A note of
        another text under the same key, as ids come again, is not replaced.
        """
        handler = self._router.get(NOTES_STORE)
        if handler is None:
            return None
        return _keep(handler, result_key(call.name, use_id), describe_call(self._tools, call), text)

    def keep_words(self, item: InputItem, block: Block) -> str | None:
        """Return the key under which what a model wrote can be read again, None when it was not stored."""
        handler = self._router.get(NOTES_STORE)
        if handler is None:
            return None
        if block["type"] == "tool_use":
            key = note_key("arguments", f"{item['id']}.{block['id']}", block["name"])
            call = Call(block["name"], parse_arguments(block["arguments"]))
            described = one_line(f"Arguments of {describe_call(self._tools, call)}")
            return _keep(handler, key, described, block["arguments"])
        text = cast("OutputText", block)["text"]
        described = one_line(f"Answer of the agent: {text[:DESCRIPTION_CHARACTERS]}")
        return _keep(handler, note_key("answer", item["id"]), described, text)


def _keep(handler: StoreHandler, key: str, description: str, text: str) -> str | None:
    look = partial(find_place, key, text, partial(look_up, handler))
    place = contain("Looking for a note", look).value
    if place is None or place.is_taken:
        return place and place.key
    data: dict[str, JSON] = {"description": description, "value": text, "tier": "raw"}
    stored = contain("Storing a text in the notes", partial(handler.store_set, place.key, data)).value
    if not stored or stored.get("success") is not True:
        return None
    return str(stored.get("key", place.key))


def describe_call(tools: ToolManager, call: Call) -> str:
    """Return one line of at most 150 characters: the tool and, in its own words, what it was asked."""
    tool = tools.get(call.name)
    shown = contain("describe_call", partial(tool.describe_call, call.arguments)).value if tool else None
    return one_line(f"{call.name}: {shown}" if shown else f"Result of {call.name}()")


def one_line(text: str, max_characters: int = DESCRIPTION_CHARACTERS) -> str:
    """Return the text on one line, clipped, without anything that cannot be seen."""
    line = " ".join(text.split())
    if not line.isprintable():
        line = " ".join("".join(each if each.isprintable() else " " for each in line).split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"


def result_key(tool_name: str, use_id: str) -> str:
    """Return ``tool_result.<tool>.<id>.<digest>``: readable, and unique even where the id had to be cut."""
    return note_key("tool_result", use_id, tool_name)


def note_key(kind: str, name: str, *between: str) -> str:
    """Return a key for the notes: kind, readable parts, and six digits of a digest of the full name."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    parts = [_FOREIGN.sub("_", each)[:_PART_CHARACTERS] or "_" for each in between]
    readable = _FOREIGN.sub("_", name)[:_NAME_CHARACTERS] or "_"
    return ".".join([kind, *parts, readable, digest])


def parse_arguments(arguments: str) -> dict[str, JSON]:
    """Return the arguments of a call as an object, empty when the model wrote something else."""
    try:
        value = json_values.decode(arguments)
    except json_values.InvalidJSON:
        return {}
    return value if isinstance(value, dict) else {}
