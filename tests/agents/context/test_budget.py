from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context import Breakdown, Budget

COUNT = st.integers(0, 100_000)
PARTS = Breakdown(
    system_prompt=10,
    persistent_instructions=20,
    plugin_instructions=30,
    plugin_contents={"a": 40, "b": 50},
    tools=100,
    conversation=200,
    current_input=300,
)


def test_the_four_parts_add_up_to_the_total() -> None:
    budget = Budget(2_000, 1_000, PARTS)
    assert budget.system_message_tokens == 150
    assert budget.tools_tokens == 100
    assert budget.conversation_tokens == 200
    assert budget.current_input_tokens == 300
    assert budget.total_used == 750


def test_available_and_utilization_leave_the_reserve_out() -> None:
    budget = Budget(2_000, 1_000, PARTS)
    assert budget.available == 250
    assert budget.utilization_percent == 75.0


def test_the_gate_looks_at_content_without_tools() -> None:
    budget = Budget(2_000, 1_000, PARTS)
    assert budget.content_max == 900
    assert budget.content_used == 650
    assert budget.content_utilization == 650 / 900


def test_no_room_for_content_is_beyond_any_gate() -> None:
    assert Budget(1_100, 1_000, PARTS).content_utilization == float("inf")


def test_too_much_is_a_negative_rest() -> None:
    assert Budget(1_000, 500, PARTS).available == -250


def test_an_empty_budget_uses_nothing() -> None:
    budget = Budget(1_000, 0, Breakdown())
    assert (budget.total_used, budget.available, budget.utilization_percent) == (0, 1_000, 0.0)


def test_the_wire_form_has_the_missions_names() -> None:
    assert Budget(2_000, 1_000, PARTS).as_dict() == {
        "maxTokens": 2_000,
        "responseReserve": 1_000,
        "systemMessageTokens": 150,
        "toolsTokens": 100,
        "conversationTokens": 200,
        "currentInputTokens": 300,
        "totalUsed": 750,
        "available": 250,
        "utilizationPercent": 75.0,
        "breakdown": {
            "systemPrompt": 10,
            "persistentInstructions": 20,
            "pluginInstructions": 30,
            "pluginContents": {"a": 40, "b": 50},
            "tools": 100,
            "conversation": 200,
            "currentInput": 300,
        },
    }


@settings(deadline=None)
@given(st.lists(COUNT, min_size=6, max_size=6), st.dictionaries(st.text(max_size=5), COUNT))
def test_whatever_the_parts_they_add_up(counts: list[int], contents: dict[str, int]) -> None:
    prompt, persistent, instructions, tools, past, now = counts
    parts = Breakdown(
        prompt, persistent, instructions, contents, tools=tools, conversation=past, current_input=now
    )
    budget = Budget(1_000_000, 10, parts)
    assert budget.total_used == sum(counts) + sum(contents.values())
    assert budget.available + budget.total_used == 999_990
    assert budget.content_used + budget.tools_tokens == budget.total_used
