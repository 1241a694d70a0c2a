"""Rung 4 of the ladder and the work on summaries that rollover shares: ask, check, cut, fence."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from agents.context import json_values
from agents.context.background import Answer, call_bounded
from agents.context.blank import is_blank
from agents.context.errors import ContextError
from agents.context.messages import InputText

if TYPE_CHECKING:
    from agents.context.messages import Block, InputItem, MessageItem
    from agents.context.tokens import TokenEstimator

_PARAGRAPHS = re.compile(r"\n\s*\n")
_BACKTICKS = re.compile("`+")
_MIN_FENCE = 3
_OMITTED_IMAGE = "[image]"
_OMITTED_STATE = "[opaque]"
_OPAQUE_FIELDS = ("signature", "thoughtSignature", "encrypted_content")


@dataclass(frozen=True)
class RolloverRequest:
    """What a summarizer is asked.

    Attributes:
        items: copies of the messages to summarize, oldest first, without image bytes and provider state.
        estimated_tokens: what they cost.
        preserved_recent_turns: how many later turns stay as they are.
        reason: why they leave.
    """

    items: list[InputItem]
    estimated_tokens: int
    preserved_recent_turns: int
    reason: str


Summarize: TypeAlias = Callable[[RolloverRequest], Answer[Any]]
"""Returns the summary: a text, or an object with a field ``text``."""


class BadSummary(ContextError):
    """A summarizer gave something that is no summary.

    Attributes:
        code: ``blank_summary`` or ``not_smaller``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def ask(summarize: Summarize, request: RolloverRequest, timeout_s: float) -> str:
    """Return the summary that a host's function gives; characters that cannot be stored are replaced.

    Raises:
        TimeoutError: it took too long and was abandoned.
        BadSummary: it gave no text.
        Exception: whatever the function raises.
    """
    answer = call_bounded(partial(summarize, request), timeout_s)
    text = answer.get("text") if isinstance(answer, dict) else getattr(answer, "text", answer)
    if not isinstance(text, str) or is_blank(text):
        raise BadSummary("blank_summary", "The summarizer returned no text.")
    return json_values.repair_text(text).strip()


def cut_to(text: str, max_tokens: int, estimator: TokenEstimator) -> tuple[str, bool]:
    """Return the text cut after the last paragraph that fits, and whether it was cut.

    A first paragraph that is too long alone is cut within.
    """
    if estimator.estimate_tokens(text) <= max_tokens:
        return text, False
    ends = [found.start() for found in _PARAGRAPHS.finditer(text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if estimator.estimate_tokens(text[: ends[middle - 1]]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    if low:
        return text[: ends[low - 1]], True
    return longest_prefix(text, max_tokens, estimator), True


def longest_prefix(text: str, max_tokens: int, estimator: TokenEstimator, suffix: str = "") -> str:
    """Return the longest beginning that has at most so many tokens together with the suffix."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimator.estimate_tokens(text[:middle] + suffix) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def fenced(text: str) -> str:
    """Return the text in a fence that nothing in it can close."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_MIN_FENCE, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def summary_item(item_id: str, label: str, text: str, metadata: dict[str, Any]) -> InputItem:
    """Return a user message with one text block: a label, and the summary as quoted data."""
    block = InputText(type="input_text", text=f"{label}\n{fenced(text)}")
    item: dict[str, Any] = {"type": "message", "id": item_id, "role": "user", "content": [block]}
    return cast("InputItem", {**item, "metadata": metadata})


def bare_copies(items: Sequence[InputItem]) -> list[InputItem]:
    """Return deep copies with short words for image bytes and for what only a provider can read."""
    return [_bare(item) for item in items]


def _bare(item: InputItem) -> InputItem:
    copied = cast("dict[str, Any]", copy.deepcopy(item))
    if copied["type"] != "message":
        return cast("InputItem", _without_state(copied))
    message = cast("MessageItem", copied)
    message["content"] = [_bare_block(block) for block in message["content"]]
    return message


def _bare_block(block: Block) -> Block:
    if block["type"] == "input_image_url":
        return InputText(type="input_text", text=_OMITTED_IMAGE)
    if block["type"] == "tool_result" and block.get("__images"):
        images = len(block["__images"])
        text = "\n".join(filter(None, [block["content"], *[_OMITTED_IMAGE] * images]))
        bare = {name: value for name, value in block.items() if name != "__images"}
        return cast("Block", {**bare, "content": text})
    return cast("Block", _without_state(cast("dict[str, Any]", block)))


def _without_state(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _OMITTED_STATE if name in _OPAQUE_FIELDS else value for name, value in fields.items()}
