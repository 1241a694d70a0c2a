"""The context examples of the mission document that need neither an agent nor compaction, in Python names."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents import AgentContext, tool
from agents.context import (
    DEFAULT_FEATURES,
    ApproximateTokenEstimator,
    BasePlugin,
    FileContextStorage,
    ToolCallState,
)
from memory.plugins import InContextMemory, WorkingMemory


class MyPlugin(BasePlugin):
    """The custom plugin of the mission, line by line."""

    name = "my_plugin"

    def __init__(self) -> None:
        self._data: list[str] = []

    def get_instructions(self) -> str | None:
        return None

    async def get_content(self) -> str | None:
        if not self._data:
            return None
        content = "## My Plugin Data\n" + "\n".join(self._data)
        self.update_token_cache(self.estimator.estimate_tokens(content))
        return content

    def get_contents(self) -> object:
        return self._data

    def add_data(self, item: str) -> None:
        self._data.append(item)
        self.invalidate_token_cache()

    def is_compactable(self) -> bool:
        return len(self._data) > 0

    async def compact(self, tokens_to_free: int) -> int:
        before = self.get_token_size()
        while self.get_token_size() > max(0, before - tokens_to_free) and len(self._data) > 1:
            self._data.pop(0)
            await self.get_content()
        return before - self.get_token_size()

    def get_state(self) -> object:
        return {"data": self._data}

    def restore_state(self, state: object) -> None:
        self._data = list(state.get("data") or []) if isinstance(state, dict) else []
        self.invalidate_token_cache()


@tool
def risky_tool() -> str:
    """Do something risky."""
    return "boom"


def response(text: str) -> list[dict[str, Any]]:
    return [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]


def call_of(use_id: str, name: str = "risky_tool") -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": use_id, "name": name, "arguments": "{}"}
    return [{"type": "message", "role": "assistant", "content": [use]}]


def system_text(ctx: AgentContext) -> str:
    system: Any = ctx.prepare().input[0]
    text: str = system["content"][0]["text"]
    return text


def test_a_context_instance() -> None:
    ctx = AgentContext.create(
        model="gpt-4.1",
        system_prompt="You are a helpful assistant.",
        features={"working_memory": True, "in_context_memory": True, "persistent_instructions": False},
        strategy="algorithmic",
        tools=[risky_tool],
    )
    ctx.add_user_message("What is the weather in Paris?")
    prepared = ctx.prepare()
    assert prepared.input
    assert not prepared.compacted

    ctx.add_assistant_response(call_of("call_1"))
    ctx.add_tool_results([{"tool_use_id": "call_1", "content": "18 °C", "state": ToolCallState.COMPLETED}])

    memory = ctx.memory
    assert isinstance(memory, WorkingMemory)
    memory.store("key", "description", {"any": "value"})

    ctx.tools.disable("risky_tool")
    assert "risky_tool" not in ctx.tools.list_enabled()

    budget = ctx.prepare().budget
    assert f"Tokens: {budget.total_used}/{budget.max_tokens}".endswith("/1047576")
    assert 0 < budget.utilization_percent < 1
    assert budget.available == budget.max_tokens - budget.response_reserve - budget.total_used


def test_the_structure_of_the_prompt() -> None:
    ctx = AgentContext.create(model="gpt-4.1", system_prompt="Be brief.")
    ctx.memory.store("search", "Results", [1, 2])
    ctx.get_plugin("in_context_memory").set("state", "State", {"step": 1})
    ctx.add_user_message("one")
    ctx.add_assistant_response(response("two"))
    ctx.add_user_message("three")
    prepared = ctx.prepare()
    roles = [item["role"] for item in prepared.input if item["type"] == "message"]
    assert roles == ["developer", "user", "assistant", "user"]
    text = system_text(ctx)
    headings = [line for line in text.splitlines() if line.startswith("# ")]
    assert headings == ["# System Prompt", "# Plugin Instructions", "# Whiteboard", "# Notes"]


def test_the_configuration_options(tmp_path: Path) -> None:
    ctx = AgentContext.create(
        model="gpt-4.1",
        max_context_tokens=128_000,
        response_reserve=4096,
        system_prompt="Your system instructions",
        agent_id="my-agent",
        tools=[risky_tool],
        features={"workingMemory": True},
        strategy="algorithmic",
        storage=FileContextStorage(agent_id="my-agent", root=tmp_path),
        plugins={"in_context_memory": {"max_entries": 5}},
    )
    assert ctx.max_context_tokens == 128_000
    assert ctx.get_plugin("in_context_memory").max_entries == 5


def test_the_default_features() -> None:
    assert {name: DEFAULT_FEATURES[name] for name in DEFAULT_FEATURES} == {
        "task_state": False,
        "working_memory": True,
        "in_context_memory": True,
        "persistent_instructions": False,
        "user_info": False,
        "tool_catalog": False,
        "shared_workspace": False,
        "memory": False,
        "memory_write": False,
    }
    assert DEFAULT_FEATURES["workingMemory"] is True


def test_a_context_without_scratch_notes() -> None:
    ctx = AgentContext.create(model="gpt-4.1", features={"workingMemory": False})
    assert ctx.memory is None


def test_features_can_be_asked_for() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    assert ctx.features.working_memory is True
    assert ctx.features.in_context_memory is True
    assert ctx.features.persistent_instructions is False
    assert ctx.features.user_info is False
    assert {"shared_workspace", "memory", "memory_write"} <= set(ctx.features)


def test_plugins_are_asked_for_by_name() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    assert isinstance(ctx.get_plugin("working_memory"), WorkingMemory)
    assert isinstance(ctx.get_plugin("in_context_memory"), InContextMemory)
    for name in ("persistent_instructions", "user_info", "tool_catalog", "shared_workspace", "memory"):
        assert ctx.get_plugin(name) is None
    assert ctx.has_plugin("working_memory")


def test_the_store_tools_depend_on_features() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    assert ctx.tools.has("store_set")

    ctx2 = AgentContext.create(model="gpt-4.1", features={"workingMemory": False})
    assert ctx2.tools.has("store_set")
    arguments: Any = {"store": "notes", "key": "k", "data": {"description": "d", "value": 1}}
    failed: Any = ctx2.tools.execute("store_set", arguments)
    assert failed["success"] is False
    assert "whiteboard" in failed["error"]


def test_the_message_flow() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    ctx.add_user_message("Hello!")
    assert ctx.prepare().budget.current_input_tokens > 0
    ctx.add_assistant_response(call_of("call_123"))
    ctx.add_tool_results(
        [
            {
                "tool_use_id": "call_123",
                "content": json.dumps({"result": "success"}),
                "state": ToolCallState.COMPLETED,
            }
        ]
    )
    assert len(ctx.get_conversation()) == 2
    ctx.clear_conversation("Starting fresh")
    assert ctx.get_conversation() == []


def test_the_budget_of_a_preparation() -> None:
    ctx = AgentContext.create(model="gpt-4.1", system_prompt="You help.")
    ctx.add_user_message("Current task description")
    budget = ctx.prepare().budget
    assert f"{budget.utilization_percent:.1f}%" == f"{budget.total_used / 1_043_480 * 100:.1f}%"
    parts = budget.breakdown
    assert parts.system_prompt > 0
    assert parts.plugin_instructions > 0
    assert parts.conversation == 0
    assert parts.current_input > 0
    assert parts.total == budget.total_used


def test_session_persistence(tmp_path: Path) -> None:
    storage = FileContextStorage(agent_id="my-agent", root=tmp_path)
    ctx = AgentContext.create(model="gpt-4.1", features={"working_memory": True}, storage=storage)
    ctx.add_user_message("Hello")
    ctx.memory.store("k", "A note", "value")
    ctx.save("session-001", {"title": "My Session"})

    ctx2 = AgentContext.create(model="gpt-4.1", storage=storage)
    assert ctx2.load("session-001")
    assert ctx2.get_current_input() == ctx.get_current_input()
    assert ctx2.memory.retrieve("k") == "value"
    [listed] = storage.list()
    assert listed["metadata"]["title"] == "My Session"


def test_a_custom_plugin() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    plugin = MyPlugin()
    ctx.register_plugin(plugin)
    plugin.add_data("Custom data")
    ctx.add_user_message("hi")
    assert "# My Plugin\n\n## My Plugin Data\nCustom data" in system_text(ctx)
    budget = ctx.last_budget
    assert budget is not None
    assert budget.breakdown.plugin_contents["my_plugin"] > plugin.get_token_size() > 0


def test_a_custom_plugin_travels_with_the_state() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    plugin = MyPlugin()
    ctx.register_plugin(plugin)
    plugin.add_data("Custom data")
    other = AgentContext.create(model="gpt-4.1")
    restored = MyPlugin()
    other.register_plugin(restored)
    other.restore_state(ctx.get_state())
    assert restored.get_contents() == ["Custom data"]


def test_events() -> None:
    ctx = AgentContext.create(model="gpt-4.1", max_context_tokens=8_000)
    lines: list[str] = []
    ctx.on("message:added", lambda event: lines.append(f"New {event['role']} message"))
    ctx.on("budget:warning", lambda event: lines.append(_percent("Context at", event)))
    ctx.on("budget:critical", lambda event: lines.append(_percent("Context critical at", event)))
    ctx.on("context:prepared", lambda event: lines.append("Context prepared"))
    free = ctx.calculate_budget().available
    ctx.add_user_message("word " * (free - 1_000))
    ctx.prepare()
    assert lines[0] == "New user message"
    assert lines[1].startswith("Context at 7")
    assert lines[2] == "Context prepared"


def _percent(words: str, event: dict[str, Any]) -> str:
    return f"{words} {event['budget'].utilization_percent:.1f}%"


@pytest.mark.parametrize(("content_type", "tokens"), [("mixed", 286), ("code", 334), ("prose", 250)])
def test_the_approximate_estimator_knows_content_types(content_type: str, tokens: int) -> None:
    assert ApproximateTokenEstimator().estimate_tokens("x" * 1_000, content_type) == tokens


def test_the_approximate_estimator_of_the_mission() -> None:
    estimator = ApproximateTokenEstimator()
    assert estimator.estimate_tokens("Hello, world!") == 4
    assert estimator.estimate_data_tokens({"users": [], "config": {}}) == 7
    ctx = AgentContext.create(model="gpt-4.1", estimator=estimator)
    ctx.add_user_message("Hello, world!")
    assert ctx.prepare().budget.current_input_tokens == 8
