"""Whether an item has the wire form of spec 5.2: asked wherever items come in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from agents.context import json_values
from agents.context.errors import InvalidItem

if TYPE_CHECKING:
    from agents.context.messages import InputItem

OPAQUE_TYPES = ("compaction", "reasoning")

_ROLES = ("user", "assistant", "developer")
_PLAIN_TYPES = ("input_text", "output_text")
# Block type to the fields that must be there, with their types.
_REQUIRED: dict[str, dict[str, type]] = {
    "input_text": {"text": str},
    "output_text": {"text": str},
    "input_image_url": {"image_url": dict},
    "input_file": {"file_id": str},
    "tool_use": {"id": str, "name": str, "arguments": str},
    "tool_result": {"tool_use_id": str, "content": str},
    "thinking": {"thinking": str},
}
# The same for fields that may be missing; null counts as missing.
_OPTIONAL: dict[str, dict[str, type]] = {
    "tool_use": {"thoughtSignature": str},
    "tool_result": {"error": str, "__images": list},
    "thinking": {"signature": str},
}
_PAIRS = "A conversation is loaded from pairs of a message and its tokens, a whole number from 0 on or None"


def check_item(item: object) -> InputItem:
    """Return the item without optional fields that are null, after checking it against the wire form.

    Raises:
        InvalidItem: naming the place and what is expected there.
    """
    checked = check_form(item)
    check_storable(checked, "value")
    return checked


def check_storable(value: object, name: str) -> None:
    """Do nothing when the value can be stored.

    Raises:
        InvalidItem: naming the place and the remedy.
    """
    try:
        json_values.check(value, name)
    except json_values.InvalidJSON as fault:
        raise InvalidItem(f"The item cannot be stored: {fault}") from fault


def check_counted(pairs: Iterable[object]) -> list[tuple[InputItem, int | None]]:
    """Return the pairs of a stored item and its tokens, None where they must be counted.

    Whether they can be stored is not asked: they were.

    Raises:
        InvalidItem: for what are no such pairs.
    """
    try:
        return [
            (check_form(item), _check_tokens(tokens))
            for item, tokens in cast("Iterable[tuple[object, object]]", pairs)
        ]
    except (TypeError, ValueError) as fault:
        raise InvalidItem(f"{_PAIRS}: {fault!r}.") from fault


def check_form(item: object) -> InputItem:
    """Return the item without optional fields that are null, after checking types and fields.

    Raises:
        InvalidItem: naming the place and what is expected there.
    """
    # Most messages are one text, and a conversation is loaded at every turn.
    if type(item) is dict and _is_one_text(item):
        return cast("InputItem", item)
    if not isinstance(item, dict):
        raise InvalidItem(f"An item is a dict, not {type(item).__name__}.")
    if not isinstance(item.get("id"), str):
        raise InvalidItem("An item needs a text `id`.")
    if item.get("type") not in OPAQUE_TYPES:
        item = _check_message(item)
    return cast("InputItem", item)


def _is_one_text(item: dict[str, Any]) -> bool:
    """Tell by the least looking whether it is a sound message of one text; False says nothing."""
    try:
        content = item["content"]
        [block] = content
        return (
            type(content) is list
            and type(block) is dict
            and type(block["text"]) is str is type(item["id"])
            and block["type"] in _PLAIN_TYPES
            and item["type"] == "message"
            and item["role"] in _ROLES
            and "metadata" not in item
        )
    except (TypeError, ValueError, KeyError):
        return False


def _check_tokens(tokens: object) -> int | None:
    if tokens is None or (type(tokens) is int and tokens >= 0):
        return tokens
    raise InvalidItem(f"{_PAIRS}, not {tokens!r:.80}.")


def _check_message(item: dict[str, Any]) -> dict[str, Any]:
    if item.get("type") != "message" or item.get("role") not in _ROLES:
        raise InvalidItem(f"A message has type `message` and one of the roles {', '.join(_ROLES)}.")
    content = item.get("content")
    if not isinstance(content, list) or not content:
        raise InvalidItem("A message has a non-empty list of blocks as `content`.")
    if "metadata" in item:
        item = _without_null(item, "metadata", dict, "A message")
    blocks = [_check_block(block) for block in content]
    is_same = all(new is old for new, old in zip(blocks, content, strict=True))
    return item if is_same else {**item, "content": blocks}


def _check_block(block: object) -> dict[str, Any]:
    kind = block.get("type") if isinstance(block, dict) else None
    required = _REQUIRED.get(kind) if isinstance(kind, str) else None
    if not isinstance(block, dict) or not isinstance(kind, str) or required is None:
        raise InvalidItem(f"Unknown block {kind!r:.80}; known are {', '.join(_REQUIRED)}.")
    for name, expected in required.items():
        if not isinstance(block.get(name), expected):
            raise InvalidItem(f"A block of type {kind} needs `{name}` as {expected.__name__}.")
    for name, expected in _OPTIONAL.get(kind, {}).items():
        if name in block:
            block = _without_null(block, name, expected, f"A block of type {kind}")
    return _check_image(block) if kind == "input_image_url" else block


def _check_image(block: dict[str, Any]) -> dict[str, Any]:
    image = block["image_url"]
    if not isinstance(image.get("url"), str):
        raise InvalidItem("An image needs `image_url.url` as str.")
    sound = _without_null(image, "detail", object, "An image")
    return block if sound is image else {**block, "image_url": sound}


def _without_null(fields: dict[str, Any], name: str, expected: type, what: str) -> dict[str, Any]:
    """Return the fields without that one when it is null."""
    value = fields.get(name)
    if value is not None and not isinstance(value, expected):
        raise InvalidItem(f"{what} has `{name}` as {expected.__name__}, or not at all.")
    if value is None and name in fields:
        return {key: each for key, each in fields.items() if key != name}
    return fields
