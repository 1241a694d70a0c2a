"""Rungs 1, 2 and 6 of the ladder: tool results become pointers, old exchanges become one line per call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from agents.context.compaction.pointers import is_pointer, result_size, shortened
from agents.context.compaction.units import ANSWERED_NOW
from agents.context.counting import MESSAGE_OVERHEAD, count_block
from agents.context.messages import OutputText
from agents.context.offload import Call, one_line

if TYPE_CHECKING:
    from agents.context.compaction.draft import Draft
    from agents.context.compaction.keeper import Kept
    from agents.context.compaction.plan import Rung
    from agents.context.compaction.units import Unit
    from agents.context.messages import Block, InputItem, MessageItem, ToolResult
    from agents.context.pairing import Piece
    from agents.context.tokens import TokenEstimator

# What a pointer and its line in the notes' index cost at most; a result below is not worth moving.
POINTER_TOKENS = 100
# A result shorter than this is told as it is when its exchange is collapsed.
_SHORT_RESULT = 120
_UNKNOWN = Call("tool", {})


def shorten_large(draft: Draft, min_bytes: int) -> None:
    """Rung 1: move results above the size out of every unit that is not protected, oldest first."""
    for unit in _open_exchanges(draft):
        if is_done(draft):
            return
        _shorten(draft, unit, "large_results", min_bytes)


def collapse_old(draft: Draft, max_pairs: int) -> None:
    """Rung 2: move results of exchanges beyond the newest ``max_pairs`` pairs, then tell each in a line."""
    old = _beyond_newest_pairs(draft, max_pairs)
    for unit in old:
        if is_done(draft):
            return
        _shorten(draft, unit, "old_exchanges", 0)
    for unit in old:
        if is_done(draft):
            return
        _collapse(draft, unit, "old_exchanges")


def shorten_protected(draft: Draft) -> None:
    """Rung 6: move protected results too, oldest first; when nothing fits even then, tell them in lines.

    Results that nobody can keep are given up only for a prompt that fits.
    """
    units = [unit for unit in draft.units if unit.is_exchange and not draft.is_gone(unit)]
    for unit in units:
        if is_done(draft):
            return
        _shorten(draft, unit, "last_resort", 0)
    for unit in units:
        if _fits(draft):
            return
        if not draft.keeper.can_keep:
            _shorten(draft, unit, "last_resort", 0, may_lose=True)
        if unit.protection != ANSWERED_NOW:
            _collapse(draft, unit, "last_resort")


def is_done(draft: Draft) -> bool:
    """Tell whether the target is met, by an exact recount when it seems so."""
    return draft.missing == 0 and draft.settled().content_used <= draft.target


def _fits(draft: Draft) -> bool:
    content_max = draft.budget.content_max
    return draft.used <= content_max and draft.settled().content_used <= content_max


def _open_exchanges(draft: Draft) -> list[Unit]:
    return [unit for unit in draft.units if unit.is_exchange and not unit.protection]


def _beyond_newest_pairs(draft: Draft, max_pairs: int) -> list[Unit]:
    """Return the unprotected exchanges that are older than the newest pairs of call and result."""
    old: list[Unit] = []
    pairs = 0
    for unit in reversed(draft.units):
        if not unit.is_exchange:
            continue
        pairs += len(draft.calls_of(unit))
        if pairs > max_pairs and not unit.protection:
            old.append(unit)
    return old[::-1]


def _shorten(draft: Draft, unit: Unit, rung: Rung, min_bytes: int, *, may_lose: bool = False) -> None:
    """Replace the results of a unit that are worth it by pointers; everything else in it stays."""
    if not draft.keeper.can_keep and not may_lose:
        return
    calls = draft.calls_of(unit)
    for place in unit.positions:
        piece = draft.piece(place)
        if piece is None or not piece.results:
            continue
        item = cast("MessageItem", piece.item)
        blocks, kept = _moved(draft, piece, calls, min_bytes)
        if not kept:
            continue
        freed = draft.used
        draft.put(
            place,
            cast("InputItem", {**item, "content": blocks}),
            rung,
            f"{len(kept)} results moved out",
            kept_in=tuple(where for each in kept for where in each.places),
            needs=frozenset().union(*(each.needs for each in kept)),
        )
        freed -= draft.used
        places = ", ".join(where for each in kept for where in each.places)
        draft.log.append(f"{rung}: results in {item['id']} moved out, {freed} tokens, kept in {places}")


def _moved(
    draft: Draft, piece: Piece, calls: dict[str, Call], min_bytes: int
) -> tuple[list[Block], list[Kept]]:
    item = cast("MessageItem", piece.item)
    # Of a single result the count is known; counting it again would be most of the work.
    known = (piece.tokens or 0) - MESSAGE_OVERHEAD if len(item["content"]) == 1 else None
    blocks: list[Block] = []
    kept: list[Kept] = []
    for block in item["content"]:
        if block["type"] == "tool_result" and _is_worth_moving(block, min_bytes, draft.estimator, known):
            call = calls.get(block["tool_use_id"], _UNKNOWN)
            where = draft.keeper.keep_result(block, call, item["id"])
            draft.take_writes()
            if where is not None:
                kept.append(where)
                blocks.append(shortened(block, draft.keeper.pointer(block, call, where)))
                continue
            draft.log.append(f"{item['id']}: result of {call.name} stays, it could not be stored elsewhere")
        blocks.append(block)
    return blocks, kept


def _is_worth_moving(block: ToolResult, min_bytes: int, estimator: TokenEstimator, known: int | None) -> bool:
    if is_pointer(block["content"]) or result_size(block) <= min_bytes:
        return False
    return (count_block(block, estimator) if known is None else known) > POINTER_TOKENS


def _collapse(draft: Draft, unit: Unit, rung: Rung) -> None:
    """Replace an exchange by one assistant text: what it said, and one line for each call."""
    items = [piece.item for place in unit.positions if (piece := draft.piece(place)) is not None]
    if not items or any(_has_words_of_people(item) for item in items):
        return
    text = _collapsed_text(draft, unit, items)
    head = next(item for item in items if item["type"] == "message" and item["role"] == "assistant")
    collapsed = cast("InputItem", {**head, "content": [OutputText(type="output_text", text=text)]})
    saved = draft.tokens_of(unit) - draft.estimate_tokens(collapsed)
    if saved <= (0 if draft.keeper.has_history else POINTER_TOKENS):
        return
    kept = draft.keeper.keep_items(draft.items_of(unit), one_line(f"Calls: {text}"))
    draft.take_writes()
    if kept is None:
        draft.log.append(f"{rung}: {head['id']} stays, it could not be stored elsewhere")
        return
    if kept.key is not None:
        collapsed = _with_source(head, text, kept.key)
    for place in unit.positions:
        new = collapsed if place == unit.first else None
        draft.put(place, new, rung, "calls told in a line", kept_in=kept.places, needs=kept.needs)
    where = ", ".join(kept.places)
    draft.log.append(f"{rung}: calls of {head['id']} told in lines, {saved} tokens, kept in {where}")


def _with_source(head: MessageItem, text: str, key: str) -> InputItem:
    words = f'{text}\n[The messages themselves: store_get("notes", "{key}").]'
    return cast("InputItem", {**head, "content": [OutputText(type="output_text", text=words)]})


def _has_words_of_people(item: InputItem) -> bool:
    if item["type"] != "message" or item["role"] != "user":
        return False
    return any(block["type"] != "tool_result" for block in item["content"])


def _collapsed_text(draft: Draft, unit: Unit, items: Sequence[InputItem]) -> str:
    blocks = [block for item in items if item["type"] == "message" for block in item["content"]]
    words = [block["text"] for block in blocks if block["type"] == "output_text"]
    results = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    lines = [_line(draft, call, results.get(use_id)) for use_id, call in draft.calls_of(unit).items()]
    return "\n".join([*words, *lines])


def _line(draft: Draft, call: Call, result: ToolResult | None) -> str:
    asked = one_line(draft.describe_tool_call(call.name, call.arguments))
    if result is None:
        return f"[Called {asked}: no result.]"
    error = result.get("error")
    said = one_line(f"failed: {error}", _SHORT_RESULT) if error else result["content"]
    if not is_pointer(said):
        said = one_line(said, _SHORT_RESULT)
    return f"[Called {asked}: {said}]"
