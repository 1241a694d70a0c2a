"""One prompt put together and counted, without changing anything: prepare, budget and inspection share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.context.budget import Budget
from agents.context.counting import count_item
from agents.context.pairing import Piece, repair_pairs
from agents.context.prompt import Prompt, PromptBuilder

if TYPE_CHECKING:
    from agents.context.conversation import Conversation
    from agents.context.messages import InputItem
    from agents.context.plugin import ContextPlugin
    from agents.context.plugin_set import PluginSet
    from agents.context.tokens import TokenEstimator
    from agents.context.toolbox import ToolManager
    from agents.context.tools import ToolDefinition


@dataclass(frozen=True)
class Window:
    """The room there is, in tokens."""

    max_tokens: int
    response_reserve: int


@dataclass(frozen=True)
class Flow:
    """History and pending input with whole pairs only, and their tokens."""

    items: Iterable[InputItem]
    conversation_tokens: int
    input_tokens: int


@dataclass(frozen=True)
class Assembly:
    """A prompt as it would be sent now.

    Attributes:
        items: what is sent: system message, history, pending input, and the tail when there is one.
        tools: definitions as counted.
    """

    prompt: Prompt
    items: list[InputItem]
    tools: list[ToolDefinition]
    budget: Budget

    @property
    def messages(self) -> list[InputItem]:
        """History and pending input with whole pairs only."""
        end = len(self.items) - bool(self.prompt.tail)
        return self.items[bool(self.prompt.system) : end]


@dataclass(frozen=True)
class StandIns:
    """What takes the place of the real thing while a change is only planned.

    Attributes:
        conversation: as it would be.
        plugins: plugin name to the plugin as it would be; the others are as they are.
    """

    conversation: Conversation
    plugins: Mapping[str, ContextPlugin]


class Assembler:
    """Puts the prompt of one context together as often as asked; only what is new gets encoded."""

    def __init__(
        self,
        *,
        conversation: Conversation,
        plugins: PluginSet,
        tools: ToolManager,
        builder: PromptBuilder,
        estimator: TokenEstimator,
        window: Window,
    ) -> None:
        self._conversation = conversation
        self._plugins = plugins
        self._tools = tools
        self._builder = builder
        self._estimator = estimator
        self.window = window
        self._recounted: dict[str, tuple[InputItem, int]] = {}

    def assemble(
        self,
        system_prompt: Callable[[], str | None],
        now_ms: int,
        stand_ins: StandIns | None = None,
    ) -> Assembly:
        """Return the prompt with its budget; ``system_prompt`` gives the text with variables resolved."""
        conversation = stand_ins.conversation if stand_ins else self._conversation
        stores = self._plugins.stores
        with stores.still():
            prompt = self._builder.build(
                system_prompt=system_prompt(),
                overview=stores.overview(),
                plugins=self._plugins.texts(stand_ins.plugins if stand_ins else {}),
                now_ms=now_ms,
            )
            tools = self._tools.definitions()
        flow = self._flow(conversation)
        breakdown = prompt.breakdown(
            tools=self._tools.count_tokens(self._estimator, tools),
            conversation=flow.conversation_tokens,
            current_input=flow.input_tokens,
        )
        budget = Budget(self.window.max_tokens, self.window.response_reserve, breakdown)
        before = [prompt.system.item] if prompt.system else []
        after = [prompt.tail.item] if prompt.tail else []
        return Assembly(prompt, [*before, *flow.items, *after], tools, budget)

    def _flow(self, talk: Conversation) -> Flow:
        if talk.is_sound():
            return Flow(talk.all_items(), talk.history_tokens, talk.pending_tokens)
        previous, self._recounted = self._recounted, {}
        pieces = [self._counted(piece, previous) for piece in repair_pairs(talk.pieces())]
        input_tokens = sum(piece.tokens or 0 for piece in pieces if piece.is_pending)
        total = sum(piece.tokens or 0 for piece in pieces)
        return Flow([piece.item for piece in pieces], total - input_tokens, input_tokens)

    def _counted(self, piece: Piece, previous: dict[str, tuple[InputItem, int]]) -> Piece:
        if piece.tokens is not None:
            return piece
        item_id = piece.item["id"]
        known, tokens = previous.get(item_id, (None, 0))
        if known != piece.item:
            tokens = count_item(piece.item, self._estimator)
        self._recounted[item_id] = (piece.item, tokens)
        return piece._replace(tokens=tokens)
