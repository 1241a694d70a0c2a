"""What happens to pending input that alone is larger than the room for it (spec 5.6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from agents.context.counting import MESSAGE_OVERHEAD, count_block, count_item
from agents.context.cut_texts import cut_text, read_cut

if TYPE_CHECKING:
    from agents.context.messages import Block, InputItem, MessageItem, ToolResult
    from agents.context.tokens import TokenEstimator

Keep = Callable[[str, str], str | None]
"""Stores the full text of a result by the id of its call; gives the key to read it again, or None."""

_CHARACTERS_PER_TOKEN = 3.5
_NOTE_CHARACTERS = 200
_MAX_ROUNDS = 8
# Aim a little below the room that was missed, so that few rounds are needed.
_SAFETY = 0.95

_BINARY_MIN_CHARACTERS = 100
_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]+(?:\r?\n[A-Za-z0-9+/=_-]+)*")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_CONTROL_SHARE = 0.1
_BINARY_NOTE = "[Binary data is not shown.]"
_BINARY_ERROR = "The result is binary data; ask the tool for text, or for less."
_SKIPPED_ERROR = "The result did not fit into the context."


@dataclass(frozen=True)
class OversizeResult:
    """What became of the pending input.

    Attributes:
        accepted: False when it cannot be made to fit.
        items: the pending items as they are now; changed ones are new dicts with the old ids.
        changed: ids of the changed items.
        error: why it was not accepted.
        warning: what was cut.
        original_size: tokens before.
        final_size: tokens after.
    """

    accepted: bool
    items: tuple[InputItem, ...]
    original_size: int
    final_size: int
    changed: tuple[str, ...] = ()
    error: str | None = None
    warning: str | None = None


def shrink_input(
    items: Sequence[InputItem], limit: int, estimator: TokenEstimator, keep: Keep
) -> OversizeResult:
    """Return the input cut to at most ``limit`` tokens.

    Words of people are never cut: when they alone are too much, the input is refused. Tool results are cut
    from the end, after the full text was handed to ``keep``; images stay. The given items do not change.
    """
    original = sum(count_item(item, estimator) for item in items)
    fixed = sum(_fixed_tokens(item, estimator) for item in items)
    if fixed > limit:
        error = f"The input is too large: {fixed} tokens, and {max(limit, 0)} fit. Send less."
        return OversizeResult(False, tuple(items), original, original, error=error)
    cutter = _Cutter(keep)
    share = float(limit - fixed) * _CHARACTERS_PER_TOKEN
    for _ in range(_MAX_ROUNDS):
        cut = [_cut_item(item, cutter.within(int(share))) for item in items]
        final = sum(count_item(item, estimator) for item in cut)
        if final <= limit:
            break
        share *= _SAFETY * (limit - fixed) / max(final - fixed, 1)
        cutter.spent = 0
    changed = tuple(new["id"] for old, new in zip(items, cut, strict=True) if new is not old)
    if final > limit:
        error = f"The input is too large even after cutting: {final} tokens, and {limit} fit."
        return OversizeResult(False, tuple(items), original, original, error=error)
    warning = f"Tool results were cut from {original} to {final} tokens."
    return OversizeResult(True, tuple(cut), original, final, changed, warning=warning)


def looks_binary(text: str) -> bool:
    """Tell base64 and control characters from text: paths, identifiers and prose are never binary."""
    if len(text) < _BINARY_MIN_CHARACTERS:
        return False
    if len(_CONTROL.findall(text)) > _CONTROL_SHARE * len(text):
        return True
    body = text.strip()
    if not _BASE64.fullmatch(body):
        return False
    upper = sum("A" <= each <= "Z" for each in body)
    lower = sum("a" <= each <= "z" for each in body)
    digits = sum("0" <= each <= "9" for each in body)
    # Encoded bytes spread over the alphabet: 41 % each of capitals and small letters, 16 % digits, and
    # 1.6 % slashes, where a path has one every few letters.
    balanced = min(upper, lower) > 0.15 * len(body) and digits > 0.04 * len(body)
    return balanced and body.count("/") < 0.05 * len(body)


class _Cutter:
    """Hands out characters to one result after the other."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._keys: dict[tuple[str, str], str | None] = {}
        self._room = 0
        self.spent = 0

    def within(self, room: int) -> _Cutter:
        self._room = room
        return self

    def cut(self, block: ToolResult) -> ToolResult:
        text = block["content"]
        if looks_binary(text) and not block.get("__images"):
            return {**block, "content": _BINARY_NOTE, "error": _BINARY_ERROR}
        left = self._room - self.spent
        if len(text) <= left:
            self.spent += len(text)
            return block
        self.spent = self._room
        earlier = read_cut(text)
        # Of a text that was cut before, the note is no part of what is shown.
        shown = min(left - _NOTE_CHARACTERS, len(earlier.shown) if earlier else len(text))
        if shown <= 0:
            return {**block, "content": cut_text(text, 0, self._key_of(block)), "error": _SKIPPED_ERROR}
        return {**block, "content": cut_text(text, shown, self._key_of(block))}

    def _key_of(self, block: ToolResult) -> str | None:
        full = block["tool_use_id"], block["content"]
        if full not in self._keys:
            self._keys[full] = self._keep(*full)
        return self._keys[full]


def _cut_item(item: InputItem, cutter: _Cutter) -> InputItem:
    if item["type"] != "message":
        return item
    blocks: list[Block] = [
        cutter.cut(block) if block["type"] == "tool_result" else block for block in item["content"]
    ]
    if all(new is old for new, old in zip(blocks, item["content"], strict=True)):
        return item
    return cast("MessageItem", {**item, "content": blocks})


def _fixed_tokens(item: InputItem, estimator: TokenEstimator) -> int:
    """Return the tokens of an item that cutting its results cannot save."""
    if item["type"] != "message":
        return count_item(item, estimator)
    return MESSAGE_OVERHEAD + sum(
        count_block({**block, "content": ""}, estimator)
        if block["type"] == "tool_result"
        else count_block(block, estimator)
        for block in item["content"]
    )
