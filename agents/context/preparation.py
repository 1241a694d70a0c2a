"""Making a prompt that fits, or saying why it cannot (spec 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agents.context.assembly import Assembly
from agents.context.budget import CRITICAL_PERCENT, WARNING_PERCENT, Budget
from agents.context.errors import ContextOverflow, InputTooLarge
from agents.context.offload import Offloader, find_call
from agents.context.oversize import OversizeResult, shrink_input

if TYPE_CHECKING:
    from agents.context.conversation import Conversation
    from agents.context.events import Events
    from agents.context.ids import Clock
    from agents.context.messages import InputItem
    from agents.context.prompt import Section
    from agents.context.tokens import TokenEstimator
    from agents.context.tools import ToolDefinition


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
        rewritten: ids of pending items that were cut to fit and are held in their shorter form now.
    """

    input: list[InputItem]
    budget: Budget
    compacted: bool = False
    compaction_log: list[str] = field(default_factory=list)
    tools: list[ToolDefinition] = field(default_factory=list)
    sections: tuple[Section, ...] = ()
    rewritten: tuple[str, ...] = ()


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

    def prepare(self, assemble: Callable[[], Assembly]) -> Preparation:
        """Return a prompt that fits.

        Raises:
            InputTooLarge: when what the person wrote is larger than the room left for it.
            ContextOverflow: when the prompt cannot be made to fit.
        """
        assembly = assemble()
        self._check_room(assembly.budget)
        rewritten: tuple[str, ...] = ()
        if _input_excess(assembly.budget) > 0:
            rewritten = self._shrink_input(assembly.budget)
            assembly = assemble()
        if assembly.budget.content_used > assembly.budget.content_max:
            raise _overflow("The prompt does not fit", assembly.budget)
        self._announce(assembly.budget)
        return Preparation(
            input=assembly.items(),
            budget=assembly.budget,
            tools=assembly.tools,
            sections=assembly.prompt.sections,
            rewritten=rewritten,
        )

    def _check_room(self, budget: Budget) -> None:
        if budget.content_max <= 0:
            raise _overflow("There are too many tools: their definitions leave no room", budget)
        if budget.system_message_tokens > budget.content_max:
            raise _overflow("The system message alone does not fit", budget)

    def _shrink_input(self, budget: Budget) -> tuple[str, ...]:
        items = self._conversation.items()
        pending = self._conversation.pending_items()

        def keep(use_id: str, text: str) -> str | None:
            return self._offloader.keep(use_id, find_call(items, use_id), text)

        limit = budget.content_max - budget.system_message_tokens
        result = shrink_input(pending, limit, self._estimator, keep)
        self._events.emit("input:oversized", result=result)
        if not result.accepted:
            raise _refused(result, budget)
        for item in result.items:
            if item["id"] in result.changed:
                self._conversation.replace_pending(item)
        return result.changed

    def _announce(self, budget: Budget) -> None:
        self._events.emit("budget:updated", budget=budget, timestamp=self._clock())
        if budget.utilization_percent >= CRITICAL_PERCENT:
            self._events.emit("budget:critical", budget=budget)
        elif budget.utilization_percent >= WARNING_PERCENT:
            self._events.emit("budget:warning", budget=budget)


def _input_excess(budget: Budget) -> int:
    return budget.system_message_tokens + budget.current_input_tokens - budget.content_max


def _refused(result: OversizeResult, budget: Budget) -> InputTooLarge:
    return InputTooLarge(result.error or "", budget=budget, content_max=budget.content_max)


def _overflow(problem: str, budget: Budget) -> ContextOverflow:
    text = (
        f"{problem}: {budget.content_used} tokens, and {budget.content_max} fit "
        f"(system message {budget.system_message_tokens}, conversation {budget.conversation_tokens}, "
        f"current input {budget.current_input_tokens}, tools {budget.tools_tokens} apart)."
    )
    return ContextOverflow(text, budget=budget, content_max=budget.content_max)
