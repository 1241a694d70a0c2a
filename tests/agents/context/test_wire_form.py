"""Faults of form are typed, and found before anything changes, wherever items come in."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from agents.context import AgentContext
from agents.context.errors import ContextError, InvalidItem, InvalidState
from agents.context.wire_form import check_counted, check_form, check_item
from tests.agents.context.cast import assistant, context_of, results, user

RESULT = {"type": "tool_result", "tool_use_id": "c", "content": "seen"}
IMAGE = {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png"}}
TEXT = {"type": "input_text", "text": "hi"}


def message(*blocks: Any, **more: Any) -> Any:
    return {"type": "message", "id": "m", "role": "user", "content": list(blocks), **more}


def talked() -> AgentContext:
    context = context_of()
    context.add_user_message("one")
    context.add_assistant_response("two")
    context.add_user_message("three")
    return context


# Every one of these was once a raw TypeError, KeyError or AttributeError, then or later.
MALFORMED = [
    message({**RESULT, "error": {}}),
    message({**RESULT, "error": 5}),
    message({**RESULT, "__images": 5}),
    message({**RESULT, "__images": {}}),
    message({"type": "input_text", "text": 5}),
    message({"type": "input_text"}),
    message({"type": ["input_text"], "text": "hi"}),
    message({"type": "tool_use", "id": "c", "name": "n", "arguments": "{}", "thoughtSignature": 5}),
    message({"type": "thinking", "thinking": "hm", "signature": 5}),
    message({"type": "input_image_url", "image_url": {"url": 5}}),
    message(TEXT, metadata=5),
    message(TEXT, None),
    message(),
    {**message(TEXT), "role": "system"},
    {**message(TEXT), "role": ["user"]},
    {**message(TEXT), "id": 5},
    {**message(TEXT), "content": "hi"},
    {"type": "message"},
    "text",
    None,
]


@pytest.mark.parametrize("item", MALFORMED)
@pytest.mark.parametrize(
    "enter",
    [
        lambda context, item: context.add_input_items([user("fine"), item]),
        lambda context, item: context.load_conversation([(user("fine"), None), (item, 5)]),
        lambda context, item: context.load_conversation([], [(user("fine"), 5), (item, None)]),
        lambda context, item: context.restore_state({"conversation": [user("fine"), item]}),
        lambda context, item: context.restore_state({"conversation": [], "currentInput": [item]}),
    ],
)
def test_a_malformed_item_changes_nothing_wherever_it_comes_in(
    enter: Callable[[AgentContext, Any], None], item: Any
) -> None:
    context = talked()
    if isinstance(item, dict) and item.get("id") == 5:
        item = {**item, "id": ["m"]}
    before = context.get_state()
    with pytest.raises((InvalidItem, InvalidState)):
        enter(context, item)
    assert context.get_state() == before
    context.prepare()


@pytest.mark.parametrize("block", [{**RESULT, "error": 5}, {**RESULT, "__images": 5}])
def test_malformed_blocks_of_a_user_message_are_refused(block: Any) -> None:
    with pytest.raises(InvalidItem, match="or not at all"):
        context_of().add_user_message([block])


def test_null_in_an_optional_field_is_as_if_it_were_not_there() -> None:
    image = {"type": "input_image_url", "image_url": {**IMAGE["image_url"], "detail": None}}  # type: ignore[dict-item]
    full = message({**RESULT, "error": None, "__images": None}, image, metadata=None)
    assert check_item(full) == message(RESULT, IMAGE)
    context = context_of()
    context.restore_state({"conversation": [assistant("", ("c",))], "currentInput": [full]})
    assert context.get_current_input() == [message(RESULT, IMAGE)]
    context.prepare()


@pytest.mark.parametrize("item", [message(TEXT), message(RESULT, IMAGE), message(TEXT, metadata={})])
def test_a_sound_item_is_passed_as_it_is(item: Any) -> None:
    assert check_form(item) is item


@pytest.mark.parametrize("tokens", ["5", math.nan, 5.0, -1, -5_000, True, [], object()])
def test_a_count_that_is_none_changes_nothing(tokens: object) -> None:
    context = talked()
    before = context.get_state()
    for history, pending in (([(user("x"), tokens)], []), ([], [(user("x"), tokens)])):
        with pytest.raises(InvalidItem, match="whole number from 0 on or None"):
            context.load_conversation(history, pending)  # type: ignore[arg-type]
    assert context.get_state() == before
    assert context.prepare().budget.total_used > 0


def test_counts_of_zero_and_above_are_taken() -> None:
    assert check_counted([(user("x"), 0), (user("y"), None)]) == [(user("x"), 0), (user("y"), None)]


def _one_by_one(context: AgentContext) -> None:
    for each in ("c", "c2"):
        context.add_input_items([results(each)])


ENTRIES: list[Callable[[AgentContext], object]] = [
    lambda context: context.add_input_items([results("c"), results("c2")]),
    _one_by_one,
    lambda context: context.load_conversation([(results("c"), 5)], [(results("c2"), 5)]),
    lambda context: context.restore_state({"conversation": [results("c")], "currentInput": [results("c2")]}),
    lambda context: context.restore_state(
        {"conversation": [], "currentInput": [results("c"), results("c2")]}
    ),
]


@pytest.mark.parametrize("enter", ENTRIES)
def test_of_two_items_with_one_id_the_later_gets_another(enter: Callable[[AgentContext], object]) -> None:
    context = context_of()
    enter(context)
    items: list[Any] = [*context.get_conversation(), *context.get_current_input()]
    assert [item["id"] for item in items] == ["r", "r-2"]
    assert [item["content"][0]["tool_use_id"] for item in items] == ["c", "c2"]
    assert context.item_tokens("r") == context.item_tokens("r-2")


def test_many_items_of_one_id_get_one_each() -> None:
    context = context_of()
    context.add_input_items([user("x", each) for each in ("a", "a", "a-2", "a")])
    ids = [item["id"] for item in (*context.get_conversation(), *context.get_current_input())]
    assert ids == ["a", "a-2", "a-2-2", "a-3"]


def test_a_cut_result_leaves_another_of_the_same_id_alone() -> None:
    context = context_of(max_context_tokens=2_000, response_reserve=100)
    waiting = [(results("c", text="short"), None), (results("d", text="word " * 3_000), None)]
    context.load_conversation([(assistant("", ("c", "d")), None)], waiting)
    context.prepare()
    short, cut = (str(item) for item in context.get_current_input())
    assert "short" in short
    assert "[Cut: " in cut


def test_reasoning_that_comes_again_under_its_id_is_kept_too() -> None:
    context = context_of()
    for _ in range(2):
        context.add_assistant_response([{"type": "reasoning", "id": "rs", "encrypted_content": "x"}])
    assert [item["id"] for item in context.get_conversation()] == ["rs", "rs-2"]


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["more"] = [value, value]
    return value


@pytest.mark.parametrize("extra", [object(), [object()], {1j: "x"}, {"\ud800": object()}, cyclic(), math.nan])
@pytest.mark.parametrize(
    "enter",
    [
        lambda context, extra: context.add_assistant_response(
            [
                {
                    "type": "message",
                    "content": [{"type": "output_text", "text": "a", "annotations": extra}],
                }
            ]
        ),
        lambda context, extra: context.add_assistant_response(
            [{"type": "reasoning", "id": "r", "encrypted_content": "x", "more": extra}]
        ),
        lambda context, extra: context.add_user_message([{**TEXT, "more": extra}]),
        lambda context, extra: context.add_tool_results([{"tool_use_id": "c", "content": {"more": extra}}]),
        lambda context, extra: context.add_tool_results(
            [
                {
                    "tool_use_id": "c",
                    "content": {"__images": [{"url": "https://example.org/a.png", "more": extra}]},
                }
            ]
        ),
        lambda context, extra: context.add_input_items([message({**TEXT, "more": extra})]),
        lambda context, extra: context.restore_state(
            {"conversation": [message({**TEXT, "more": extra})], "pluginStates": {}}
        ),
    ],
)
def test_odd_extras_are_refused_and_change_nothing(
    enter: Callable[[AgentContext, object], None], extra: object
) -> None:
    context = talked()
    before = context.get_state()
    with pytest.raises(ContextError):
        enter(context, extra)
    assert context.get_state() == before
