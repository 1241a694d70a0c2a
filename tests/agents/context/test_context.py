import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents import AgentContext, tool
from agents.context.tokens import TiktokenEstimator
from tests.agents.context.cast import BARE, NotePad, StoppedClock, context_of


def test_a_model_is_all_that_is_needed() -> None:
    context = AgentContext.create(model="gpt-4.1")
    assert context.model == "gpt-4.1"
    assert isinstance(context.estimator, TiktokenEstimator)
    assert context.max_context_tokens == 1_047_576
    assert context.response_reserve == 4096
    assert (context.strategy, context.critical_gate) == ("algorithmic", 0.9)
    assert context.user_id is None
    assert (context.storage, context.session_id, context.journal) == (None, None, None)


def test_an_agent_without_id_gets_one_from_the_clock() -> None:
    context = AgentContext.create(model="gpt-4.1", clock=StoppedClock(), features=BARE)
    time, _, rest = context.agent_id.partition("_")
    assert time == "1769798400000"
    assert len(rest) == 7
    assert rest.isalnum()


def test_what_is_given_is_kept() -> None:
    context = context_of(
        model="openai:gpt-4.1",
        max_context_tokens=9_000,
        response_reserve=500,
        agent_id="a1",
        user_id="u1",
        strategy="default",
        critical_gate=0.75,
    )
    assert (context.model, context.agent_id, context.user_id) == ("openai:gpt-4.1", "a1", "u1")
    assert (context.max_context_tokens, context.response_reserve) == (9_000, 500)
    assert (context.strategy, context.critical_gate) == ("default", 0.75)


def test_tools_and_plain_functions_are_registered() -> None:
    @tool
    def one() -> str:
        return "1"

    def two() -> str:
        return "2"

    context = context_of(tools=[one, two], tool_timeout_ms=5_000)
    assert context.tools.list_enabled() == ["one", "two"]
    assert context.tools.timeout_ms == 5_000


def test_a_missing_model_and_unknown_keywords_are_refused() -> None:
    create: Any = AgentContext.create
    with pytest.raises(TypeError, match="needs `model`"):
        create()
    with pytest.raises(TypeError, match="does not know maxTokens, systemPrompt"):
        create(model="gpt-4.1", systemPrompt="x", maxTokens=1)


@pytest.mark.parametrize("gate", [0.49, 1.01, -1])
def test_a_gate_out_of_range_is_refused(gate: float) -> None:
    with pytest.raises(ValueError, match=r"0\.5 to 1\.0"):
        context_of(critical_gate=gate)


@pytest.mark.parametrize(("window", "reserve"), [(1_000, 1_000), (1_000, 2_000), (1_000, -1), (4_096, 4_096)])
def test_a_reserve_that_leaves_no_window_is_refused(window: int, reserve: int) -> None:
    with pytest.raises(ValueError, match=f"below the window of {window} tokens"):
        context_of(max_context_tokens=window, response_reserve=reserve)


def test_variables_of_the_system_prompt_are_replaced() -> None:
    context = context_of(
        system_prompt="{{AGENT_ID}} for {{USER_ID}} on {{MODEL}}, {{DATE}}. {{OTHER}}", user_id="u1"
    )
    context.add_user_message("hi")
    text = str(context.prepare().input[0])
    assert "agent for u1 on gpt-4.1, Friday, January 30, 2026. {{OTHER}}" in text
    assert context.system_prompt == "{{AGENT_ID}} for {{USER_ID}} on {{MODEL}}, {{DATE}}. {{OTHER}}"


def test_the_system_prompt_may_be_set_later() -> None:
    context = context_of()
    context.add_user_message("hi")
    assert "System Prompt" not in str(context.prepare().input)
    context.system_prompt = "You help."
    assert "# System Prompt\\n\\nYou help." in str(context.prepare().input)


@pytest.mark.trap("W5.9")
def test_the_budget_is_calculated_anew_and_nothing_is_changed() -> None:
    context = context_of()
    seen: list[Any] = []
    for event in ("budget:updated", "context:prepared"):
        context.on(event, seen.append)
    context.add_user_message("hi")
    before = context.prepare().budget
    seen.clear()
    context.add_assistant_response("a longer answer than that")
    context.register_plugin(NotePad("new"))
    after = context.calculate_budget()
    assert after.total_used > before.total_used
    assert context.last_budget == before
    assert seen == []


def test_destroying_ends_plugins_messages_and_events() -> None:
    context = context_of()
    pad, seen = NotePad(), list[Any]()
    context.register_plugin(pad)
    context.on("conversation:cleared", seen.append)
    context.add_user_message("hi")
    context.destroy()
    assert pad.destroyed == 1
    assert context.get_current_input() == []
    assert context.get_plugins() == []


@pytest.mark.parametrize(
    "module", ["agents", "agents.context", "memory.plugins.whiteboard", "memory.plugins.notes"]
)
def test_the_engine_runs_with_no_web_framework_in_reach(module: str) -> None:
    program = f"""
import importlib, sys

class Closed:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("django", "celery", "channels", "redis", "daphne", "kombu"):
            raise ImportError(name + " is closed")

sys.meta_path.insert(0, Closed())
importlib.import_module({module!r})
from agents import AgentContext
context = AgentContext.create(model="gpt-4.1")
context.add_user_message("hi")
assert context.prepare().budget.total_used > 0
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


@pytest.mark.trap("W8.13")
def test_another_model_brings_its_window() -> None:
    context = AgentContext.create(model="gpt-4.1", features=BARE)
    context.add_user_message("Hello")
    context.prepare()
    context.record_usage(5_000)
    context.set_model("anthropic:claude-sonnet-4-5")
    assert (context.model, context.max_context_tokens) == ("anthropic:claude-sonnet-4-5", 200_000)
    assert context.calculate_budget().max_tokens == 200_000
    assert context.calibration.ratio == 1.0


def test_a_window_given_at_creation_outlives_the_model() -> None:
    context = context_of(model="gpt-4.1", max_context_tokens=9_000)
    context.set_model("gpt-4o")
    assert context.max_context_tokens == 9_000


def test_a_model_whose_window_the_reserve_fills_is_refused() -> None:
    context = AgentContext.create(model="gpt-4.1", response_reserve=10_000, features=BARE)
    with pytest.raises(ValueError, match="below the window of 8192"):
        context.set_model("gpt-4")
    assert context.model == "gpt-4.1"


def test_what_is_read_only_cannot_be_set() -> None:
    documented = Path(__file__).parents[3] / "docs" / "library.md"
    text = documented.read_text().partition("* `AgentContext`: made by `create`. Read-only: ")[2]
    names = re.findall(r"`(\w+)`", text.partition(".")[0])
    assert {"model", "features", "tools", "estimator", "last_preparation"} <= set(names)
    context = context_of()
    for name in names:
        before = getattr(context, name)
        with pytest.raises(AttributeError, match=name):
            setattr(context, name, 5)
        assert getattr(context, name) == before
