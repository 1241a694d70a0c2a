"""The context of one agent session: messages, stores and tools in, a counted prompt out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Self, Unpack

from agents.context.assembly import Assembler, Assembly
from agents.context.calibration import Calibration
from agents.context.isolation import contain
from agents.context.lifecycle import Hook, Hooks, LifecycleHooks
from agents.context.offload import Offloader
from agents.context.options import (
    DEFAULT_CRITICAL_GATE,
    DEFAULT_STRATEGY,
    ContextOptions,
    check_options,
    window_of,
)
from agents.context.persistence import PersistentContext
from agents.context.preparation import Preparation, Preparer
from agents.context.prompt import PromptBuilder, date_line, resolve_variables
from agents.context.snapshot import empty_snapshot, empty_view, take_snapshot, take_view

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.storage import ContextState


class AgentContext(PersistentContext):
    """What the model receives on every call; made by ``create``.

    Attributes:
        strategy: name of the compaction strategy.
        critical_gate: share of the content room at which compaction starts.
        last_preparation: result of the last ``prepare``, None before.
        calibration: what the provider reported against what was counted here.
        hooks: what hosts hung into its life; added with ``set_lifecycle_hooks``.
    """

    def __init__(self, options: ContextOptions) -> None:
        check_options(options)
        window = window_of(options)
        super().__init__(options)
        self.strategy = options.get("strategy", DEFAULT_STRATEGY)
        self.critical_gate = options.get("critical_gate", DEFAULT_CRITICAL_GATE)
        self.last_preparation: Preparation | None = None
        self.calibration = Calibration()
        self.hooks = Hooks(options.get("lifecycle_hooks"))
        self._assembler = Assembler(
            conversation=self._conversation,
            plugins=self._plugins,
            tools=self.tools,
            builder=PromptBuilder(self.estimator, options.get("volatile_placement", "mission")),
            estimator=self.estimator,
            window=window,
        )
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
            TypeError, ValueError: for keywords that are missing, unknown or out of range.
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
    def last_budget(self) -> Budget | None:
        """Budget of the last ``prepare``, None before."""
        return self.last_preparation.budget if self.last_preparation else None

    def prepare(self) -> Preparation:
        """Return the prompt of the next model call; it fits, and everything sent is counted.

        Raises:
            InputTooLarge: when what the person wrote is larger than the room left for it.
            ContextOverflow: when the prompt cannot be made to fit.
        """
        self._check_alive()
        self.last_thinking = None
        self._call_before_prepare()
        preparation = self._preparer.prepare(self._assemble)
        self.last_preparation = preparation
        self._events.emit("context:prepared", budget=preparation.budget, compacted=preparation.compacted)
        return preparation

    def calculate_budget(self) -> Budget:
        """Return the budget of this moment; nothing is changed and no event is sent."""
        self._check_alive()
        return self._assemble().budget

    def record_usage(self, reported_input_tokens: int) -> None:
        """Note what the provider counted for the prompt of the last ``prepare``."""
        if self.last_budget is not None:
            self.calibration = self.calibration.observe(
                estimated=self.last_budget.total_used, reported=reported_input_tokens
            )

    def set_lifecycle_hooks(
        self, hooks: Mapping[str, Hook | Sequence[Hook]] | LifecycleHooks, *, owner: str = ""
    ) -> None:
        """Add hooks; those of the same name and owner are replaced.

        Raises:
            ValueError: for a name that is no hook, and for more than ten hooks of one name.
        """
        self.hooks.merge(hooks, owner=owner)

    def restore_state(self, state: Mapping[str, object] | ContextState) -> None:
        """Replace conversation, current input, plugin states and tool switches by those of a state.

        A configured system prompt stays when the state has none.

        Raises:
            InvalidState, NewerState: the context is as it was before.
        """
        super().restore_state(state)
        self.last_preparation = None

    def get_snapshot(self) -> dict[str, object]:
        """Return identity, budget, plugins and tools in JSON types; nothing is changed."""
        return empty_snapshot(self) if self.is_destroyed else take_snapshot(self, self._assemble())

    def get_view_context(self) -> dict[str, object]:
        """Return the prompt piece by piece as it would be sent now; nothing is changed."""
        return empty_view() if self.is_destroyed else take_view(self._assemble(), self.estimator)

    def _assemble(self) -> Assembly:
        return self._assembler.assemble(self._resolved_system_prompt, self.turn_time())

    def _resolved_system_prompt(self) -> str | None:
        if self.system_prompt is None:
            return None
        values = {
            "AGENT_ID": self.agent_id,
            "USER_ID": self.user_id or "",
            "MODEL": self.model,
            "DATE": date_line(self.turn_time()).partition(": ")[2].partition(" at ")[0],
        }
        return resolve_variables(self.system_prompt, values)

    def _call_before_prepare(self) -> None:
        snapshot = {"messages": self.get_conversation(), "current_input": self.get_current_input()}
        for plugin in self.get_plugins():
            call = getattr(plugin, "on_before_prepare", None)
            if call is not None:
                contain(f"on_before_prepare of plugin {plugin.name}", partial(call, snapshot))
        self.hooks.run("before_context_prepare", snapshot)
