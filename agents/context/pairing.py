"""Every tool call answered right after it, and every answer to a call: what providers insist on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from agents.context.messages import ToolResult

if TYPE_CHECKING:
    from agents.context.messages import Block, InputItem, MessageItem

_PLAIN_TYPES = ("input_text", "output_text")
_LEADING_TO_CALLS = ("tool_use", "thinking")
_LOST_RESULT = "No result of this call was recorded."


class Piece(NamedTuple):
    """One item on its way into the prompt; a tuple, because a long conversation has many.

    Attributes:
        tokens: None for an item that was changed here and must be counted again.
        is_pending: belongs to the current input, not to the history.
        uses: ids of the calls in it.
        results: ids of the calls it answers.
        results_first: no other block stands before a result.
    """

    item: InputItem
    tokens: int | None = None
    is_pending: bool = False
    uses: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    results_first: bool = True


def piece_of(item: InputItem, tokens: int | None = None, *, is_pending: bool = False) -> Piece:
    """Return the item with the ids of its calls and results; only where they may stand they are such."""
    if item["type"] != "message":
        return Piece(item, tokens, is_pending)
    content, role = item["content"], item["role"]
    # Most messages are one text, and a conversation is loaded at every turn.
    if len(content) == 1 and content[0]["type"] in _PLAIN_TYPES:
        return Piece(item, tokens, is_pending)
    if role == "assistant":
        uses = tuple(block["id"] for block in content if block["type"] == "tool_use")
        return Piece(item, tokens, is_pending, uses)
    if role == "developer":
        return Piece(item, tokens, is_pending)
    kinds = [block["type"] == "tool_result" for block in content]
    results = tuple(block["tool_use_id"] for block in content if block["type"] == "tool_result")
    return Piece(item, tokens, is_pending, (), results, kinds == sorted(kinds, reverse=True))


class PairWatch:
    """Follows a growing conversation and tells whether its pairs are whole so far.

    Whole means: every call is answered once, directly after it, and nothing else is answered.
    """

    def __init__(self) -> None:
        self._open: frozenset[str] = frozenset()
        self._is_broken = False

    @property
    def is_whole(self) -> bool:
        """Whether all pairs are whole and every call is answered."""
        return not (self._is_broken or self._open)

    def feed(self, pieces: Iterable[Piece]) -> None:
        """Look at the next pieces."""
        for piece in pieces:
            # Most messages neither call nor answer.
            if piece.results or piece.uses or self._open:
                self._look_at(piece)

    def is_sound_with(self, pieces: Iterable[Piece]) -> bool:
        """Tell whether all pairs are whole and answered after some more pieces, without going on to them."""
        ahead = self.copy()
        ahead.feed(pieces)
        return ahead.is_whole

    def copy(self) -> PairWatch:
        """Return another one that has seen the same."""
        twin = PairWatch()
        twin._open, twin._is_broken = self._open, self._is_broken
        return twin

    def _look_at(self, piece: Piece) -> None:
        results, uses = frozenset(piece.results), frozenset(piece.uses)
        answers_in_place = piece.results_first and results <= self._open
        is_repeated = len(results) < len(piece.results) or len(uses) < len(piece.uses)
        self._is_broken |= is_repeated or not (answers_in_place if results else not self._open)
        self._open = (self._open - results) | uses


def open_calls(latest_first: Iterable[Piece]) -> set[str]:
    """Return the calls that a result could still answer: those of the last assistant message without one."""
    answered: set[str] = set()
    for piece in latest_first:
        if piece.item["type"] == "message" and piece.item["role"] == "assistant":
            return set(piece.uses) - answered
        answered.update(piece.results)
    return set()


def is_sound(pieces: Iterable[Piece]) -> bool:
    """Tell whether every call is answered once, directly after it, and nothing else is answered."""
    return PairWatch().is_sound_with(pieces)


def repair_pairs(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with whole pairs only; the given ones are not changed.

    A call without any answer goes, and so does an answer without its call. A call whose siblings were
    answered gets an error result instead. An answer that arrived after other messages moves up to its
    call. A message left empty is dropped, and user messages that meet because of it become one.
    """
    repaired: list[Piece] = []
    gap = False
    for group in _groups(pieces):
        for piece in _repair_group(group):
            if not _has_content(piece):
                gap = True
            elif gap and repaired and _are_plain_users(repaired[-1], piece):
                repaired[-1] = _merge(repaired[-1], piece)
                gap = False
            else:
                repaired.append(piece)
                gap = False
    return repaired


def _groups(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield runs that begin with an assistant message: answers to its calls are looked for in its run."""
    group: list[Piece] = []
    for piece in pieces:
        if group and piece.item["type"] == "message" and piece.item["role"] == "assistant":
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _repair_group(group: list[Piece]) -> list[Piece]:
    head, *rest = group
    if not head.uses:
        return [_keep_results(piece, set()) for piece in group]
    wanted = dict.fromkeys(head.uses)
    answers: list[Piece] = []
    others: list[Piece] = []
    missing = set(wanted)
    for piece in rest:
        if not piece.results:
            others.append(piece)
            continue
        kept = _keep_results(piece, missing)
        missing.difference_update(kept.results)
        if kept.results:
            answers.append(_results_first(kept))
        else:
            others.append(kept)
    if not answers:
        return [_drop_uses(head), *others]
    if missing:
        answers[-1] = _answer_for(answers[-1], [use for use in wanted if use in missing])
    return [_unique_uses(head), *answers, *others]


def _keep_results(piece: Piece, wanted: set[str]) -> Piece:
    """Return the piece with the first result of each wanted id only."""
    if not piece.results or (
        wanted.issuperset(piece.results) and len(set(piece.results)) == len(piece.results)
    ):
        return piece
    left = set(wanted)
    blocks: list[Block] = []
    for block in _blocks(piece):
        if block["type"] == "tool_result":
            if block["tool_use_id"] not in left:
                continue
            left.discard(block["tool_use_id"])
        blocks.append(block)
    return _with_blocks(piece, blocks)


def _results_first(piece: Piece) -> Piece:
    if piece.results_first:
        return piece
    return _with_blocks(piece, sorted(_blocks(piece), key=lambda block: block["type"] != "tool_result"))


def _drop_uses(piece: Piece) -> Piece:
    """Return the piece without its calls and the thinking that led to them, which may not stand last."""
    kept = [block for block in _blocks(piece) if block["type"] not in _LEADING_TO_CALLS]
    return _with_blocks(piece, kept)


def _unique_uses(piece: Piece) -> Piece:
    if len(set(piece.uses)) == len(piece.uses):
        return piece
    seen: set[str] = set()
    blocks: list[Block] = []
    for block in _blocks(piece):
        if block["type"] == "tool_use":
            if block["id"] in seen:
                continue
            seen.add(block["id"])
        blocks.append(block)
    return _with_blocks(piece, blocks)


def _answer_for(piece: Piece, ids: list[str]) -> Piece:
    lost: list[Block] = [
        ToolResult(type="tool_result", tool_use_id=each, content="", error=_LOST_RESULT) for each in ids
    ]
    blocks = _blocks(piece)
    last = max(place for place, block in enumerate(blocks) if block["type"] == "tool_result")
    return _with_blocks(piece, [*blocks[: last + 1], *lost, *blocks[last + 1 :]])


def _are_plain_users(first: Piece, second: Piece) -> bool:
    return all(
        piece.item["type"] == "message" and piece.item["role"] == "user" for piece in (first, second)
    ) and not (second.results)


def _merge(first: Piece, second: Piece) -> Piece:
    merged = _with_blocks(first, [*_blocks(first), *_blocks(second)])
    return merged._replace(is_pending=second.is_pending)


def _has_content(piece: Piece) -> bool:
    return piece.item["type"] != "message" or bool(piece.item["content"])


def _blocks(piece: Piece) -> list[Block]:
    return cast("MessageItem", piece.item)["content"]


def _with_blocks(piece: Piece, blocks: list[Block]) -> Piece:
    item = cast("MessageItem", {**piece.item, "content": blocks})
    return piece_of(item, is_pending=piece.is_pending)
