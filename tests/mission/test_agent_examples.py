"""The agent examples of the mission document, in Python names, with a scripted model."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents import Agent, AgentContext, tool
from agents.connectors.registry import register, unregister
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context import FileContextStorage, StrategyRegistry
from memory.plugins import InContextMemory, WorkingMemory


@tool
def weather_tool(city: str) -> dict[str, Any]:
    """Get the weather of a city."""
    return {"city": city, "celsius": 18}


@tool
def my_tool(text: str) -> str:
    """Turn a text around."""
    return text[::-1]


@pytest.fixture
def scripted() -> Any:
    """Let ``connector="openai"`` answer from a script."""
    connectors: list[ScriptedConnector] = []

    def script(*replies: Any) -> ScriptedConnector:
        connectors.append(ScriptedConnector(*replies))
        return connectors[-1]

    register("openai", lambda: connectors[-1])
    yield script
    unregister("openai")


def test_an_agent_with_a_described_context(scripted: Any) -> None:
    agent = Agent.create(
        connector="openai",
        model="gpt-4.1",
        tools=[weather_tool],
        context={"model": "gpt-4.1", "strategy": "algorithmic", "features": {"workingMemory": True}},
    )
    assert agent.tools is agent.context.tools
    assert agent.has_context()

    agent.tools.disable("weather_tool")
    assert "weather_tool" not in agent.context.tools.list_enabled()
    agent.context.tools.enable("weather_tool")
    assert "weather_tool" in agent.tools.list_enabled()

    assert agent.context.last_preparation is None
    scripted(call(("c1", "weather_tool", '{"city":"Paris"}')), say("18 degrees in Paris."))
    assert agent.run("What is the weather?").text == "18 degrees in Paris."

    ctx = agent.context
    kinds = [block["type"] for item in ctx.get_conversation() for block in item["content"]]  # type: ignore[typeddict-item]
    assert kinds == ["input_text", "tool_use", "tool_result", "output_text"]
    assert ctx.last_preparation is not None
    budget = ctx.last_preparation.budget
    assert f"Used: {budget.total_used}/{budget.max_tokens} tokens".endswith("/1047576 tokens")
    assert ctx.strategy_threshold == 0.75
    assert ctx.critical_gate == 0.90


def test_an_agent_on_an_existing_context(scripted: Any) -> None:
    shared_context = AgentContext.create(model="gpt-4.1")
    agent1 = Agent.create(connector="openai", model="gpt-4.1", context=shared_context)
    assert agent1.context is shared_context
    scripted(say("Hello"))
    agent1.run("Hi")
    agent1.destroy()
    assert len(shared_context.get_conversation()) == 2


def test_the_features_of_an_agent() -> None:
    agent = Agent.create(
        connector="openai",
        model="gpt-4.1",
        context={"model": "gpt-4.1", "features": {"workingMemory": False}},
    )
    assert agent.context.memory is None


def test_an_agent_with_selected_stores() -> None:
    agent = Agent.create(
        connector="openai",
        model="gpt-4.1",
        user_id="alice",
        context={
            "model": "gpt-4.1",
            "agent_id": "my-agent",
            "features": {"workingMemory": True, "inContextMemory": True},
        },
    )
    assert (agent.context.agent_id, agent.context.user_id) == ("my-agent", "alice")
    assert isinstance(agent.context.get_plugin("in_context_memory"), InContextMemory)


def test_direct_access_to_the_context_of_an_agent() -> None:
    agent = Agent.create(
        connector="openai",
        model="gpt-4.1",
        tools=[my_tool],
        context={"model": "gpt-4.1", "features": {"workingMemory": True, "inContextMemory": True}},
    )
    agent.context.add_user_message("Hello")
    prepared = agent.context.prepare()
    assert prepared.input
    assert prepared.budget.current_input_tokens > 0

    class Response:
        output = say("Hi there")

    agent.context.add_assistant_response(Response())
    assert len(agent.context.get_conversation()) == 2

    memory_plugin = agent.context.get_plugin("working_memory")
    assert isinstance(memory_plugin, WorkingMemory)
    memory_plugin.store("key", "description", {"any": "value"})
    assert memory_plugin.retrieve("key") == {"any": "value"}

    agent.context.tools.disable("my_tool")
    assert not agent.tools.is_enabled("my_tool")


def test_the_budget_is_inspected_after_a_run(scripted: Any) -> None:
    agent = Agent.create(
        connector="openai",
        model="gpt-4.1",
        context={"model": "gpt-4.1", "features": {"workingMemory": True}},
    )
    scripted(say("Done"))
    list(agent.stream("Research this"))
    assert agent.context.last_preparation is not None
    assert agent.context.last_preparation.budget == agent.context.last_budget


def filled(agent: Agent) -> Agent:
    """Give the agent a history that does not fit."""
    for number in range(12):
        agent.context.add_user_message(f"question {number}")
        agent.context.add_assistant_response(say(f"finding {number}: " + "detail " * 900))
    return agent


SMALL = {"model": "gpt-4.1", "max_context_tokens": 12_000, "response_reserve": 500}


def test_a_hook_before_compaction_gets_metadata_only(scripted: Any) -> None:
    lines: list[str] = []

    async def before_compaction(context: Any) -> None:
        lines.append(f"Agent {context.agent_id}: Compaction starting")
        lines.append(f"Current usage: {context.current_budget.used}/{context.current_budget.total}")
        lines.append(f"Need to free: {context.estimated_tokens_to_free} tokens")
        lines.append(f"Strategy: {context.strategy}")
        lines.append(f"Components to compact: {len(context.components)}")
        lines.extend(component.name for component in context.components if component.compactable)

    agent = filled(
        Agent.create(
            connector="openai",
            model="gpt-4.1",
            name="researcher",
            context=SMALL,
            lifecycle_hooks={"beforeCompaction": before_compaction},
        )
    )
    scripted(say("Go on"))
    agent.run("next")
    assert lines[0] == "Agent researcher: Compaction starting"
    assert lines[1].endswith("/11500")
    assert lines[3] == "Strategy: algorithmic"
    assert "detail" not in " ".join(lines)
    assert agent.context.last_preparation is not None
    assert agent.context.last_preparation.compacted


def test_the_ways_to_choose_a_strategy() -> None:
    earlier_reclaim = StrategyRegistry.create("algorithmic", {"threshold": 0.60})
    default = Agent.create(connector="openai", model="gpt-4.1")
    named = Agent.create(
        connector="openai", model="gpt-4.1", context={"model": "gpt-4.1", "strategy": "algorithmic"}
    )
    custom = Agent.create(
        connector="openai",
        model="gpt-4.1",
        context={"model": "gpt-4.1", "compaction_strategy": earlier_reclaim},
    )
    assert (default.context.strategy, default.context.strategy_threshold) == ("algorithmic", 0.75)
    assert (named.context.strategy, named.context.strategy_threshold) == ("algorithmic", 0.75)
    assert (custom.context.strategy, custom.context.strategy_threshold) == ("algorithmic", 0.60)


def test_hooks_are_added_to_an_agent_that_exists(scripted: Any) -> None:
    recorded: list[dict[str, Any]] = []

    async def before_compaction(context: Any) -> None:
        recorded.append(
            {
                "event": "context_compaction_starting",
                "agent_id": context.agent_id,
                "utilization_percent": context.current_budget.utilization_percent,
                "strategy": context.strategy,
                "estimated_tokens_to_free": context.estimated_tokens_to_free,
            }
        )

    agent = filled(Agent.create(connector="openai", model="gpt-4.1", context=SMALL))
    agent.set_lifecycle_hooks({"beforeCompaction": before_compaction})
    scripted(say("Go on"))
    agent.run("next")
    [record] = recorded
    assert record["utilization_percent"] > 90
    assert record["estimated_tokens_to_free"] > 0


def test_monitoring_with_events(scripted: Any) -> None:
    gauges: dict[str, Any] = {}
    agent = filled(Agent.create(connector="openai", model="gpt-4.1", context=SMALL))
    ctx = agent.context

    async def compacted(event: Any) -> None:
        gauges["context.tokens_freed"] = event["tokens_freed"]

    async def prepared(event: Any) -> None:
        gauges["context.usage"] = event["budget"].total_used
        gauges["context.total"] = event["budget"].max_tokens

    async def warned(event: Any) -> None:
        gauges["warning"] = f"Context warning: {round(event['budget'].utilization_percent)}%"

    ctx.on("context:compacted", compacted)
    ctx.on("context:prepared", prepared)
    ctx.on("budget:warning", warned)
    scripted(say("Go on"))
    agent.run("next")
    assert gauges["context.tokens_freed"] > 0
    assert gauges["context.total"] == 12_000
    assert 0 < gauges["context.usage"] <= 11_500
    assert gauges["warning"].startswith("Context warning: 7")


def test_a_session_about_to_expire_is_rolled_over(scripted: Any, tmp_path: Path) -> None:
    agent = filled(
        Agent.create(
            connector="openai",
            model="gpt-4.1",
            session={"storage": FileContextStorage(agent_id="researcher", root=tmp_path)},
        )
    )
    scripted(say("Twelve findings, all detailed."))
    result = agent.rollover_context(
        preserve_recent_turns=8, max_summary_tokens=2048, reason="provider-session-expiring"
    )
    assert result.performed
    assert result.turns_preserved == 8
    assert "Twelve findings" in json.dumps(agent.context.get_conversation()[0])
