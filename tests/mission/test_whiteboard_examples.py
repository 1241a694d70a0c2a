"""The whiteboard examples of the mission document, in Python names."""

from typing import cast

import pytest

from agents import AgentContext
from agents.context.json_values import JSON
from memory.plugins import InContextMemory
from tests.memory.manual_time import ManualTime
from tests.memory.plugins.whiteboard_cast import NOON, stopped

CURRENT_STATE: JSON = {"step": 3, "status": "active", "errors": []}


@pytest.fixture
def plugin() -> InContextMemory:
    return InContextMemory()


@pytest.fixture
def context() -> AgentContext:
    board = {"in_context_memory": {"clock": stopped}}
    return AgentContext.create(model="gpt-4.1", features={"inContextMemory": True}, plugins=board)


def board_of(context: AgentContext) -> InContextMemory:
    plugin = context.get_plugin("in_context_memory")
    assert isinstance(plugin, InContextMemory)
    return plugin


def prompt_text(context: AgentContext) -> str:
    context.add_user_message("go on")
    system = context.prepare().input[0]
    assert system["type"] == "message"
    return "".join(str(block.get("text")) for block in system["content"])


def test_quick_setup() -> None:
    ctx = AgentContext.create(model="gpt-4.1", features={"in_context_memory": True})

    plugin = ctx.get_plugin("in_context_memory")
    assert isinstance(plugin, InContextMemory)
    plugin.set("state", "Current processing state", {"step": 1, "status": "active"})

    assert "**state** (normal): Current processing state" in prompt_text(ctx)


def test_manual_setup() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    plugin = InContextMemory(
        max_entries=20,
        max_total_tokens=40_000,
        default_priority="normal",
        show_timestamps=False,
    )

    ctx.register_plugin(plugin)

    assert ctx.get_plugin("in_context_memory") is plugin
    plugin.set("state", "Current processing state", {"step": 1})
    assert "**state** (normal)" in prompt_text(ctx)
    assert ctx.tools.execute("store_delete", {"store": "whiteboard", "key": "state"}) == {
        "deleted": True,
        "key": "state",
    }
    assert not plugin.has("state")


def test_the_model_stores_lists_and_deletes_through_the_tools(context: AgentContext) -> None:
    stored = context.tools.execute(
        "store_set",
        {
            "store": "whiteboard",
            "key": "current_state",
            "data": {
                "description": "Processing state for current task",
                "value": CURRENT_STATE,
                "priority": "high",
            },
        },
    )
    preferences: dict[str, JSON] = {
        "store": "whiteboard",
        "key": "user_prefs",
        "description": "User preferences",
        "value": 1,
        "showInUI": True,
    }
    context.tools.execute("store_set", preferences)

    assert cast("dict[str, JSON]", stored)["success"] is True
    assert context.tools.execute("store_list", {"store": "whiteboard"}) == {
        "entries": [
            {
                "key": "current_state",
                "description": "Processing state for current task",
                "priority": "high",
                "showInUI": False,
                "updatedAt": NOON,
            },
            {
                "key": "user_prefs",
                "description": "User preferences",
                "priority": "normal",
                "showInUI": True,
                "updatedAt": NOON,
            },
        ],
        "total": 2,
    }
    assert context.tools.execute("store_delete", {"store": "whiteboard", "key": "user_prefs"}) == {
        "deleted": True,
        "key": "user_prefs",
    }


def test_direct_api_access(plugin: InContextMemory) -> None:
    plugin.set("state", "Current state", {"step": 1})
    plugin.set("prefs", "User preferences", {"verbose": True}, "high")
    plugin.set("temp", "Temporary data", "xyz", "low")
    plugin.set("dashboard", "Live dashboard", "## Status\n- OK", "normal", True)

    assert plugin.get("state") == {"step": 1}
    assert plugin.get("nonexistent") is None
    assert plugin.has("state")
    assert not plugin.has("missing")
    assert plugin.delete("temp")
    assert not plugin.delete("missing")
    assert [entry["key"] for entry in plugin.list()] == ["state", "prefs", "dashboard"]
    assert set(plugin.list()[0]) == {"key", "description", "priority", "showInUI", "updatedAt"}
    assert len(plugin.list()) == 3
    plugin.clear()
    assert plugin.list() == []


def test_priority_based_eviction() -> None:
    ctx = AgentContext.create(model="gpt-4.1")
    plugin = InContextMemory(max_entries=3)
    ctx.register_plugin(plugin)

    plugin.set("critical1", "Critical data", "value", "critical")
    plugin.set("high1", "High priority", "value", "high")
    plugin.set("normal1", "Normal data", "value", "normal")
    plugin.set("low1", "Low priority", "value", "low")

    assert plugin.has("critical1")
    assert plugin.has("high1")
    assert plugin.has("low1")
    assert not plugin.has("normal1")


def test_context_output_format(context: AgentContext) -> None:
    plugin = board_of(context)
    description = "User preferences for this session"
    plugin.set("user_preferences", description, {"theme": "dark", "verbose": True})
    plugin.set("current_state", "Processing state for current task", CURRENT_STATE, "high")
    section = """\
# Whiteboard

**current_state** (high): Processing state for current task
```
{
  "step": 3,
  "status": "active",
  "errors": []
}
```

**user_preferences** (normal): User preferences for this session
```
{
  "theme": "dark",
  "verbose": true
}
```"""

    assert section in prompt_text(context)


def test_show_in_ui_through_the_tool_and_the_direct_api(context: AgentContext) -> None:
    plugin = board_of(context)
    value = "## Research Progress\n\n| Topic | Status |\n|-------|--------|\n| API Design | Done |"
    data: JSON = {
        "description": "Task progress dashboard",
        "value": value,
        "priority": "high",
        "showInUI": True,
    }
    context.tools.execute("store_set", {"store": "whiteboard", "key": "progress", "data": data})
    shown = [plugin.list()[0]["showInUI"]]
    plugin.set("progress", "Task progress", "## Progress\n- [x] Step 1", "high", True)
    shown.append(plugin.list()[0]["showInUI"])
    plugin.set("progress", "Task progress", "## Progress\n- [x] Step 2", "high")
    shown.append(plugin.list()[0]["showInUI"])
    plugin.set("progress", "Task progress", "## Progress\n- [x] Step 2", "high", False)
    shown.append(plugin.list()[0]["showInUI"])

    assert shown == [True, True, True, False]
    assert "showInUI" not in prompt_text(context)


def test_a_sidebar_follows_on_entries_changed() -> None:
    sidebar: list[list[JSON]] = []
    time = ManualTime()

    def update_sidebar(entries: list[dict[str, JSON]]) -> None:
        visible_entries = [entry for entry in entries if entry["showInUI"]]
        sidebar.append([entry["key"] for entry in visible_entries])

    plugin = InContextMemory(max_entries=20, on_entries_changed=update_sidebar, scheduler=time)
    plugin.set("dashboard", "Live dashboard", "## Status", "normal", True)
    plugin.set("secret", "Not shown", 1)
    time.advance_to(100)
    plugin.set("dashboard", "Live dashboard", "## Status", "normal", False)
    time.advance_to(300)

    assert sidebar == [["dashboard"], []]


def test_session_persistence(plugin: InContextMemory) -> None:
    plugin.set("state", "Current state", {"step": 1}, "high", True)

    state = plugin.get_state()
    new_plugin = InContextMemory()
    new_plugin.restore_state(state)

    assert list(state) == ["entries"]
    assert new_plugin.get_state() == state


def test_session_persistence_with_a_context(context: AgentContext) -> None:
    board_of(context).set("state", "Current state", {"step": 1})
    ctx_state = context.get_state()

    new_ctx = AgentContext.create(model="gpt-4.1", features={"inContextMemory": True})
    new_ctx.restore_state(ctx_state)

    assert board_of(new_ctx).get("state") == {"step": 1}


def test_best_practices(plugin: InContextMemory) -> None:
    plugin.set("session_id", "Session identifier", "sess_123", "critical")
    plugin.set("user_context", "User context", {"name": "Alice"}, "high")
    plugin.set("current_step", "Current step", 3)
    plugin.set("last_check", "Last health check", NOON, "low")

    plugin.compact(1)

    assert [entry["key"] for entry in plugin.list()] == ["session_id", "user_context", "current_step"]
    warnings = plugin.set("results", "All results", ["a long result"] * 2_000).warnings
    assert "summary" in warnings[0]


def test_small_state_on_the_whiteboard_and_large_data_in_the_notes(context: AgentContext) -> None:
    large_results: JSON = [f"result {number}" for number in range(500)]
    context.tools.execute(
        "store_set",
        {
            "store": "notes",
            "key": "search_results",
            "description": "Web search results",
            "value": large_results,
        },
    )
    board_of(context).set("search_status", "Search status", {"completed": 3, "pending": 2})
    prompt = prompt_text(context)

    assert "- `search_results` (6.2KB): Web search results" in prompt
    assert "result 499" not in prompt
    assert '"completed": 3' in prompt
