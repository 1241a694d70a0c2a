from typing import Any

import pytest

from agents.connectors.wire import to_anthropic, to_chat, to_responses
from agents.context.errors import ContextDestroyed, InvalidItem
from tests.agents.context.cast import StoppedClock, assistant, context_of, reply, results, texts_of, user


def test_a_user_message_becomes_the_current_input() -> None:
    context = context_of()
    item_id = context.add_user_message("hi")
    assert [item["id"] for item in context.get_current_input()] == [item_id]
    assert context.get_conversation() == []
    assert context.turn_index == 1


@pytest.mark.trap("W5.3")
def test_a_second_user_message_is_appended_to_the_first() -> None:
    context = context_of()
    context.add_user_message("first")
    context.add_user_message("second")
    assert texts_of(context.get_current_input()) == ["first", "second"]
    assert texts_of(context.prepare().input)[1:] == ["first", "second"]
    assert context.turn_index == 2


@pytest.mark.trap("W5.3")
def test_results_are_appended_to_results_and_words() -> None:
    context = context_of()
    context.add_user_message("look")
    context.add_assistant_response(reply("", {"a": "look", "b": "look"}))
    context.add_tool_results([{"tool_use_id": "a", "content": "1"}])
    context.add_tool_results([{"tool_use_id": "b", "content": "2"}])
    context.add_user_message("and tell me")
    assert len(context.get_current_input()) == 3


def test_a_response_moves_the_input_into_the_history() -> None:
    context = context_of()
    user_id = context.add_user_message("hi")
    answer_id = context.add_assistant_response("hello")
    assert [item["id"] for item in context.get_conversation()] == [user_id, answer_id]
    assert context.get_current_input() == []
    assert context.get_conversation_length() == 2


def test_an_empty_response_moves_the_input_and_adds_nothing() -> None:
    context = context_of()
    context.add_user_message("hi")
    assert context.add_assistant_response([])
    assert texts_of(context.get_conversation()) == ["hi"]


def test_a_refused_response_changes_nothing() -> None:
    context = context_of()
    context.add_user_message("hi")
    with pytest.raises(InvalidItem):
        context.add_assistant_response(7)
    assert len(context.get_current_input()) == 1


def test_thinking_of_the_last_response_is_told() -> None:
    context = context_of()
    context.add_assistant_response([{"type": "message", "content": [{"type": "thinking", "thinking": "hm"}]}])
    assert context.last_thinking == "hm"
    context.add_assistant_response("plain")
    assert context.last_thinking is None


def test_no_results_are_no_message() -> None:
    context = context_of()
    assert context.add_tool_results([]) == ""
    assert context.get_current_input() == []


def test_items_are_appended_as_they_are_and_a_last_user_message_is_the_input() -> None:
    context = context_of()
    context.add_input_items([user("one", "u1"), assistant("two", item_id="a1"), user("three", "u2")])
    assert context.get_conversation() == [user("one", "u1"), assistant("two", item_id="a1")]
    assert context.get_current_input() == [user("three", "u2")]
    context.add_input_items([])
    context.add_input_items([assistant("four", item_id="a2")])
    assert context.get_conversation_length() == 3
    assert context.turn_index == 0


def test_items_with_one_of_another_form_are_refused_as_a_whole() -> None:
    context = context_of()
    with pytest.raises(InvalidItem):
        context.add_input_items([user("one"), {"type": "message", "id": "x"}])  # type: ignore[typeddict-item]
    assert context.get_conversation() == []


def test_loaded_items_replace_history_and_input() -> None:
    context = context_of()
    context.add_user_message("old")
    context.load_conversation([(assistant("x", ("c",), "a1"), 9)], [(results("c", item_id="r1"), None)])
    assert [item["id"] for item in (*context.get_conversation(), *context.get_current_input())] == [
        "a1",
        "r1",
    ]
    assert context.item_tokens("a1") == 9
    assert context.item_tokens("r1") == 4 + 2
    context.load_conversation([])
    assert context.get_current_input() == []


def test_clearing_drops_history_and_input_and_tells_why() -> None:
    context = context_of()
    seen: list[Any] = []
    context.on("conversation:cleared", seen.append)
    context.add_user_message("hi")
    context.add_assistant_response("hello")
    context.add_user_message("more")
    context.clear_conversation("Starting fresh")
    context.clear_conversation()
    assert context.get_conversation() == context.get_current_input() == []
    assert seen == [{"reason": "Starting fresh"}, {"reason": None}]


def test_ids_of_items_differ() -> None:
    context = context_of()
    ids = {context.add_user_message("hi") for _ in range(50)}
    assert len(ids) == 50
    assert all(each.startswith("msg_1769798400000_") for each in ids)


@pytest.mark.trap("W5.23")
def test_the_date_line_stands_still_within_a_turn() -> None:
    clock = StoppedClock()
    context = context_of(clock=clock)
    context.add_user_message("look")
    first = context.prepare().input[0]
    context.add_assistant_response(reply("", {"c": "look"}))
    clock.advance(3_600_000)
    context.add_tool_results([{"tool_use_id": "c", "content": "seen"}])
    assert context.prepare().input[0] == first
    context.add_user_message("next")
    assert context.prepare().input[0] != first


def test_a_destroyed_context_refuses_everything() -> None:
    context = context_of()
    context.destroy()
    context.destroy()
    assert context.is_destroyed
    for call in (
        lambda: context.add_user_message("hi"),
        lambda: context.add_assistant_response("hi"),
        lambda: context.add_tool_results([{"tool_use_id": "c", "content": ""}]),
        lambda: context.add_input_items([]),
        lambda: context.load_conversation([]),
        context.clear_conversation,
        context.prepare,
        context.calculate_budget,
        context.get_state,
        lambda: context.restore_state({"conversation": []}),
    ):
        with pytest.raises(ContextDestroyed, match="destroyed"):
            call()


@pytest.mark.parametrize(
    "content",
    ["", " \n\t", [], [{"type": "input_text", "text": ""}, {"type": "input_text", "text": " "}]],
)
def test_a_message_that_says_nothing_is_refused(content: Any) -> None:
    context = context_of()
    with pytest.raises(InvalidItem):
        context.add_user_message(content)
    assert context.get_current_input() == []
    assert context.turn_index == 0


def test_a_picture_needs_no_words() -> None:
    context = context_of()
    picture = {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png"}}
    context.add_user_message([picture])
    assert len(context.get_current_input()) == 1


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "input_text", "text": ""}, "empty; leave it out"),
        ({"type": "input_file", "file_id": ""}, "empty; leave it out"),
        ({"type": "tool_use", "id": "c", "name": "look", "arguments": "{}"}, "add_assistant_response"),
        ({"type": "thinking", "thinking": "hm"}, "add_assistant_response"),
    ],
)
def test_a_block_that_providers_refuse_of_the_user_is_refused(block: Any, words: str) -> None:
    context = context_of()
    with pytest.raises(InvalidItem, match=words):
        context.add_user_message([{"type": "input_text", "text": "hi"}, block])
    assert context.get_current_input() == []


def test_items_of_hosts_hold_only_the_blocks_of_their_role() -> None:
    context = context_of()
    result = {"type": "tool_result", "tool_use_id": "c", "content": ""}
    item: Any = {"type": "message", "id": "m", "role": "assistant", "content": [result]}
    with pytest.raises(InvalidItem, match="add them with add_tool_results"):
        context.add_input_items([user("hi"), item])
    assert context.get_conversation_length() == 0


def test_a_state_with_blocks_of_another_role_loads_and_is_sent_without_them() -> None:
    context = context_of()
    context.add_user_message("hi")
    state: Any = context.get_state()
    stray = {"type": "tool_use", "id": "c", "name": "look", "arguments": "{}"}
    state["currentInput"][0]["content"].append(stray)
    context.restore_state(state)
    (item,) = context.get_current_input()
    assert item["type"] == "message"
    assert item["content"][1] == stray
    prepared = context.prepare()
    for write in (to_chat, to_responses, to_anthropic):
        assert "look" not in str(write(prepared.input)["messages" if write is not to_responses else "input"])


def test_a_result_that_answers_no_open_call_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    context = context_of()
    context.add_user_message("hi")
    context.add_tool_results([{"tool_use_id": "early", "content": "1"}])
    context.add_assistant_response(reply("", {"early": "look", "c": "look"}))
    stray = [record.getMessage() for record in caplog.records if "open call" in record.getMessage()]
    assert len(stray) == 1
    assert "The results of 'early' answer no open call" in stray[0]
    assert "Add the response with the calls first" in stray[0]
    caplog.clear()
    context.add_tool_results([{"tool_use_id": "c", "content": "2"}])
    context.add_tool_results([{"tool_use_id": "early", "content": "3"}])
    assert not caplog.records
    context.add_tool_results([{"tool_use_id": "c", "content": "again"}])
    assert "'c' answer no open call" in caplog.text
