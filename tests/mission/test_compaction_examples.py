"""The examples of the mission document on compaction and rollover, in Python names, with a scripted model."""

from typing import Any

import pytest

from agents import Agent, AgentContext
from agents.connectors.scripted import ScriptedConnector, say
from agents.context import (
    ApproximateTokenEstimator,
    BeforeCompaction,
    Component,
    MemoryEvictionCompactor,
    RolloverRequest,
    StrategyRegistry,
    SummarizeCompactor,
)
from memory.plugins import WorkingMemory
from tests.agents.context.cast import assistant, user

LONG = "A long talk about a lease. " * 60


def agent_of(*replies: Any, **options: Any) -> tuple[Agent, ScriptedConnector]:
    connector = ScriptedConnector(*replies)
    return Agent.create(connector=connector, model="gpt-4.1", **options), connector


def talked(agent: Agent, turns: int = 12) -> Agent:
    """Let the agent have a conversation behind it."""
    items = [
        item
        for number in range(turns)
        for item in (user(f"{number} {LONG}", f"u{number}"), assistant(LONG, (), f"a{number}"))
    ]
    agent.context.load_conversation([(item, None) for item in items])
    return agent


def test_an_agent_rolls_over_with_its_own_model() -> None:
    agent, connector = agent_of(say("Ann wants her deposit back."))
    result = talked(agent).rollover_context(
        preserve_recent_turns=8,
        max_summary_tokens=2048,
        reason="provider-session-expiring",
    )
    assert result.performed
    assert result.summary == "Ann wants her deposit back."
    assert result.turns_preserved == 8
    assert list(connector.requests[0].tools) == []


def test_a_host_writes_the_brief() -> None:
    briefs: list[dict[str, Any]] = []

    async def summarize(request: RolloverRequest) -> str:
        briefs.append(
            {
                "items": request.items,
                "estimated_tokens": request.estimated_tokens,
                "preserved_recent_turns": request.preserved_recent_turns,
                "reason": request.reason,
            }
        )
        return "A continuity brief."

    agent, connector = agent_of()
    assert talked(agent).rollover_context(summarize=summarize).summary == "A continuity brief."
    ((brief),) = briefs
    assert len(brief["items"]) == 8
    assert brief["estimated_tokens"] > 1_000
    assert (brief["preserved_recent_turns"], brief["reason"]) == (8, "manual")
    assert connector.requests == []


def test_a_context_rolls_over_for_a_hand_off() -> None:
    agent, _ = agent_of()
    result = talked(agent).context.rollover(
        preserve_recent_turns=8,
        reason="manual-handoff",
        summarize=lambda request: f"Brief of {len(request.items)} messages.",
    )
    assert (result.performed, result.reason) == (True, "manual-handoff")
    assert result.summary == "Brief of 8 messages."


class MyTextProvider:
    def generate(self, prompt: str, *, model: str | None, max_tokens: int) -> str:
        return f"{model}: a summary in at most {max_tokens} tokens"


def test_the_summarize_compactor() -> None:
    estimator = ApproximateTokenEstimator()
    compactor = SummarizeCompactor(
        estimator,
        text_provider=MyTextProvider(),
        model="gpt-4o-mini",
        max_summary_tokens=500,
        preserve_structure=True,
        fallback_to_truncate=True,
    )
    component = Component(
        name="conversation_history",
        content=LONG * 4,
        priority=6,
        compactable=True,
        metadata={"strategy": "summarize"},
    )
    assert compactor.can_compact(component)
    assert compactor.compact(component, 800).content == "gpt-4o-mini: a summary in at most 500 tokens"


def test_the_budget_is_inspected_after_a_run() -> None:
    agent, _ = agent_of(say("Hello."), context={"model": "gpt-4.1", "features": {"workingMemory": True}})
    agent.run("Hi")
    assert agent.context.last_preparation is not None
    budget = agent.context.last_preparation.budget
    assert 0 < budget.total_used < budget.max_tokens


def test_the_memory_eviction_compactor() -> None:
    estimator = ApproximateTokenEstimator()
    index = ["x" * 350] * 10

    async def evict(count: int) -> None:
        del index[:count]

    async def get_memory_index() -> str:
        return "".join(index)

    component = Component(
        name="memory_index",
        content="".join(index),
        priority=8,
        compactable=True,
        metadata={
            "strategy": "evict",
            "avgEntrySize": 100,
            "evict": evict,
            "getUpdatedContent": get_memory_index,
        },
    )
    made = MemoryEvictionCompactor(estimator).compact(component, 700)
    assert estimator.estimate_tokens(made.content) == 700
    assert len(index) == 7


def crowded(**options: Any) -> AgentContext:
    """Return a context whose next prompt is over its gate."""
    context = AgentContext.create(model="gpt-4.1", max_context_tokens=16_000, agent_id="worker", **options)
    items = [
        item
        for number in range(9)
        for item in (
            user(f"{number} {LONG}", f"u{number}"),
            assistant(f"I looked. {LONG * 3}", (), f"a{number}"),
        )
    ]
    context.load_conversation([(item, None) for item in items])
    context.add_user_message("Go on.")
    return context


def test_a_hook_is_told_what_is_going_to_happen(capsys: pytest.CaptureFixture[str]) -> None:
    async def before_compaction(context: BeforeCompaction) -> None:
        said.append(f"Agent {context.agent_id}: Compaction starting")
        said.append(f"Current usage: {context.current_budget.used}/{context.current_budget.total}")
        said.append(f"Need to free: {context.estimated_tokens_to_free} tokens")
        said.append(f"Strategy: {context.strategy}")
        said.append(f"Components to compact: {len(context.components)}")
        said.extend(f"{component.name} {component.compactable}" for component in context.components)

    said: list[str] = []
    context = crowded(lifecycle_hooks={"beforeCompaction": before_compaction})
    budget = context.calculate_budget()
    assert context.prepare().compacted
    assert said[:2] == [
        "Agent worker: Compaction starting",
        f"Current usage: {budget.total_used}/{16_000 - 4_096}",
    ]
    assert said[3:] == [
        "Strategy: algorithmic",
        "Components to compact: 2",
        "in_context_memory True",
        "working_memory False",
    ]


def test_a_hook_that_fails_does_not_stop_compaction(caplog: pytest.LogCaptureFixture) -> None:
    async def before_compaction(context: BeforeCompaction) -> None:
        raise RuntimeError("Hook error")

    context = crowded(lifecycle_hooks={"before_compaction": before_compaction})
    assert context.prepare().compacted
    assert "Hook error" in caplog.text


def test_a_hook_saves_a_bounded_number_of_findings_before_compaction() -> None:
    findings = [f"Finding {number}: clause {number} holds." for number in range(100)]

    async def before_compaction(told: BeforeCompaction) -> None:
        """Keep what the application found, five findings at most, in the memory that survives."""
        memory: WorkingMemory | None = context.get_plugin("working_memory")
        if memory is not None:
            for number, finding in enumerate(findings[:5]):
                memory.store(f"lease.{number}", f"Finding {number}", finding, tier="findings")

    context = crowded(lifecycle_hooks={"before_compaction": before_compaction})
    prepared = context.prepare()
    assert prepared.compacted
    assert [context.memory.retrieve(f"findings.lease.{number}") for number in range(5)] == findings[:5]
    assert not any(entry.key == "findings.lease.5" for entry in context.memory.entries())
    assert prepared.budget.content_used <= prepared.compactions[-1].target


def test_the_strategy_is_algorithmic_by_default_and_by_name() -> None:
    default, _ = agent_of(context={"model": "gpt-4.1", "features": {"workingMemory": True}})
    named, _ = agent_of(context={"model": "gpt-4.1", "strategy": "algorithmic"})
    for agent in (default, named):
        assert (agent.context.strategy, agent.context.strategy_threshold) == ("algorithmic", 0.75)
        assert agent.context.critical_gate == 0.90


def test_a_strategy_that_reclaims_earlier() -> None:
    earlier_reclaim = StrategyRegistry.create("algorithmic", {"threshold": 0.60})
    agent, _ = agent_of(context={"model": "gpt-4.1", "compaction_strategy": earlier_reclaim})
    assert agent.context.compaction_strategy is earlier_reclaim
    context = crowded(compaction_strategy=earlier_reclaim)
    prepared = context.prepare()
    assert prepared.compacted
    assert prepared.budget.content_utilization <= 0.60


def test_compaction_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    freed: list[int] = []
    context = crowded()
    context.on("context:compacted", lambda payload: freed.append(payload["tokens_freed"]))  # type: ignore[arg-type]
    before = context.calculate_budget()
    prepared = context.prepare()
    assert freed == [before.content_used - prepared.budget.content_used]
