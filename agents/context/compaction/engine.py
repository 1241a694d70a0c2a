"""Planning a compaction on copies, and carrying a plan out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from agents.context.compaction.draft import Draft, Material, Order, Recount
from agents.context.compaction.plan import CompactionPlan, NoteWrite, PluginShrink, Trigger
from agents.context.compaction.shortfall import Shortfall, shortfall_of
from agents.context.compaction.strategy import AlgorithmicStrategy, protected_turns_of
from agents.context.compaction.twins import revisions_of
from agents.context.cut_texts import NOTES_STORE
from agents.context.errors import PlanOutdated, words_of
from agents.context.isolation import contain
from agents.context.pairing import piece_of

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.compaction.strategy import CompactionStrategy
    from agents.context.conversation import Conversation
    from agents.context.journal import JournalRecorder
    from agents.context.plugin import ContextPlugin
    from agents.context.plugin_set import PluginSet
    from agents.context.stores import StoreHandler
    from agents.context.tokens import TokenEstimator
    from agents.context.toolbox import ToolManager

Commit = Callable[[CompactionPlan, Callable[[], CompactionPlan]], CompactionPlan]
"""A host's transaction: it calls the function, stores what the returned plan says, and returns that plan."""


@dataclass(frozen=True)
class Engine:
    """The parts of one context that a compaction reads and changes.

    Attributes:
        recount: gives the budget of the context, or of what would stand in for parts of it.
        commit: the host's transaction around the carrying out of a plan, None without one.
    """

    conversation: Conversation
    plugins: PluginSet
    tools: ToolManager
    estimator: TokenEstimator
    recorder: JournalRecorder
    recount: Recount
    commit: Commit | None = None

    @property
    def has_history(self) -> bool:
        """Whether a journal or the host keeps every message."""
        return self.commit is not None or self.recorder.keeps_everything

    def plan(
        self,
        strategy: CompactionStrategy,
        trigger: Trigger,
        *,
        before: Budget,
        target: int,
        uses_notes: bool = True,
    ) -> CompactionPlan:
        """Return what would be done; nothing is changed.

        A strategy that fails, or leaves more than fits, is completed by the algorithmic ladder.
        """
        material = Material(
            conversation=self.conversation,
            plugins={plugin.name: plugin for plugin in self.plugins.all()},
            tools=self.tools,
            estimator=self.estimator,
            has_history=self.has_history,
            uses_notes=uses_notes,
        )
        order = Order(trigger, strategy.name, target, before, protected_turns_of(strategy))
        draft = Draft(material, order, self.recount)
        if trigger == "consolidate":
            contain(f"Strategy {strategy.name}", partial(strategy.consolidate, draft))
            return draft.plan()
        done = contain(f"Strategy {strategy.name}", partial(strategy.compact, draft, draft.missing))
        if done.failure is not None:
            draft.log.append(f"The strategy failed ({words_of(done.failure)}); the ladder takes over")
            failure = draft.log[-1]
            draft = Draft(material, order, self.recount)
            draft.log.append(failure)
            AlgorithmicStrategy().compact(draft, draft.missing)
        elif draft.settled().content_used > before.content_max and strategy.name != AlgorithmicStrategy.name:
            AlgorithmicStrategy().compact(draft, draft.missing)
        return draft.plan()

    def carry_out(self, plan: CompactionPlan) -> CompactionPlan:
        """Return the plan with what it led to, recounted, after doing it; the host hears of no empty plan.

        What cannot be stored stays in the prompt, and is named in ``failed``.

        Raises:
            PlanOutdated: when a message of the plan or a plugin changed since; nothing was done.
            Exception: whatever the host's transaction raises; the conversation is as it was then.
        """
        self._check(plan)
        if self.commit is None or plan.is_empty:
            return self._do(plan)
        before = self.conversation.copy()
        try:
            return self.commit(plan, partial(self._do, plan))
        except BaseException:
            self.conversation.adopt(before)
            raise

    def shortfall(self, budget: Budget, target: int, protected_turns: int) -> Shortfall | None:
        """Return why the prompt of this budget is above the target, None when it is not."""
        return shortfall_of(self.conversation, budget, target, protected_turns)

    def _check(self, plan: CompactionPlan) -> None:
        now = self.conversation.items()
        is_same = len(now) >= len(plan.base) and all(
            held is planned for held, planned in zip(now, plan.base, strict=False)
        )
        if not is_same or plan.revisions != revisions_of(self.plugins.all()):
            raise PlanOutdated("The context changed after this compaction was planned. Plan it again.")

    def _do(self, plan: CompactionPlan) -> CompactionPlan:
        self._journal(plan)
        failed: list[str] = []
        for operation in plan.operations:
            if isinstance(operation, NoteWrite):
                is_done = self._store(operation)
                name = operation.key
            else:
                is_done = operation.needs.isdisjoint(failed) and self._shrink(operation)
                name = operation.name
            if not is_done:
                failed.append(name)
        changes = {
            each.position: None if each.item is None else piece_of(each.item, each.tokens_after)
            for each in plan.changes
            if each.needs.isdisjoint(failed)
        }
        self.conversation.adopt(self.conversation.rewritten(changes))
        after = self.recount(None)
        is_tidying = plan.trigger == "consolidate"
        shortfall = None if is_tidying else self.shortfall(after, plan.target, plan.protected_turns)
        return plan.recounted(after, shortfall, tuple(failed))

    def _journal(self, plan: CompactionPlan) -> None:
        self.recorder.keep(plan.removed)
        for each in plan.plugins:
            if each.entries and not each.needs:
                self.recorder.note({"plugin": each.name, "givenUp": list(each.entries)})

    def _store(self, write: NoteWrite) -> bool:
        notes = cast("StoreHandler", self.plugins.stores.get(NOTES_STORE))
        call = partial(notes.store_set, write.requested_key, dict(write.data))
        stored = contain(f"Storing {write.key}", call).value or {}
        return stored.get("success") is True and stored.get("key", write.key) == write.key

    def _shrink(self, request: PluginShrink) -> bool:
        plugin = cast("ContextPlugin", self.plugins.get(request.name))
        call = partial(plugin.compact, request.tokens_to_free)
        return contain(f"Compacting plugin {request.name}", call).failure is None
