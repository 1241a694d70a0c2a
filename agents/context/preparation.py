"""Making a prompt that fits, or saying why it cannot (spec 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from agents.context.assembly import Assembly
from agents.context.budget import CRITICAL_PERCENT, WARNING_PERCENT, Budget
from agents.context.errors import ContextOverflow, InputTooLarge
from agents.context.long_replies import shorten_replies
from agents.context.offload import Offloader, find_call
from agents.context.oversize import OversizeResult, shrink_input

if TYPE_CHECKING:
    from agents.context.compaction.plan import CompactionPlan
    from agents.context.compaction.shortfall import Shortfall
    from agents.context.conversation import Conversation
    from agents.context.events import Events
    from agents.context.ids import Clock
    from agents.context.messages import InputItem
    from agents.context.prompt import Section
    from agents.context.tokens import TokenEstimator
    from agents.context.tools import ToolDefinition


class RoomMaker(Protocol):
    """Makes room in a prompt."""

    def make(self, budget: Budget) -> Sequence[CompactionPlan]:
        """Return what was done because it was time to; nothing otherwise."""
        ...

    def target(self, budget: Budget) -> int:
        """Return the content tokens that a prompt of this budget should end at or under."""
        ...

    def is_time(self, budget: Budget) -> bool:
        """Tell whether a prompt of this budget needs room."""
        ...

    def shortfall(self, budget: Budget) -> Shortfall | None:
        """Return why a prompt of this budget is above the target, None when it is not."""
        ...


# The first cut leaves no room for the notes it writes, the second does, the third mends a wrong guess.
_MAX_CUTS = 3
_SHORTENED = "Shortened an answer whose own words left no room"
# What helps, for whoever owns the context and for whoever runs the agent.
_FEWER = "Offer fewer tools, or allow a larger window."
_SHORTER = "Shorten the system message, or allow a larger window."
_ROLLED_OVER = "Roll the conversation over, or allow a larger window."


@dataclass(frozen=True)
class Preparation:
    """What goes to the model, counted.

    Attributes:
        input: the items to send; read-only, they are the ones the context holds.
        budget: their count; it includes ``tools`` exactly as given here.
        compacted: whether anything was taken out of the context.
        compaction_log: what was taken out, one line each.
        tools: definitions to send.
        sections: the parts of the system message with their tokens.
        rewritten: ids of items that were cut to fit and are held in their shorter form now: pending results,
            and answers whose own words left no room.
        compactions: what was done to make room, with every item concerned.
        shortfall: why the prompt is above the target of the compaction that it needed, although it fits; None
            when it is at or under the target, or needed none.
    """

    input: list[InputItem]
    budget: Budget
    compacted: bool = False
    compaction_log: list[str] = field(default_factory=list)
    tools: list[ToolDefinition] = field(default_factory=list)
    sections: tuple[Section, ...] = ()
    rewritten: tuple[str, ...] = ()
    compactions: tuple[CompactionPlan, ...] = ()
    shortfall: Shortfall | None = None

    @property
    def reaches_target(self) -> bool:
        """Whether all the room that was needed could be made."""
        return self.shortfall is None


class Preparer:
    """Runs the steps between a message and the model call."""

    def __init__(
        self,
        *,
        conversation: Conversation,
        offloader: Offloader,
        events: Events,
        estimator: TokenEstimator,
        clock: Clock,
    ) -> None:
        self._conversation = conversation
        self._offloader = offloader
        self._events = events
        self._estimator = estimator
        self._clock = clock

    def prepare(self, assemble: Callable[[], Assembly], room: RoomMaker) -> Preparation:
        """Return a prompt that fits.

        Input that alone is too large is cut before room is made for it, because making room for all of it
        would cost the history in vain.

        Raises:
            InputTooLarge: when what the person wrote is larger than the room left for it.
            ContextOverflow: when the prompt cannot be made to fit.
        """
        assembly = assemble()
        done: list[CompactionPlan] = []
        rewritten: tuple[str, ...] = ()
        if assembly.budget.content_max <= 0:
            raise _overflow(
                "There are too many tools: their definitions leave no room", _FEWER, assembly.budget
            )
        if _is_system_over(assembly.budget):
            done += room.make(assembly.budget)
            assembly = assemble()
            if _is_system_over(assembly.budget):
                raise _overflow("The system message alone does not fit", _SHORTER, assembly.budget)
        if _excess(assembly.budget, assembly.budget.content_max) > 0:
            rewritten = self._shrink_input(room.target(assembly.budget), assemble)
            assembly = assemble()
        if made := room.make(assembly.budget):
            done += made
            assembly = assemble()
        if _is_over(assembly.budget):
            rewritten += self._shrink_to_the_rest(assembly.budget, assemble)
            assembly = assemble()
        shortened = self._shorten_replies(assemble) if _is_over(assembly.budget) else ()
        if shortened:
            rewritten += shortened
            assembly = assemble()
        if _is_over(assembly.budget):
            raise _overflow("The prompt does not fit", _ROLLED_OVER, assembly.budget)
        self._announce(assembly.budget)
        return Preparation(
            input=assembly.items,
            budget=assembly.budget,
            compacted=bool(shortened) or any(each.tokens_freed > 0 for each in done),
            compaction_log=[line for each in done for line in each.log] + [_SHORTENED] * len(shortened),
            tools=assembly.tools,
            sections=assembly.prompt.sections,
            rewritten=tuple(dict.fromkeys(rewritten)),
            compactions=tuple(done),
            shortfall=room.shortfall(assembly.budget) if done or room.is_time(assembly.budget) else None,
        )

    def _shrink_input(self, target: int, assemble: Callable[[], Assembly]) -> tuple[str, ...]:
        """Return the ids of the items that were cut; words that people wrote are never cut."""
        budget = assemble().budget
        result = self._cut(_room(budget, target), assemble)
        if not result.accepted:
            result = self._cut(budget.content_max, assemble)
        self._events.emit("input:oversized", result=result)
        if not result.accepted:
            raise _refused(result, budget)
        return result.changed

    def _shrink_to_the_rest(self, budget: Budget, assemble: Callable[[], Assembly]) -> tuple[str, ...]:
        """Return the ids of the items that were cut to what a history that cannot shrink leaves them."""
        result = self._cut(budget.content_max - budget.conversation_tokens, assemble)
        if result.changed:
            self._events.emit("input:oversized", result=result)
        return result.changed

    def _shorten_replies(self, assemble: Callable[[], Assembly]) -> tuple[str, ...]:
        """Return the ids of the model's messages that were shortened, as far as the prompt did not fit.

        Keeping them in full makes the system message longer, so another look follows; what was shortened once
        is not long any more.
        """
        changed: list[str] = []
        while shorter := self._shorter_replies(assemble().budget):
            self._conversation.rewrite_history(shorter)
            changed += [item["id"] for item in shorter.values()]
        return tuple(changed)

    def _shorter_replies(self, budget: Budget) -> dict[int, InputItem]:
        excess = budget.content_used - budget.content_max
        history = self._conversation.items()
        return shorten_replies(history, excess, self._estimator, self._offloader.keep_words)

    def _cut(self, room: int, assemble: Callable[[], Assembly]) -> OversizeResult:
        """Return the pending input cut to the room, less the system message.

        Keeping the full results makes the system message longer, so the cut is made again, of the original
        items, until all of it fits.
        """
        history, pending = self._conversation.items(), self._conversation.pending_items()
        kept: dict[tuple[str, str], str | None] = {}

        def keep(use_id: str, text: str) -> str | None:
            if (use_id, text) not in kept:
                kept[use_id, text] = self._offloader.keep(use_id, find_call(history, use_id), text)
            return kept[use_id, text]

        limit = room - assemble().budget.system_message_tokens
        for _ in range(_MAX_CUTS):
            result = shrink_input(pending, limit, self._estimator, keep)
            for item in result.items:
                self._conversation.replace_pending(item)
            over = _excess(assemble().budget, room) if result.accepted else 0
            if over <= 0:
                break
            limit -= over
        return result

    def _announce(self, budget: Budget) -> None:
        self._events.emit("budget:updated", budget=budget, timestamp=self._clock())
        if budget.utilization_percent >= CRITICAL_PERCENT:
            self._events.emit("budget:critical", budget=budget)
        elif budget.utilization_percent >= WARNING_PERCENT:
            self._events.emit("budget:warning", budget=budget)


def _room(budget: Budget, target: int) -> int:
    """Return the tokens for system message and input.

    The history keeps its place, and the prompt ends at the target, so that one large result costs nobody
    else anything; but at least half of the room is for the input.
    """
    least = budget.system_message_tokens + (budget.content_max - budget.system_message_tokens) // 2
    return max(least, target - budget.conversation_tokens)


def _is_system_over(budget: Budget) -> bool:
    return budget.system_message_tokens > budget.content_max


def _is_over(budget: Budget) -> bool:
    return budget.content_used > budget.content_max


def _excess(budget: Budget, room: int) -> int:
    return budget.system_message_tokens + budget.current_input_tokens - room


def _refused(result: OversizeResult, budget: Budget) -> InputTooLarge:
    return InputTooLarge(result.error or "", budget=budget, content_max=budget.content_max)


def _overflow(problem: str, remedy: str, budget: Budget) -> ContextOverflow:
    text = (
        f"{problem}: {budget.content_used} tokens, and {budget.content_max} fit "
        f"(system message {budget.system_message_tokens}, conversation {budget.conversation_tokens}, "
        f"current input {budget.current_input_tokens}, tools {budget.tools_tokens} apart). {remedy}"
    )
    return ContextOverflow(text, budget=budget, content_max=budget.content_max)
