import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.json_values import JSON
from memory.plugins.whiteboard import InContextMemory, InvalidEntry, WhiteboardFull
from tests.agents.context.test_json_values import json_values
from tests.memory.plugins.whiteboard_cast import (
    NOON,
    CharacterEstimator,
    contents,
    filled,
    keys,
    new_keys,
    picture,
    priorities,
    ticking,
)


def saved(key: str, **fields: object) -> dict[str, object]:
    known = {"key": key, "description": "d", "value": 1, "priority": "normal", "showInUI": False}
    return {**known, "updatedAt": NOON, **fields}


def state(*entries: object) -> dict[str, object]:
    return {"entries": list(entries)}


@given(
    st.dictionaries(
        new_keys,
        st.tuples(json_values, priorities, st.booleans()),
        max_size=8,
    )
)
def test_a_saved_state_restores_to_the_same_board(
    entries: dict[str, tuple[JSON, str, bool]],
) -> None:
    board = InContextMemory(clock=ticking())
    for key, (value, priority, flag) in entries.items():
        board.set(key, f"about {key}", value, priority, flag)

    copy = InContextMemory()
    copy.restore_state(json.loads(json.dumps(board.get_state())))

    assert copy.get_state() == board.get_state()
    assert copy.get_content() == board.get_content()
    assert contents(copy.entries()) == contents(board.entries())
    order = [entry.key for entry in sorted(board.entries(), key=lambda entry: entry.recency)]
    assert [entry.key for entry in sorted(copy.entries(), key=lambda entry: entry.recency)] == order


def test_restoring_replaces_everything() -> None:
    board = filled(InContextMemory(), ("old", "critical"))

    board.restore_state(state(saved("new", value={"a": 1}, priority="high", showInUI=True)))

    assert keys(board) == ["new"]
    assert board.get_state() == state(saved("new", value={"a": 1}, priority="high", showInUI=True))


@pytest.mark.parametrize("nothing", [None, {}, [], "", {"entries": None}, {"other": 1}])
def test_a_state_without_entries_is_ignored(nothing: object) -> None:
    board = filled(InContextMemory(), ("a", "low"))
    before = picture(board)

    board.restore_state(nothing)

    assert picture(board) == before


def test_an_empty_list_of_entries_empties_the_board() -> None:
    board = filled(InContextMemory(), ("a", "critical"))

    board.restore_state(state())

    assert keys(board) == []


@pytest.mark.trap("W1.10")
def test_the_restored_board_keeps_nothing_of_the_callers_objects() -> None:
    mine = saved("a", value={"steps": [1]})
    board = InContextMemory()
    board.restore_state(state(mine))

    cast("dict[str, list[int]]", mine["value"])["steps"].append(2)

    assert board.get("a") == {"steps": [1]}


def test_what_older_states_leave_out_takes_its_default() -> None:
    board = InContextMemory(default_priority="high", clock=ticking(5))

    board.restore_state(state({"key": "a", "value": 1, "description": ""}, {"key": "b", "value": None}))

    assert board.list() == [
        {"key": "a", "description": "a", "priority": "high", "showInUI": False, "updatedAt": 5},
        {"key": "b", "description": "b", "priority": "high", "showInUI": False, "updatedAt": 6},
    ]


def test_long_and_broken_descriptions_are_made_to_fit() -> None:
    board = InContextMemory()

    board.restore_state(state(saved("a", description="two\nlines"), saved("b", description="d" * 300)))

    assert [item["description"] for item in board.list()] == ["two lines", "d" * 199 + "…"]


@pytest.mark.trap("W1.11")
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (saved("two\nlines"), "Saved entry 1: The key 'two\\\\nlines'"),
        (saved("b", description="bell\x07"), "Saved entry 1: The description contains a control"),
        (saved("b", description=7), "Saved entry 1: .*required"),
        (saved("b", priority="urgent"), "Saved entry 1: Unknown priority"),
        (saved("b", showInUI="yes"), "Saved entry 1: showInUI"),
        (saved("b", value=float("nan")), "Saved entry 1: The value cannot be stored"),
        (saved("b", updatedAt="now"), "Saved entry 1: updatedAt is 'now'"),
        ({"key": "b"}, "Saved entry 1 is not an object with key, description and value"),
        ("b", "Saved entry 1 is not an object"),
        (saved("a"), "holds a key twice"),
    ],
)
def test_a_state_with_something_invalid_is_refused_as_a_whole(bad: object, message: str) -> None:
    board = filled(InContextMemory(), ("kept", "low"))
    before = picture(board)

    with pytest.raises(InvalidEntry, match=message):
        board.restore_state(state(saved("a"), bad))

    assert picture(board) == before


@pytest.mark.parametrize("shapeless", ["text", 7, [saved("a")], {"entries": {"a": 1}}, {"entries": "a"}])
def test_a_state_of_another_shape_is_refused(shapeless: object) -> None:
    with pytest.raises(InvalidEntry, match="an object with a list of entries"):
        InContextMemory().restore_state(shapeless)


@pytest.mark.trap("W1.11")
def test_over_its_limits_a_restored_board_evicts_in_order_and_reports() -> None:
    board = InContextMemory(max_entries=2)

    board.restore_state(
        state(
            saved("newer", updatedAt=NOON + 9),
            saved("high", priority="high", updatedAt=NOON - 9),
            saved("older"),
            saved("low", priority="low", updatedAt=NOON + 99),
        )
    )

    assert keys(board) == ["newer", "high"]
    assert board.last_evicted == ("low", "older")
    assert not board.is_over_limit


def test_over_its_tokens_a_restored_board_evicts_too() -> None:
    board = InContextMemory(max_total_tokens=100, estimator=CharacterEstimator())

    board.restore_state(state(saved("big", value="x" * 200), saved("small", priority="high")))

    assert keys(board) == ["small"]


def test_critical_entries_over_the_limit_stay_and_are_flagged() -> None:
    board = InContextMemory(max_entries=1)

    board.restore_state(state(saved("a", priority="critical"), saved("b", priority="critical"), saved("c")))

    assert keys(board) == ["a", "b"]
    assert board.last_evicted == ("c",)
    assert board.is_over_limit


def test_a_board_over_its_limits_takes_what_does_not_grow_it() -> None:
    board = InContextMemory(max_entries=1, max_total_tokens=100, estimator=CharacterEstimator())
    big = "x" * 200
    board.restore_state(
        state(saved("a", priority="critical", value=big), saved("b", priority="critical", value=big))
    )

    with pytest.raises(WhiteboardFull):
        board.set("c", "d", 1, "low")
    with pytest.raises(WhiteboardFull):
        board.set("a", "d", big + "x")
    assert board.set("a", "d", "short").changed
    board.delete("b")
    assert not board.is_over_limit


def test_restoring_what_is_there_already_is_no_change() -> None:
    board = filled(InContextMemory(), ("a", "low"), ("b", "high"))
    revision = board.revision

    board.restore_state(board.get_state())

    assert board.revision == revision


def test_a_restored_time_is_a_change() -> None:
    board = InContextMemory()
    board.restore_state(state(saved("a")))

    board.restore_state(state(saved("a", updatedAt=NOON + 1)))

    assert board.revision == 2


def test_entries_written_later_are_younger_than_restored_ones() -> None:
    board = InContextMemory(max_entries=3, clock=lambda: 0)
    board.restore_state(state(saved("a"), saved("b")))
    board.set("c", "d", 1)

    assert board.set("d", "d", 1).evicted == ["a"]
