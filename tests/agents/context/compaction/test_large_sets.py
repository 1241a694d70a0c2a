"""Parallel calls with results of 100 kB: compaction at the gate, and the target or a reason."""

import random

import pytest

from agents.context import AgentContext
from agents.context.messages import InputItem
from tests.agents.context.cast import StoppedClock, assistant, results, user
from tests.agents.context.compaction.cast import contents_of, ids_of, note_values

KILOBYTES = 100


def large_talk(seed: int, turns: int) -> list[InputItem]:
    """Return turns with up to four parallel calls each, half of whose results have 100 kB."""
    chance = random.Random(seed)
    items: list[InputItem] = []
    for turn in range(turns):
        ids = [f"c{turn}-{number}" for number in range(chance.randint(1, 4))]
        items += [user(f"question {turn}", f"u{turn}"), assistant("I look.", tuple(ids), f"a{turn}")]
        for use_id in ids:
            size = chance.choice((20, KILOBYTES * 1024))
            text = f"{use_id} " + " ".join(chance.choices(("lease", "deposit", "clause 4"), k=size // 7))
            items.append(results(use_id, item_id=f"r{use_id}", text=text))
        items.append(assistant(f"answer {turn}", (), f"d{turn}"))
    return items


def held(items: list[InputItem], window: int) -> AgentContext:
    context = AgentContext.create(
        model="gpt-4.1", max_context_tokens=window, response_reserve=4_096, clock=StoppedClock()
    )
    context.load_conversation([(item, None) for item in items])
    context.add_user_message("And now?")
    return context


@pytest.mark.parametrize("window", [128_000, 32_000])
@pytest.mark.parametrize("seed", range(4))
def test_large_results_leave_and_nothing_of_them_is_lost(seed: int, window: int) -> None:
    items = large_talk(seed, 10)
    context = held(items, window)
    before = context.calculate_budget()
    assert before.content_utilization >= 0.90
    state, prompt = context.get_state(), context.get_view_context()
    prepared = context.prepare()
    (plan,) = prepared.compactions
    assert prepared.budget.content_used <= plan.target
    assert prepared.reaches_target
    recent = ids_of(items)[ids_of(items).index("u7") :]
    assert ids_of(context.get_conversation())[-len(recent) :] == recent
    kept = note_values(context).values()
    moved = [each for value in kept if isinstance(value, list) for each in value]
    originals = contents_of(items)
    sent = contents_of(context.get_conversation())
    for use_id, original in originals.items():
        assert original in (sent.get(use_id), contents_of(moved).get(use_id)) or original in kept
    context.restore_state(state)
    assert context.get_view_context() == prompt


def test_one_hundred_kilobytes_as_input_cost_nobody_else_anything() -> None:
    items = large_talk(1, 3)[:1]
    context = held(items, 30_000)
    context.get_plugin("in_context_memory").set("state", "Where we are", "x" * 500, "low")
    context.add_assistant_response(
        [{"type": "message", "content": [{"type": "tool_use", "id": "c", "name": "look", "arguments": "{}"}]}]
    )
    context.add_tool_results([{"tool_use_id": "c", "content": "clause four " * 20_000}])
    prepared = context.prepare()
    assert prepared.compactions == ()
    assert prepared.rewritten == (context.get_current_input()[-1]["id"],)
    assert context.get_plugin("in_context_memory").has("state")
    assert "clause four " * 20_000 in note_values(context).values()
