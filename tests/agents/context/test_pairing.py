from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context.messages import InputItem
from agents.context.pairing import Piece, is_sound, open_calls, piece_of, repair_pairs
from tests.agents.context.cast import assistant, results, user


def pieces(*items: InputItem) -> list[Piece]:
    return [piece_of(item, 1) for item in items]


def repaired(*items: InputItem) -> list[InputItem]:
    return [piece.item for piece in repair_pairs(pieces(*items))]


def mixed(*ids: str, text: str = "and this", results_first: bool = True) -> InputItem:
    answer, words = results(*ids), user(text)
    assert answer["type"] == words["type"] == "message"
    parts = [*answer["content"], *words["content"]]
    if not results_first:
        parts.reverse()
    return {"type": "message", "id": "x", "role": "user", "content": parts}


WHOLE: list[list[InputItem]] = [
    [],
    [user("hi")],
    [user("hi"), assistant("yes"), user("more")],
    [user("hi"), assistant("let me see", ("a",)), results("a"), assistant("done")],
    [assistant("", ("a", "b")), results("a", "b")],
    [assistant("", ("a", "b")), results("b"), results("a"), user("next")],
    [assistant("", ("a",)), mixed("a")],
    [assistant("", ("a",)), results("a"), assistant("", ("a",)), results("a")],
    [{"type": "compaction", "id": "c"}, user("hi")],
]
BROKEN: list[list[InputItem]] = [
    [assistant("", ("a",))],
    [results("a")],
    [assistant("", ("a", "b")), results("a")],
    [assistant("", ("a",)), user("wait"), results("a")],
    [assistant("", ("a",)), results("a", "a")],
    [assistant("", ("a", "a")), results("a")],
    [assistant("", ("a",)), results("b")],
    [assistant("", ("a",)), mixed("a", results_first=False)],
    [assistant("", ("a",)), assistant("", ("b",)), results("a", "b")],
]


@pytest.mark.parametrize("items", WHOLE)
def test_whole_pairs_are_sound_and_stay_as_they_are(items: list[InputItem]) -> None:
    assert is_sound(pieces(*items))
    assert repaired(*items) == items


@pytest.mark.parametrize("items", BROKEN)
def test_broken_pairs_are_noticed_and_repaired(items: list[InputItem]) -> None:
    assert not is_sound(pieces(*items))
    assert is_sound(repair_pairs(pieces(*items)))


def test_a_call_without_result_goes_and_the_text_stays() -> None:
    assert repaired(assistant("I will look", ("a",)), user("thanks")) == [
        assistant("I will look"),
        user("thanks"),
    ]


def test_a_result_without_call_goes() -> None:
    assert repaired(user("hi"), results("ghost")) == [user("hi")]
    assert repaired(user("hi"), mixed("ghost", text="hello")) == [
        user("hi"),
        {"type": "message", "id": "x", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    ]


@pytest.mark.trap("W5.20")
def test_a_result_moves_up_to_directly_after_its_call() -> None:
    call, wait, answer = assistant("", ("a",)), user("wait"), results("a")
    assert repaired(call, wait, answer, assistant("ok")) == [call, answer, wait, assistant("ok")]


def test_a_result_after_the_next_answer_of_the_assistant_is_too_late() -> None:
    assert repaired(user("hi"), assistant("x", ("a",)), assistant("y"), results("a")) == [
        user("hi"),
        assistant("x"),
        assistant("y"),
    ]


@pytest.mark.trap("W5.20")
def test_a_missing_sibling_gets_an_error_result_and_the_call_stays() -> None:
    call = assistant("", ("a", "b", "c"))
    first, answer = repaired(call, results("b"))
    assert first == call
    assert answer["type"] == "message"
    blocks: list[Any] = list(answer["content"])
    assert [block["tool_use_id"] for block in blocks] == ["b", "a", "c"]
    assert [bool(block.get("error")) for block in blocks] == [False, True, True]


def test_error_results_come_before_the_words_in_the_same_message() -> None:
    _, answer = repaired(assistant("", ("a", "b")), mixed("a"))
    assert answer["type"] == "message"
    assert [block["type"] for block in answer["content"]] == ["tool_result", "tool_result", "input_text"]


def test_results_come_before_words_in_one_message() -> None:
    _, answer = repaired(assistant("", ("a",)), mixed("a", results_first=False))
    assert answer["type"] == "message"
    assert [block["type"] for block in answer["content"]] == ["tool_result", "input_text"]


def test_only_the_first_of_two_results_and_calls_counts() -> None:
    one = results("a", text="one")
    assert repaired(assistant("", ("a",)), one, results("a", text="two")) == [assistant("", ("a",)), one]
    assert repaired(assistant("t", ("a", "a")), results("a")) == [assistant("t", ("a",)), results("a")]


@pytest.mark.trap("W5.20")
def test_user_messages_that_meet_when_one_between_is_dropped_become_one() -> None:
    [merged] = repaired(user("first", "u1"), assistant("", ("a",)), user("second", "u2"))
    assert merged == {
        "type": "message",
        "id": "u1",
        "role": "user",
        "content": [{"type": "input_text", "text": "first"}, {"type": "input_text", "text": "second"}],
    }


def test_two_user_messages_that_were_neighbours_before_stay_two() -> None:
    items = [user("one", "u1"), user("two", "u2"), results("ghost"), assistant("ok")]
    assert repaired(*items) == [user("one", "u1"), user("two", "u2"), assistant("ok")]


def test_a_dropped_first_message_leaves_nothing_to_merge_with() -> None:
    assert repaired(results("ghost"), user("hi")) == [user("hi")]


def test_calls_are_the_assistants_and_results_the_users() -> None:
    asked, answered = assistant("", ("a",)), results("a")
    swapped: Any = [
        {**asked, "role": "user"},
        {**answered, "role": "assistant"},
        {**answered, "role": "developer"},
    ]
    for piece in pieces(*swapped):
        assert (piece.uses, piece.results) == ((), ())
    assert is_sound(pieces(*swapped))


def test_the_open_calls_are_those_of_the_last_answer_without_a_result() -> None:
    said = pieces(user("hi"), assistant("", ("old",)), assistant("", ("a", "b")), results("a"), user("go"))
    assert open_calls(reversed(said)) == {"b"}
    assert open_calls(pieces(user("hi"), {"type": "compaction", "id": "c"})) == set()


def test_the_given_items_do_not_change() -> None:
    items = [assistant("t", ("a", "b")), user("wait"), results("a")]
    before = str(items)
    repaired(*items)
    assert str(items) == before


def test_unchanged_items_keep_their_count_and_changed_ones_lose_it() -> None:
    fixed = repair_pairs(pieces(user("hi"), assistant("x", ("a",)), user("next")))
    assert [piece.tokens for piece in fixed] == [1, None, 1]


def test_what_is_pending_stays_pending() -> None:
    call, answer = assistant("", ("a", "b")), results("a")
    fixed = repair_pairs([piece_of(call, 1), piece_of(answer, 1, is_pending=True)])
    assert [piece.is_pending for piece in fixed] == [False, True]


IDS = st.sampled_from(["a", "b", "c"])
ITEMS = st.one_of(
    st.builds(user, st.just("hi")),
    st.builds(
        lambda ids, text: assistant(text, tuple(ids)), st.lists(IDS, max_size=3), st.sampled_from(["", "t"])
    ),
    st.builds(lambda ids: results(*ids), st.lists(IDS, min_size=1, max_size=3)),
    st.builds(
        lambda ids, first: mixed(*ids, results_first=first),
        st.lists(IDS, min_size=1, max_size=2),
        st.booleans(),
    ),
    st.just({"type": "compaction", "id": "c"}),
)


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=12))
def test_any_conversation_becomes_sound_and_repairing_again_changes_nothing(items: list[InputItem]) -> None:
    fixed = repair_pairs(pieces(*items))
    assert is_sound(fixed)
    assert all(piece.item["type"] != "message" or piece.item["content"] for piece in fixed)
    assert [piece.item for piece in repair_pairs(fixed)] == [piece.item for piece in fixed]


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=12))
def test_no_words_get_lost_in_a_repair(items: list[InputItem]) -> None:
    def words(all_items: list[InputItem]) -> list[str]:
        return sorted(
            block["text"]
            for item in all_items
            if item["type"] == "message"
            for block in item["content"]
            if block["type"] in ("input_text", "output_text")
        )

    assert words([piece.item for piece in repair_pairs(pieces(*items))]) == words(items)


def test_thinking_leaves_with_the_calls_that_it_led_to() -> None:
    thought: Any = assistant("I look.", ("lost",))
    thought["content"].insert(0, {"type": "thinking", "thinking": "hm", "signature": "s"})
    alone: Any = assistant("", ("lost",), "alone")
    alone["content"].insert(0, {"type": "thinking", "thinking": "hm", "signature": "s"})
    repaired = repair_pairs([piece_of(user("hi")), piece_of(thought), piece_of(alone)])
    (_, said) = repaired
    assert said.item == assistant("I look.")
