"""Which blocks a message of which role may hold, and what to do with one that stands elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from agents.context.blank import is_blank
from agents.context.errors import InvalidItem

if TYPE_CHECKING:
    from agents.context.messages import Block, InputItem, MessageItem

_TEXTS = frozenset({"input_text", "output_text"})
ALLOWED: dict[str, frozenset[str]] = {
    "developer": _TEXTS,
    "assistant": _TEXTS | {"tool_use", "thinking"},
    "user": _TEXTS | {"input_image_url", "input_file", "tool_result"},
}
_REMEDIES = {
    "tool_use": "calls are the assistant's: add them with add_assistant_response",
    "thinking": "thinking is the assistant's: add it with add_assistant_response",
    "tool_result": "results answer calls: add them with add_tool_results",
    "input_image_url": "put images into a message of the user",
    "input_file": "put files into a message of the user",
}


def check_blocks(item: InputItem) -> None:
    """Do nothing when the blocks of the item may stand in its role and none of them is empty.

    Asked of what hosts hand over. Stored items are not asked: what they hold is left out where it is sent.

    Raises:
        InvalidItem: naming the block and the remedy.
    """
    for block in item["content"] if item["type"] == "message" else ():
        kind, role = block["type"], cast("MessageItem", item)["role"]
        if kind not in ALLOWED[role]:
            raise InvalidItem(
                f"A message of the {role} cannot hold a block of type {kind}; {_REMEDIES[kind]}."
            )
        if is_empty(block):
            raise InvalidItem(f"A block of type {kind} is empty; leave it out.")


def is_empty(block: Mapping[str, Any]) -> bool:
    """Tell whether it is a text without a character, or a file without an id; providers refuse both."""
    return block.get("text") == "" or block.get("file_id") == ""


def speaks(block: Block) -> bool:
    """Tell whether a block of the assistant is what thinking leads to: a call, or a text to be seen."""
    if block["type"] == "input_text" or block["type"] == "output_text":
        return not is_blank(block["text"])
    return block["type"] == "tool_use"


def without_idle_thinking(blocks: Iterable[Block], *, is_followed: bool = False) -> list[Block]:
    """Return an assistant's blocks without thinking that led to nothing, which providers refuse.

    Args:
        blocks: of one message.
        is_followed: whether the assistant says more in the next message.
    """
    kept: list[Block] = []
    for block in reversed(list(blocks)):
        is_followed = is_followed or speaks(block)
        if is_followed or block["type"] != "thinking":
            kept.append(block)
    return kept[::-1]
