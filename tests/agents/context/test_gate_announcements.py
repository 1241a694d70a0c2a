"""When the gate opens: who is told, with which figures, and what is sent afterwards."""

from typing import Any

import pytest

from agents.context import BeforeCompaction
from agents.context.counting import count_item
from memory.plugins import InContextMemory
from tests.agents.context.cast import context_of

NOTES = 12
LONG = "So many words that the board is what fills the window. " * 30


def full_context(**options: Any) -> Any:
    """Return a context whose whiteboard alone opens the gate at the very first preparation."""
    context = context_of(
        max_context_tokens=8_000, response_reserve=500, features={"working_memory": False}, **options
    )
    board = context.get_plugin("in_context_memory")
    assert isinstance(board, InContextMemory)
    board.set("keep", "Must stay", "here", "critical")
    for number in range(NOTES):
        board.set(f"note_{number}", "May leave", LONG, "low")
    context.add_user_message("What now?")
    return context


@pytest.mark.trap("W5.7")
def test_the_first_preparation_tells_hook_and_listeners_with_the_figures_of_this_moment() -> None:
    told: list[BeforeCompaction] = []
    heard: list[dict[str, Any]] = []
    context = full_context(lifecycle_hooks={"before_compaction": told.append})
    context.on("compaction:starting", heard.append)
    before = context.calculate_budget()
    assert context.last_budget is None

    assert context.prepare().compacted

    [briefing], [event] = told, heard
    assert briefing.current_budget.used == before.total_used
    assert event["budget"] == before
    assert briefing.estimated_tokens_to_free == event["target_tokens_to_free"] > 0


@pytest.mark.trap("W5.7")
def test_a_later_preparation_is_told_its_own_figures_not_those_of_the_one_before() -> None:
    told: list[BeforeCompaction] = []
    context = full_context(lifecycle_hooks={"before_compaction": told.append})
    first = context.prepare().budget
    board = context.get_plugin("in_context_memory")
    for number in range(NOTES):
        board.set(f"again_{number}", "May leave", LONG, "low")
    now = context.calculate_budget()
    context.prepare()
    assert [each.current_budget.used for each in told][1:] == [now.total_used]
    assert now.total_used > first.total_used


@pytest.mark.trap("W5.5")
def test_what_the_whiteboard_gave_up_is_neither_sent_nor_counted() -> None:
    context = full_context()
    before = context.calculate_budget()
    prepared = context.prepare()
    board = context.get_plugin("in_context_memory")
    kept = [each["key"] for each in board.list()]
    gone = [f"note_{number}" for number in range(NOTES) if f"note_{number}" not in kept]

    system = prepared.input[0]["content"][0]["text"]
    assert gone
    assert "keep" in kept
    assert [key for key in gone if f"**{key}**" in system] == []
    assert [key for key in kept if f"**{key}**" not in system] == []
    assert prepared.budget.system_message_tokens == sum(each.tokens for each in prepared.sections) + 4
    assert prepared.budget.system_message_tokens < before.system_message_tokens
    assert abs(prepared.budget.system_message_tokens - count_item(prepared.input[0], context.estimator)) <= 10
    assert prepared.budget == context.calculate_budget()
