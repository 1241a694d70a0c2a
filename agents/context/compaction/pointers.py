"""The short texts that stand in the prompt for what was moved out of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agents.context.cut_texts import NOTES_STORE

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import ToolResult

_POINTER = re.compile(
    r"\[The result of .{0,64} \(\d+\.\d KB\) was moved out of the context"
    rf'(?:\. Read it with store_get\("{NOTES_STORE}", "[^"]{{1,600}}"\)\.|; the session\'s history keeps it\.'
    r"| and not kept\.)\]",
    re.DOTALL,
)
_MAX_NAME = 64
_MAX_ERROR_CHARACTERS = 200


def pointer_text(tool_name: str, size_bytes: int, key: str | None, *, is_in_history: bool) -> str:
    """Return what stands in the place of a result: tool, size, and how to read all of it."""
    what = f"The result of {tool_name[:_MAX_NAME]} ({size_bytes / 1024:.1f} KB) was moved out of the context"
    if key is not None:
        return f'[{what}. Read it with store_get("{NOTES_STORE}", "{key}").]'
    return f"[{what}; the session's history keeps it.]" if is_in_history else f"[{what} and not kept.]"


def is_pointer(text: str) -> bool:
    """Tell whether a result was moved out already."""
    return _POINTER.fullmatch(text) is not None


def result_size(block: ToolResult) -> int:
    """Return the bytes of a result with its error and its images."""
    texts = (block["content"], block.get("error", ""))
    images = sum(len(str(image)) for image in block.get("__images", ()))
    return sum(len(text.encode("utf-8", "replace")) for text in texts) + images


def full_value(block: ToolResult) -> JSON:
    """Return everything a result says: its text, or an object when there is more than text."""
    if "error" not in block and not block.get("__images"):
        return block["content"]
    value: dict[str, JSON] = {"content": block["content"]}
    if "error" in block:
        value["error"] = block["error"]
    if block.get("__images"):
        value["images"] = list(block["__images"])
    return value


def shortened(block: ToolResult, pointer: str) -> ToolResult:
    """Return the result with the pointer for its text, without images, and with the start of its error."""
    short: ToolResult = {"type": "tool_result", "tool_use_id": block["tool_use_id"], "content": pointer}
    error = block.get("error")
    if error:
        short["error"] = error if len(error) <= _MAX_ERROR_CHARACTERS else f"{error[:_MAX_ERROR_CHARACTERS]}…"
    return short
