"""What is sent is accepted, whole and exactly what was counted: recordings and generated conversations."""

from pathlib import Path
from typing import Any, Literal, cast

import pytest

from agents.connectors.wire import from_chat
from agents.context import AgentContext, Preparation
from agents.context.messages import InputItem
from tests.agents.connectors.test_wire_prepared import check_all
from tests.agents.connectors.test_wire_recorded import FILES, recorded
from tests.agents.connectors.wire_cast import contents
from tests.agents.context.test_generated import converse, recount

Placement = Literal["mission", "tail"]
PLACEMENTS = pytest.mark.parametrize("placement", ["mission", "tail"])


def context_with_stores(placement: Placement) -> AgentContext:
    context = AgentContext.create(model="gpt-4.1", system_prompt="Be brief.", volatile_placement=placement)
    cast("Any", context.memory).store("topic", "What was found", {"a": 1})
    context.get_plugin("in_context_memory").set("state", "Where it stands", {"step": 2})
    return context


def unanswered(items: list[InputItem]) -> list[str]:
    """Return the calls that are not answered before anybody else speaks, and the answers to no call."""
    open_ids: list[str] = []
    wrong: list[str] = []
    for _, blocks in contents(items):
        answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        wrong += [each for each in answers if each not in open_ids]
        left = [each for each in open_ids if each not in answers]
        wrong += [] if answers else left
        open_ids = calls + (left if answers else [])
    return wrong + open_ids


def check(prepared: Preparation) -> None:
    check_all(prepared.input, cast("Any", prepared.tools))
    assert unanswered(prepared.input) == []
    assert prepared.budget.total_used == recount(prepared)


@pytest.mark.skipif(not FILES, reason="the recorded conversations are not beside the repository")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@PLACEMENTS
def test_every_recording_is_accepted_whole_and_as_counted(path: Path, placement: Placement) -> None:
    context = context_with_stores(placement)
    spoken = [item for item in from_chat(recorded(path)) if item.get("role") != "developer"]
    numbered = [cast("InputItem", {**item, "id": f"i{place}"}) for place, item in enumerate(spoken)]
    context.add_input_items(numbered)
    prepared = context.prepare()
    check(prepared)
    assert len(prepared.input) >= len(spoken) + 1


@pytest.mark.parametrize("seed", range(4))
@PLACEMENTS
def test_generated_conversations_are_accepted_whole_and_as_counted(seed: int, placement: Placement) -> None:
    context = context_with_stores(placement)
    converse(context, seed, 6)
    check(context.prepare())


def test_a_cut_result_of_100_kilobytes_is_accepted_and_as_counted() -> None:
    context = AgentContext.create(model="gpt-4.1", max_context_tokens=8_000, response_reserve=1_000)
    context.add_user_message("Look at both.")
    calls = [{"type": "tool_use", "id": each, "name": "look", "arguments": "{}"} for each in ("a", "b")]
    context.add_assistant_response([{"type": "message", "role": "assistant", "content": calls}])
    context.add_tool_results([{"tool_use_id": each, "content": "ein Wort " * 11_000} for each in ("a", "b")])
    prepared = context.prepare()
    check(prepared)
    assert prepared.rewritten


def test_the_check_of_pairs_sees_what_is_wrong() -> None:
    def item(role: str, *blocks: dict[str, Any]) -> InputItem:
        return cast("InputItem", {"type": "message", "id": "m", "role": role, "content": list(blocks)})

    call = item("assistant", {"type": "tool_use", "id": "a", "name": "look", "arguments": "{}"})
    answer = item("user", {"type": "tool_result", "tool_use_id": "a", "content": "seen"})
    text = item("user", {"type": "input_text", "text": "Well?"})
    assert unanswered([call, answer]) == []
    assert unanswered([call, text, answer]) == ["a", "a"]
    assert unanswered([answer]) == ["a"]
    assert unanswered([call]) == ["a"]
