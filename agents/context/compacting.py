"""The part of a context that makes room: when, how far, shown before it is done."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agents.context.assembly import Assembler, Assembly, StandIns
from agents.context.calibration import Calibration
from agents.context.compaction.briefing import (
    BeforeCompaction,
    summarize_budget,
    summarize_components,
)
from agents.context.compaction.engine import Engine
from agents.context.compaction.gate import Gate
from agents.context.compaction.plan import CompactionPlan
from agents.context.compaction.registry import StrategyRegistry
from agents.context.compaction.strategy import (
    ConsolidationResult,
    check_strategy,
    checked_threshold,
    protected_turns_of,
)
from agents.context.errors import InvalidOption, PreparationActive
from agents.context.execution import ExecutionGuard
from agents.context.isolation import contain
from agents.context.kinds import check_kind
from agents.context.lifecycle import Hook, Hooks, LifecycleHooks
from agents.context.options import DEFAULT_CRITICAL_GATE, DEFAULT_STRATEGY, MODEL, ContextOptions, window_of
from agents.context.persistence import PersistentContext
from agents.context.prompt import PromptBuilder, date_line, resolve_variables

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.compaction.plan import Trigger
    from agents.context.compaction.shortfall import Shortfall
    from agents.context.compaction.strategy import CompactionStrategy
    from agents.context.storage import ContextState

logger = logging.getLogger(__name__)


class _GateKeeper(NamedTuple):
    """Makes room when the gate is open."""

    make: Callable[[Budget], list[CompactionPlan]]
    target: Callable[[Budget], int]
    is_time: Callable[[Budget], bool]
    shortfall: Callable[[Budget], Shortfall | None]


class CompactingContext(PersistentContext):
    """A context that counts its prompt and can be made smaller.

    Attributes:
        compaction_strategy: how room is made; see ``use_strategy``.
        critical_gate: share of the content room at which compaction starts.
        calibration: what the provider reported against what was counted here.
        hooks: what hosts hung into its life; added with ``set_lifecycle_hooks``.
    """

    def __init__(self, options: ContextOptions) -> None:
        window = window_of(options)
        super().__init__(options)
        self._window_options = options
        self.critical_gate = options.get("critical_gate", DEFAULT_CRITICAL_GATE)
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
        self._engine = Engine(
            conversation=self._conversation,
            plugins=self._plugins,
            tools=self.tools,
            estimator=self.estimator,
            recorder=self._recorder,
            recount=lambda stand_ins: self._assemble(stand_ins).budget,
            commit=options.get("commit_compaction"),
        )
        # Held while a prompt or room is made: what a host hung into that must not begin it again.
        self._shaping = ExecutionGuard(PreparationActive)
        # A budget that compaction could not bring under its target; trying again would change nothing.
        self._exhausted: Budget | None = None
        self.use_strategy(options.get("compaction_strategy") or options.get("strategy") or DEFAULT_STRATEGY)

    @property
    def strategy(self) -> str:
        """Name of the compaction strategy."""
        return self.compaction_strategy.name

    @property
    def strategy_threshold(self) -> float:
        """Share of the content room that compaction ends at or under."""
        return self.compaction_strategy.threshold

    def get_state(self) -> ContextState:
        """Return everything worth keeping, as data of its own.

        Raises:
            PluginStateFailed: when a plugin cannot give its state, or one that cannot be stored.
        """
        state = super().get_state()
        if self._exhausted is not None and self._exhausted == self._assemble().budget:
            state["exhausted"] = True
        return state

    def restore_state(self, state: Mapping[str, object] | ContextState) -> None:
        """Replace conversation, current input, plugin states and tool switches by those of a state.

        A configured system prompt stays when the state has none.

        Raises:
            InvalidState, NewerState: the context is as it was before.
        """
        super().restore_state(state)
        # Everything is restored; a host's estimator that fails now fails the next prompt, not this.
        self._exhausted = (
            contain("Counting a restored context", lambda: self._assemble().budget).value
            if state.get("exhausted")
            else None
        )

    def use_strategy(self, strategy: str | CompactionStrategy) -> None:
        """Make room by this strategy from now on; a plugin that it asks for and is missing is warned of.

        Raises:
            UnknownStrategy: naming those that are registered.
            InvalidOption: for what is no strategy, or one with a threshold out of range.
        """
        if isinstance(strategy, str):
            strategy = StrategyRegistry.create(strategy)
        check_strategy(strategy)
        self.compaction_strategy = strategy
        self._exhausted = None
        missing = [name for name in strategy.required_plugins if not self.has_plugin(name)]
        if missing:
            logger.warning(
                "Strategy %s does less without the plugin %s", strategy.name, " and ".join(missing)
            )

    def set_model(self, model: str) -> None:
        """Take another model's window from now on; one that was given at creation stays.

        Messages keep the counts they have: where the new model has another vocabulary, these are estimates,
        which the calibration, beginning anew, makes up for.

        Raises:
            InvalidOption: for what is no name of a model, and when the response reserve leaves no room in the
                new window.
        """
        check_kind("model", model, MODEL)
        self._assembler.window = window_of({**self._window_options, "model": model})
        self._model = model
        self.calibration = Calibration()

    def set_lifecycle_hooks(
        self, hooks: Mapping[str, Hook | Sequence[Hook]] | LifecycleHooks, *, owner: str = ""
    ) -> None:
        """Add hooks; those of the same name and owner are replaced.

        Raises:
            InvalidOption: for a name that is no hook, and for more than ten hooks of one name.
        """
        self.hooks.merge(hooks, owner=owner)

    def preview_compaction(self, *, threshold: float | None = None) -> CompactionPlan:
        """Return what ``compact`` would do now; nothing is changed and nobody is told.

        ``apply_compaction`` does exactly this. A strategy that summarizes asks its model here.
        """
        self._check_alive()
        budget = self._assemble().budget
        return self._plan("manual", budget, self._gate(threshold).target(budget))

    def apply_compaction(self, plan: CompactionPlan) -> CompactionPlan:
        """Return the plan with what it led to, recounted, after carrying it out.

        What was said since it was made stays as it is.

        Raises:
            InvalidOption: for what is no plan.
            PlanOutdated: when a message of the plan or a plugin changed since; nothing was done.
            PreparationActive: when a hook, an event handler or a plugin calls this.
        """
        self._check_alive()
        if not isinstance(plan, CompactionPlan):
            raise InvalidOption(f"A plan comes from preview_compaction, not {type(plan).__name__}.")
        with self._shaping.hold():
            return self._carry_out(plan)

    def compact(self, *, threshold: float | None = None) -> CompactionPlan:
        """Return what was done to end at or under the threshold (the strategy's), whatever the gate says.

        Raises:
            PreparationActive: when a hook, an event handler or a plugin calls this.
        """
        self._check_alive()
        with self._shaping.hold():
            return self._carry_out(self.preview_compaction(threshold=threshold))

    def consolidate(self) -> ConsolidationResult:
        """Return what was tidied up after a run; below the strategy's threshold nothing is.

        Raises:
            PreparationActive: when a hook, an event handler or a plugin calls this.
        """
        self._check_alive()
        with self._shaping.hold():
            return self._consolidate()

    def is_over_threshold(self) -> bool:
        """Return whether ``consolidate`` would look for something to tidy up, as far as the context knows."""
        return self._gate().excess(self._assemble().budget) > 0

    @property
    def _room_maker(self) -> _GateKeeper:
        gate = self._gate()
        return _GateKeeper(self._compact_at_gate, gate.target, gate.is_open, self._shortfall)

    def _consolidate(self) -> ConsolidationResult:
        budget = self._assemble().budget
        gate = self._gate()
        if gate.excess(budget) <= 0:
            return ConsolidationResult()
        plan = self._plan("consolidate", budget, gate.target(budget))
        if plan.is_empty:
            return ConsolidationResult()
        done = self._carry_out(plan)
        return ConsolidationResult(True, -done.tokens_freed, done.log)

    def _compact_at_gate(self, budget: Budget) -> list[CompactionPlan]:
        """Return what was done because the gate is open, nothing when it is shut."""
        gate = self._gate()
        if budget == self._exhausted or not gate.is_open(budget):
            return []
        excess = gate.excess(budget)
        self._events.emit(
            "compaction:starting", budget=budget, target_tokens_to_free=excess, timestamp=self._clock()
        )
        self.hooks.run("before_compaction", self._briefing(budget, excess))
        # What the hook stored is part of the prompt now.
        budget = self._assemble().budget
        target = gate.target(budget)
        done = [self._carry_out(self._plan("gate", budget, target))]
        if done[0].failed and not done[0].reaches_target and self._engine.has_history:
            plan = self._plan("gate", done[0].after, target, uses_notes=False)
            done.append(self._carry_out(plan))
        return done

    def _shortfall(self, budget: Budget) -> Shortfall | None:
        turns = protected_turns_of(self.compaction_strategy)
        return self._engine.shortfall(budget, self._gate().target(budget), turns)

    def _remember_exhaustion(self, budget: Budget) -> None:
        """Note that a prompt of this budget is as small as it gets, when the gate is open even after all."""
        self._exhausted = budget if self._gate().is_open(budget) else None

    def _plan(
        self, trigger: Trigger, budget: Budget, target: int, *, uses_notes: bool = True
    ) -> CompactionPlan:
        return self._engine.plan(
            self.compaction_strategy, trigger, before=budget, target=target, uses_notes=uses_notes
        )

    def _gate(self, threshold: float | None = None) -> Gate:
        wanted = self.strategy_threshold if threshold is None else threshold
        return Gate(self.critical_gate, checked_threshold(wanted), self.calibration.safety_factor)

    def _briefing(self, budget: Budget, excess: int) -> BeforeCompaction:
        return BeforeCompaction(
            agent_id=self.agent_id,
            current_budget=summarize_budget(budget),
            strategy=self.strategy,
            components=summarize_components(self.get_plugins()),
            estimated_tokens_to_free=excess,
        )

    def _carry_out(self, plan: CompactionPlan) -> CompactionPlan:
        done = self._engine.carry_out(plan)
        self._announce_compaction(done)
        return done

    def _announce_compaction(self, done: CompactionPlan) -> None:
        if done.tokens_freed > 0:
            self._events.emit(
                "context:compacted", tokens_freed=done.tokens_freed, log=list(done.log), plan=done
            )
        if not done.is_empty:
            self.hooks.run("after_compaction", done)

    def _assemble(self, stand_ins: StandIns | None = None) -> Assembly:
        return self._assembler.assemble(self._resolved_system_prompt, self.turn_time(), stand_ins)

    def _resolved_system_prompt(self) -> str | None:
        if self.system_prompt is None or "{{" not in self.system_prompt:
            return self.system_prompt
        values = {
            "AGENT_ID": self.agent_id,
            "USER_ID": self.user_id or "",
            "MODEL": self.model,
            "DATE": date_line(self.turn_time()).partition(": ")[2].partition(" at ")[0],
        }
        return resolve_variables(self.system_prompt, values)
