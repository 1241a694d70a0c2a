"""Arbitrary lives of a context: whatever happens, the prompt is whole, counted, and saved as it is."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context import AgentContext, Preparation
from agents.context.blank import is_blank
from agents.context.counting import count_item
from agents.context.errors import ContextError, ContextOverflow
from agents.context.pairing import is_sound, piece_of
from tests.agents.context.cast import NotePad, Shelf, context_of

Step = Callable[[AgentContext], object]

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
ID = st.sampled_from(["c1", "c2", "c3", "c4"])
IMAGE = {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}


def _say(text: str) -> Step:
    return lambda context: context.add_user_message(text)


def _show(text: str) -> Step:
    return lambda context: context.add_user_message([{"type": "input_text", "text": text}, IMAGE])


def _answer(text: str, calls: list[str]) -> Step:
    blocks: list[Any] = [{"type": "output_text", "text": text}]
    blocks += [{"type": "tool_use", "id": each, "name": "look", "arguments": '{"a": 1}'} for each in calls]
    return lambda context: context.add_assistant_response([{"type": "message", "content": blocks}])


def _results(ids: list[str], text: str) -> Step:
    return lambda context: context.add_tool_results([{"tool_use_id": each, "content": text} for each in ids])


def _note(text: str) -> Step:
    return lambda context: setattr(context.get_plugin("note_pad"), "text", text)


def _store(key: str, value: object) -> Step:
    arguments: Any = {"store": "shelf", "key": key, "data": {"description": "d", "value": value}}
    return lambda context: context.tools.execute("store_set", arguments)


def _flood(size: int) -> Step:
    return lambda context: context.add_tool_results([{"tool_use_id": "c1", "content": "word " * size}])


def _prepared(context: AgentContext) -> Preparation | ContextOverflow:
    try:
        return context.prepare()
    except ContextOverflow as overflow:
        return overflow


STEPS = st.one_of(
    st.builds(_say, TEXT.filter(lambda text: not is_blank(text))),
    st.builds(_show, TEXT),
    st.builds(_answer, TEXT, st.lists(ID, max_size=3)),
    st.builds(_results, st.lists(ID, min_size=1, max_size=3), TEXT),
    st.builds(_note, TEXT),
    st.builds(_store, ID, st.recursive(st.none() | st.booleans() | TEXT, st.lists, max_leaves=3)),
    st.builds(_flood, st.integers(1, 3_000)),
    st.just(lambda context: context.clear_conversation()),
    st.just(lambda context: context.tools.toggle("store_get")),
    st.just(_prepared),
)


def _lived(steps: list[Step], placement: Any) -> AgentContext:
    context = _newborn(placement)
    for step in steps:
        step(context)
    return context


def _newborn(placement: Any) -> AgentContext:
    context = context_of(
        max_context_tokens=4_000,
        response_reserve=500,
        system_prompt="You help.",
        volatile_placement=placement,
    )
    context.register_plugin(NotePad())
    context.register_plugin(Shelf())
    return context


LIVES = st.tuples(st.lists(STEPS, max_size=15), st.sampled_from(["mission", "tail"]))


@settings(deadline=None)
@given(LIVES)
def test_a_prompt_has_whole_pairs_fits_and_adds_up(life: tuple[list[Step], Any]) -> None:
    context = _lived(*life)
    prepared = _prepared(context)
    if isinstance(prepared, ContextOverflow):
        assert prepared.budget.content_used > prepared.content_max
        return
    budget = prepared.budget
    messages = [item for item in prepared.input if item["type"] == "message" and item["role"] != "developer"]
    assert is_sound([piece_of(item) for item in messages])
    assert budget.available >= 0
    counted = sum(count_item(item, context.estimator) for item in messages)
    assert counted == budget.conversation_tokens + budget.current_input_tokens
    parts = budget.breakdown
    assert budget.system_message_tokens == sum(each.tokens for each in prepared.sections) + 4 * (
        len(prepared.input) - len(messages)
    )
    assert budget.total_used == parts.system_message + parts.tools + counted
    assert budget == context.calculate_budget()


@settings(deadline=None)
@given(LIVES)
def test_a_saved_life_goes_on_as_it_was(life: tuple[list[Step], Any]) -> None:
    context = _lived(*life)
    state = json.loads(json.dumps(context.get_state()))
    heir = _newborn(life[1])
    heir.restore_state(state)
    assert heir.get_state() == state
    assert heir.calculate_budget() == context.calculate_budget()
    assert heir.turn_index == context.turn_index


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["type", "id", "role", "content", "text", "tool_use_id", "arguments", "image_url", "store", "key", "data"]
)
VALUES = (
    st.sampled_from(["message", "user", "input_text", "tool_use", "tool_result", "shelf", "thinking"]) | JUNK
)
ITEMS = st.dictionaries(
    FIELDS, VALUES | st.lists(st.dictionaries(FIELDS, VALUES, max_size=4), max_size=2), max_size=5
)


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=3))
def test_whatever_comes_in_only_typed_errors_come_out(junk: list[Any]) -> None:
    context = _newborn("mission")
    calls: list[Callable[[], object]] = [
        lambda: context.add_user_message(junk),
        lambda: context.add_assistant_response(junk),
        lambda: context.add_input_items(junk),
        lambda: context.restore_state({"conversation": junk}),
        lambda: context.add_tool_results([{"tool_use_id": "c", "content": junk}]),
    ]
    for call in calls:
        try:
            call()
        except ContextError:
            continue
    for each in junk:
        for name in (*context.tools.list(), "ghost"):
            json.dumps(context.tools.execute(name, each))
    _prepared(context)
