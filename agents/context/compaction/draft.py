"""A compaction on copies: what a strategy works on, and what a plan is made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from agents.context.assembly import StandIns
from agents.context.compaction.keeper import Keeper
from agents.context.compaction.plan import (
    CompactionPlan,
    ItemChange,
    NoteWrite,
    PluginShrink,
    Rung,
    Trigger,
)
from agents.context.compaction.shortfall import shortfall_of
from agents.context.compaction.twins import Twins, revisions_of
from agents.context.compaction.units import Unit, units_of
from agents.context.counting import count_item
from agents.context.offload import Call, describe_call, parse_arguments
from agents.context.pairing import Piece, piece_of

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.conversation import Conversation
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem
    from agents.context.plugin import ContextPlugin
    from agents.context.stores import StoreHandler
    from agents.context.tokens import TokenEstimator
    from agents.context.toolbox import ToolManager

Recount = Callable[[StandIns | None], "Budget"]
"""Gives the budget of the context as it is, or as it would be."""


@dataclass(frozen=True)
class Material:
    """What a draft is made from.

    Attributes:
        plugins: by name, in order of registration.
        has_history: whether a journal or the host keeps every message.
        uses_notes: whether the notes may be written to.
    """

    conversation: Conversation
    plugins: Mapping[str, ContextPlugin]
    tools: ToolManager
    estimator: TokenEstimator
    has_history: bool
    uses_notes: bool = True


@dataclass(frozen=True)
class Order:
    """What is wanted.

    Attributes:
        trigger: who asks.
        strategy: name of the strategy.
        target: content tokens to end at or under.
        before: the budget now.
        protected_turns: how many of the last turns stay.
    """

    trigger: Trigger
    strategy: str
    target: int
    before: Budget
    protected_turns: int = 4


class Draft:
    """The context as it would be; nothing here reaches the context itself.

    Strategies of hosts use the names of spec 6.2: ``budget``, ``conversation``, ``current_input``,
    ``plugins``, ``strategy_name``, ``remove_messages``, ``compact_plugin``, ``estimate_tokens`` and
    ``describe_tool_call``.

    Attributes:
        budget: the count at the last ``recount``.
        log: what was done, one line each.
        keeper: keeps what leaves.
        units: the history in indivisible units; positions are those of the original history.
    """

    def __init__(self, material: Material, order: Order, recount: Recount) -> None:
        self._material = material
        self._order = order
        self._recount = recount
        self._base = material.conversation.history()
        self._history_copy: list[InputItem] | None = None
        self._changes: dict[int, ItemChange] = {}
        self._pieces: dict[int, Piece | None] = {}
        self._saved = 0
        self._talk, self._is_rewritten = material.conversation, False
        self._operations: list[NoteWrite | PluginShrink] = []
        self._twins = Twins(material.plugins)
        self.keeper = Keeper(self._notes(), self._twins.live_notes, material.has_history, material.tools)
        self.budget = order.before
        self.log: list[str] = []
        self.units = units_of(self._base, material.conversation.pending(), order.protected_turns)

    # What strategies see

    @property
    def estimator(self) -> TokenEstimator:
        """Counts as the context counts."""
        return self._material.estimator

    @property
    def strategy_name(self) -> str:
        """Name of the strategy in use."""
        return self._order.strategy

    @property
    def target(self) -> int:
        """Content tokens to end at or under."""
        return self._order.target

    @property
    def conversation(self) -> list[InputItem]:
        """A copy of the history as it was at the beginning; ``remove_messages`` counts its positions."""
        if self._history_copy is None:
            self._history_copy = copy.deepcopy([piece.item for piece in self._base])
        return self._history_copy

    @property
    def current_input(self) -> list[InputItem]:
        """A copy of what the next call answers to; it is never touched."""
        return copy.deepcopy(self._material.conversation.pending_items())

    @property
    def plugins(self) -> Mapping[str, ContextPlugin]:
        """The plugins as they would be, for reading."""
        return self._twins.readable()

    @property
    def used(self) -> int:
        """Content tokens by the last recount, less what the messages lost since."""
        return self.budget.content_used - self._saved

    @property
    def missing(self) -> int:
        """Tokens still to be freed."""
        return max(0, self.used - self.target)

    def estimate_tokens(self, item: InputItem) -> int:
        """Return what an item costs."""
        return count_item(item, self._material.estimator)

    def describe_tool_call(self, name: str, arguments: dict[str, JSON]) -> str:
        """Return one line that says what a call does, in the tool's own words."""
        return describe_call(self._material.tools, Call(name, arguments))

    def remove_messages(self, positions: Iterable[int]) -> int:
        """Return the tokens freed by removing messages of ``conversation``, whole pairs only.

        A message takes its unit with it; protected units stay, and so do those that cannot be kept elsewhere.
        """
        before = self.used
        wanted = set(positions)
        for unit in self.units:
            if wanted.intersection(unit.positions) and not unit.protection:
                self.remove([unit], "strategy", "removed by the strategy")
        return before - self.used

    def compact_plugin(self, name: str, tokens: int) -> int:
        """Return the tokens that a plugin really gives back; 0 when it is unknown or has nothing to give."""
        return self.shrink_plugin(name, tokens)

    # What the ladder does

    def piece(self, position: int) -> Piece | None:
        """Return the item at a position as it would be, None when it would be gone."""
        return self._pieces.get(position, self._base[position])

    def items_of(self, unit: Unit) -> list[InputItem]:
        """Return the original items of a unit."""
        return [self._base[place].item for place in unit.positions]

    def calls_of(self, unit: Unit) -> dict[str, Call]:
        """Return the calls that a unit makes, by id."""
        return {
            block["id"]: Call(block["name"], parse_arguments(block["arguments"]))
            for item in self.items_of(unit)
            if item["type"] == "message"
            for block in item["content"]
            if block["type"] == "tool_use"
        }

    def is_gone(self, unit: Unit) -> bool:
        """Tell whether nothing is left of a unit."""
        return all(self.piece(place) is None for place in unit.positions)

    def tokens_of(self, unit: Unit) -> int:
        """Return what a unit would cost."""
        pieces = (self.piece(place) for place in unit.positions)
        return sum(piece.tokens or 0 for piece in pieces if piece is not None)

    def put(self, position: int, item: InputItem | None, rung: Rung, reason: str, **kept: object) -> None:
        """Plan a new form of an item; ``kept`` are the fields ``kept_in`` and ``needs`` of the change."""
        now = self.piece(position)
        tokens = count_item(item, self._material.estimator) if item is not None else 0
        self._saved += (now.tokens or 0 if now else 0) - tokens
        self._pieces[position] = piece_of(item, tokens) if item is not None else None
        self._is_rewritten = True
        base = self._base[position]
        earlier = self._changes.get(position)
        self._changes[position] = ItemChange(
            position=position,
            item_id=base.item["id"],
            item=item,
            tokens_before=base.tokens or 0,
            tokens_after=tokens,
            rung=rung,
            reason=reason,
            kept_in=cast("tuple[str, ...]", kept.get("kept_in", ())),
            needs=cast("frozenset[str]", kept.get("needs", frozenset()))
            | (earlier.needs if earlier else frozenset()),
        )

    def remove(self, units: Sequence[Unit], rung: Rung, reason: str) -> bool:
        """Return whether the units left together: they stay when nobody can keep them."""
        left = [unit for unit in units if not self.is_gone(unit)]
        items = [item for unit in left for item in self.items_of(unit)]
        if not items:
            return False
        kept = self.keeper.keep_items(items, f"{len(items)} messages of the conversation")
        self.take_writes()
        if kept is None:
            self.log.append(f"{reason}: {items[0]['id']} stays, because it could not be stored elsewhere")
            return False
        freed = 0
        for unit in left:
            freed += self.tokens_of(unit)
            for place in unit.positions:
                self.put(place, None, rung, reason, kept_in=kept.places, needs=kept.needs)
        ids = ", ".join(item["id"] for item in items)
        self.log.append(f"{reason}: {ids} left, {freed} tokens, kept in {', '.join(kept.places)}")
        return True

    def shrink_plugin(self, name: str, tokens: int) -> int:
        """Return the tokens that a plugin gives back, recounted; what it gives up is kept first."""
        before, mark = self.settled().content_used, self._twins.mark()
        request = self._twins.shrink(name, tokens, self.keeper)
        self.keeper.notes = self._notes()
        freed = before - self.settled().content_used
        if request is None or freed <= 0:
            self._go_back(mark)
            return 0
        self.take_writes()
        self._operations.append(replace(request, freed=freed))
        gone = f", gave up {', '.join(request.given_up)}" if request.given_up else ""
        where = f", kept in {', '.join(dict.fromkeys(request.kept_in))}" if request.kept_in else ""
        self.log.append(f"plugins: {name} freed {freed} tokens{gone}{where}")
        return freed

    def take_writes(self) -> None:
        """Put the note writes planned since into the plan."""
        self._operations += self.keeper.take_writes()

    def settled(self) -> Budget:
        """Recount everything as it would be sent, and return the budget."""
        if self._is_rewritten:
            self._talk = self._material.conversation.rewritten(self._pieces)
            self._is_rewritten = False
        self.budget = self._recount(StandIns(self._talk, self._twins.plugins))
        self._saved = 0
        return self.budget

    def plan(self) -> CompactionPlan:
        """Return the plan with an exact count of what it leads to."""
        order, after = self._order, self.settled()
        is_tidying = order.trigger == "consolidate"
        shortfall = (
            None if is_tidying else shortfall_of(self._talk, after, order.target, order.protected_turns)
        )
        started = (
            f"Compaction started ({order.strategy}, {order.trigger}): {order.before.content_used} of "
            f"{order.before.content_max} tokens used, target {order.target}"
        )
        return CompactionPlan(
            trigger=order.trigger,
            strategy=order.strategy,
            before=order.before,
            after=after,
            target=order.target,
            shortfall=shortfall,
            protected_turns=order.protected_turns,
            changes=tuple(self._changes[place] for place in sorted(self._changes)),
            operations=tuple(self._operations),
            log=(started, *self.log),
            base=tuple(piece.item for piece in self._base),
            revisions=revisions_of(self._material.plugins.values()),
        )

    def _go_back(self, mark: dict[str, ContextPlugin]) -> None:
        self._twins.go_back(mark)
        self.keeper.notes = self._notes()
        self.keeper.forget_writes()
        self.settled()

    def _notes(self) -> StoreHandler | None:
        return self._twins.notes if self._material.uses_notes else None
