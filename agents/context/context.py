"""The context of one agent session: messages, stores and tools in, a counted prompt out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Self, Unpack

from agents.context.compacting import CompactingContext
from agents.context.isolation import contain
from agents.context.kinds import Kind, check_kind, whole
from agents.context.models import split_model
from agents.context.offload import Offloader
from agents.context.options import ContextOptions, check_options
from agents.context.preparation import Preparation, Preparer
from agents.context.rollover import RolloverOptions, RolloverParts, RolloverResult, roll_over
from agents.context.snapshot import empty_snapshot, empty_view, take_snapshot, take_view

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.compaction.summary import Summarize
    from agents.context.prompt import Section
    from agents.context.storage import ContextState

_COUNT = whole(0)
_REPORTED = Kind(f"{_COUNT.words} (leave the call out when the provider sent none)", _COUNT.fits)


class AgentContext(CompactingContext):
    """What the model receives on every call; made by ``create``."""

    def __init__(self, options: ContextOptions) -> None:
        check_options(options)
        super().__init__(options)
        self._last_preparation: Preparation | None = None
        self._preparer = Preparer(
            conversation=self._conversation,
            offloader=Offloader(self._plugins.stores, self.tools),
            events=self._events,
            estimator=self.estimator,
            clock=self._clock,
        )

    @classmethod
    def create(cls, **options: Unpack[ContextOptions]) -> Self:
        """Return a context with the plugins of its features; ``ContextOptions`` explains the keywords.

        Raises:
            InvalidKeyword, InvalidOption: for keywords that are missing, unknown or out of range.
            UnknownFeature, FeatureNotReady, FeatureUnavailable: for features that cannot be.
        """
        return cls(options)

    @property
    def max_context_tokens(self) -> int:
        """The window."""
        return self._assembler.window.max_tokens

    @property
    def response_reserve(self) -> int:
        """Tokens of the window kept free for the answer."""
        return self._assembler.window.response_reserve

    @property
    def tools_tokens(self) -> int:
        """Tokens of the tool definitions as they would be sent now."""
        return self.tools.count_tokens(self.estimator)

    @property
    def last_preparation(self) -> Preparation | None:
        """Result of the last ``prepare``, None before."""
        return self._last_preparation

    @property
    def last_budget(self) -> Budget | None:
        """Budget of the last ``prepare``, None before."""
        return self.last_preparation.budget if self.last_preparation else None

    def prepare(self) -> Preparation:
        """Return the prompt of the next model call; it fits, and everything sent is counted.

        Raises:
            InputTooLarge: when what the person wrote is larger than the room left for it.
            ContextOverflow: when the prompt cannot be made to fit.
            PreparationActive: when a hook, an event handler or a plugin calls this.
        """
        self._check_alive()
        with self._shaping.hold():
            return self._prepare()

    def calculate_budget(self) -> Budget:
        """Return the budget of this moment; nothing is changed and no event is sent."""
        self._check_alive()
        return self._assemble().budget

    def record_usage(self, reported_input_tokens: int) -> None:
        """Note what the provider counted for the prompt of the last ``prepare``.

        Raises:
            InvalidOption: for what is no count; leave the call out when the provider sent none.
        """
        check_kind("reported_input_tokens", reported_input_tokens, _REPORTED)
        if self.last_budget is not None:
            self.calibration = self.calibration.observe(
                estimated=self.last_budget.total_used, reported=reported_input_tokens
            )

    def restore_state(self, state: Mapping[str, object] | ContextState) -> None:
        """Replace conversation, current input, plugin states and tool switches by those of a state.

        A configured system prompt stays when the state has none.

        Raises:
            InvalidState, NewerState: the context is as it was before.
        """
        super().restore_state(state)
        self._last_preparation = None

    def rollover(
        self,
        *,
        summarize: Summarize | None = None,
        preserve_recent_turns: int = 8,
        max_summary_tokens: int = 2048,
        reason: str = "manual",
        timeout_ms: int = 60_000,
        drop_opaque: bool | None = None,
    ) -> RolloverResult:
        """Return what was done: one summary stands for the turns before the last ``preserve_recent_turns``.

        System prompt, plugins, tools and pending input are not touched. With a storage the new state is saved
        before this returns.

        Args:
            summarize: gets a ``RolloverRequest`` and returns the summary; it may be a coroutine function.
            preserve_recent_turns: complete turns that stay as they are.
            max_summary_tokens: at least 64; a longer summary is cut.
            reason: why; ``provider-session-expiring`` also drops state that only the provider can read.
            timeout_ms: how long ``summarize`` may take.
            drop_opaque: overrides what the reason and the provider say about such state.

        Raises:
            ExecutionActive: a run or another rollover works on this context.
            RolloverFailed: with its ``code``; the context is exactly as it was.
            InvalidOption: for options out of range.
        """
        self._check_alive()
        options = RolloverOptions(preserve_recent_turns, max_summary_tokens, reason, timeout_ms, drop_opaque)
        with self.execution.hold():
            parts = RolloverParts(
                conversation=self._conversation,
                estimator=self.estimator,
                events=self._events,
                recorder=self._recorder,
                clock=self._clock,
                turn_index=self.turn_index,
                provider=split_model(self.model)[0],
                save=self.save if self.storage else None,
            )
            result = roll_over(parts, summarize, options)
        if result.performed:
            self._last_preparation = None
        return result

    def get_snapshot(self) -> dict[str, object]:
        """Return identity, budget, plugins and tools in JSON types; nothing is changed."""
        return empty_snapshot(self) if self.is_destroyed else take_snapshot(self, self._assemble())

    def get_view_context(self) -> dict[str, object]:
        """Return the prompt piece by piece as it would be sent now; nothing is changed."""
        return empty_view() if self.is_destroyed else take_view(self._assemble(), self.estimator)

    def get_sections(self) -> tuple[Section, ...]:
        """Return the parts of the system message as it would be sent now; nothing is changed."""
        return () if self.is_destroyed else self._assemble().prompt.sections

    def _prepare(self) -> Preparation:
        self._last_thinking = None
        self._call_before_prepare()
        preparation = self._preparer.prepare(self._assemble, self._room_maker)
        self._last_preparation = preparation
        self._remember_exhaustion(preparation.budget)
        self._events.emit("context:prepared", budget=preparation.budget, compacted=preparation.compacted)
        return preparation

    def _call_before_prepare(self) -> None:
        listening = [plugin for plugin in self.get_plugins() if hasattr(plugin, "on_before_prepare")]
        hooks = self.hooks.named("before_context_prepare")
        if not listening and not hooks:
            return
        snapshot = {"messages": self.get_conversation(), "current_input": self.get_current_input()}
        for plugin in listening:
            contain(f"on_before_prepare of plugin {plugin.name}", partial(plugin.on_before_prepare, snapshot))
        for hook in hooks:
            hook.call(snapshot)
