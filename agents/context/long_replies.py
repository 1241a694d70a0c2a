"""What becomes of a model's own words when they leave no room: they are shortened, and kept in full."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from agents.context import json_values
from agents.context.counting import count_block
from agents.context.cut_texts import cut_text
from agents.context.offload import parse_arguments

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import Block, InputItem, MessageItem, ToolUse
    from agents.context.tokens import TokenEstimator

KeepWords = Callable[["InputItem", "Block"], str | None]
"""Stores the full text of a block of an answer; gives the key to read it again, or None."""

SHOWN_CHARACTERS = 1_000
# Of arguments that stay too long although each of their texts was shortened.
_CUT_ARGUMENTS = "cut"
# Shorter ones stay as they are, and so many characters may shortened arguments have in all.
_LONG_CHARACTERS = 4 * SHOWN_CHARACTERS


def shorten_replies(
    items: Sequence[InputItem], excess: int, estimator: TokenEstimator, keep: KeepWords
) -> dict[int, InputItem]:
    """Return shorter forms, by position, of answers that free ``excess`` tokens, or as many as they can.

    The largest texts and arguments go first; their first 1,000 characters stay. Calls stay calls, with
    arguments that are an object. What people wrote, results and thinking are not touched.
    """
    parts = sorted(_long_parts(items, estimator), reverse=True)
    shorter: dict[int, InputItem] = {}
    for tokens, place, index in parts:
        if excess <= 0:
            break
        item = cast("MessageItem", shorter.get(place, items[place]))
        block = item["content"][index]
        cut = _shorter(block, keep(item, block))
        content = [*item["content"][:index], cut, *item["content"][index + 1 :]]
        shorter[place] = cast("MessageItem", {**item, "content": content})
        excess -= tokens - count_block(cut, estimator)
    return shorter


def _words(block: Block) -> str:
    """Return the text or the arguments that a model wrote, empty for any other block."""
    if block["type"] == "tool_use":
        return block["arguments"]
    return block["text"] if block["type"] == "output_text" else ""


def _long_parts(items: Sequence[InputItem], estimator: TokenEstimator) -> list[tuple[int, int, int]]:
    """Return tokens, position and index of each block of an answer that can be shortened."""
    return [
        (count_block(block, estimator), place, index)
        for place, item in enumerate(items)
        if item["type"] == "message" and item["role"] == "assistant"
        for index, block in enumerate(item["content"])
        if len(_words(block)) > _LONG_CHARACTERS
    ]


def _shorter(block: Block, key: str | None) -> Block:
    if block["type"] == "tool_use":
        return cast("ToolUse", {**block, "arguments": _shorter_arguments(block["arguments"], key)})
    return cast("Block", {**block, "text": _cut(_words(block), key)})


def _shorter_arguments(text: str, key: str | None) -> str:
    parsed = parse_arguments(text)
    arguments = _encoded({name: _shorter_value(each, key) for name, each in parsed.items()})
    if parsed and len(arguments) <= _LONG_CHARACTERS:
        return arguments
    return _encoded({_CUT_ARGUMENTS: _cut(text, key)})


def _encoded(arguments: dict[str, JSON]) -> str:
    # Models write numbers that the values of the stores may not be.
    return json.dumps(json_values.repair(arguments), ensure_ascii=False, separators=(",", ":"))


def _shorter_value(value: JSON, key: str | None) -> JSON:
    if isinstance(value, str):
        return _cut(value, key) if len(value) > SHOWN_CHARACTERS else value
    if isinstance(value, list):
        return [_shorter_value(each, key) for each in value]
    if isinstance(value, dict):
        return {name: _shorter_value(each, key) for name, each in value.items()}
    return value


def _cut(text: str, key: str | None) -> str:
    return cut_text(text, SHOWN_CHARACTERS, key)
