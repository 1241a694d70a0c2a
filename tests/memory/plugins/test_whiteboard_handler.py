from typing import cast

import pytest

from agents.context import json_values
from agents.context.json_values import JSON
from agents.context.stores import StoreResult
from memory.plugins.whiteboard import InContextMemory
from tests.memory.plugins.whiteboard_cast import NOON, CharacterEstimator, filled, keys, picture, stopped

Fields = dict[str, JSON]


@pytest.fixture
def board() -> InContextMemory:
    return InContextMemory(clock=stopped)


def did_something(answer: StoreResult) -> bool:
    return bool(answer.get("success") or answer.get("deleted") or answer.get("found"))


def test_the_schema_names_store_fields_and_the_destructive_action(board: InContextMemory) -> None:
    schema = board.get_store_schema()

    assert (schema["storeId"], schema["displayName"]) == ("whiteboard", "Whiteboard")
    fields = schema["setDataFields"]
    assert isinstance(fields, dict)
    assert [name for name, field in fields.items() if field.get("required")] == ["description", "value"]
    assert fields["priority"]["enum"] == ["low", "normal", "high", "critical"]
    assert "type" not in fields["value"]
    assert schema["actions"]["clear"]["destructive"]
    assert "notes" not in schema["usageHint"]
    assert "notes" in schema["siblingHints"]


def test_the_instructions_say_what_the_model_must_know(board: InContextMemory) -> None:
    text = board.get_instructions()

    for fact in ("whiteboard", "never need to read it back", "low:", "normal:", "high:", "critical:"):
        assert fact in text


def test_show_in_ui_is_advertised_only_when_asked_for(board: InContextMemory) -> None:
    host = InContextMemory(advertise_show_in_ui=True)
    fields = host.get_store_schema()["setDataFields"]

    assert "showInUI" not in board.get_instructions()
    assert "showInUI" not in board.get_store_schema()["setDataFields"]
    assert "showInUI" in host.get_instructions()
    assert isinstance(fields, dict)
    assert fields["showInUI"]["type"] == "boolean"
    assert not fields["showInUI"].get("required")


def test_set_stores_and_answers(board: InContextMemory) -> None:
    data: Fields = {"description": "Progress", "value": "## 1", "priority": "high", "showInUI": True}

    answer = board.store_set("progress", data)

    assert answer == {"success": True, "key": "progress", "showInUI": True, "message": "Stored 'progress'."}
    assert board.list()[0]["priority"] == "high"


def test_set_says_when_nothing_changed(board: InContextMemory) -> None:
    data: Fields = {"description": "Progress", "value": 1}
    board.store_set("progress", data)

    assert board.store_set("progress", data)["message"] == "'progress' was already exactly so."


@pytest.mark.parametrize(
    "data",
    [
        {"description": "d"},
        {"value": 1},
        {"description": "", "value": 1},
        {"description": None, "value": 1},
        {},
    ],
)
def test_set_without_a_required_field_names_both(board: InContextMemory, data: Fields) -> None:
    answer = board.store_set("key", data)

    assert (answer["success"], answer["key"]) == (False, "key")
    for field in ("error", "message"):
        assert '"description" and "value" are required' in str(answer[field])
    assert keys(board) == []


def test_null_is_a_value(board: InContextMemory) -> None:
    assert board.store_set("key", {"description": "d", "value": None})["success"] is True
    assert board.has("key")


@pytest.mark.parametrize("omitted", [{}, {"description": None, "priority": None, "showInUI": None}])
def test_an_update_keeps_what_the_call_leaves_out(board: InContextMemory, omitted: Fields) -> None:
    board.store_set("key", {"description": "d", "value": 1, "priority": "high", "showInUI": True})

    answer = board.store_set("key", {**omitted, "value": 2})

    assert answer["showInUI"] is True
    assert board.list() == [
        {"key": "key", "description": "d", "priority": "high", "showInUI": True, "updatedAt": NOON}
    ]


@pytest.mark.trap("W1.13")
def test_set_tells_the_model_what_it_evicted() -> None:
    board = filled(InContextMemory(max_entries=2), ("a", "low"), ("b", "low"))

    answer = board.store_set("c", {"description": "d", "value": 1})

    assert answer["evicted"] == ["a"]
    assert answer["message"] == "Stored 'c'. Evicted to make room: a."


def test_set_warns_of_a_large_value() -> None:
    board = InContextMemory(estimator=CharacterEstimator())

    answer = board.store_set("big", {"description": "d", "value": "x" * 5_000})

    assert answer["success"] is True
    assert "a summary" in str(answer["message"])


@pytest.mark.trap("W1.1")
def test_a_refusal_for_capacity_gives_the_numbers() -> None:
    board = InContextMemory(max_total_tokens=100, max_entries=3, estimator=CharacterEstimator())
    filled(board, ("a", "critical"))
    before = picture(board)

    answer = board.store_set("big", {"description": "d", "value": "x" * 200})

    assert picture(board) == before
    assert answer["success"] is False
    assert answer["error"] == answer["message"]
    assert "Delete entries" in str(answer["error"])
    numbers = {name: answer[name] for name in ("reason", "entries", "maxEntries", "tokens", "maxTotalTokens")}
    assert numbers == {
        "reason": "capacity",
        "entries": 1,
        "maxEntries": 3,
        "tokens": board.total_tokens,
        "maxTotalTokens": 100,
    }
    assert cast("int", answer["entryTokens"]) > 200


def test_get_answers_one_entry_or_all(board: InContextMemory) -> None:
    empty = board.store_get()
    board.set("a", "d", {"x": 1}, "low", True)
    entry = {
        "key": "a",
        "description": "d",
        "value": {"x": 1},
        "priority": "low",
        "showInUI": True,
        "updatedAt": NOON,
    }

    assert empty == {"found": True, "entries": []}
    assert board.store_get("a") == {"found": True, "key": "a", "entry": entry}
    assert board.store_get("b") == {"found": False, "key": "b"}
    assert board.store_get() == {"found": True, "entries": [entry]}


@pytest.mark.trap("W2.8")
def test_get_without_a_key_does_not_repeat_a_large_board() -> None:
    board = InContextMemory(estimator=CharacterEstimator())
    for number in range(20):
        board.set(f"key{number}", "d", "x" * 1_900)

    answer = board.store_get()

    entries = cast("list[dict[str, JSON]]", answer["entries"])
    assert [entry["key"] for entry in entries] == keys(board)
    assert ["value" in entry for entry in entries] == [True] * 2 + [False] * 18
    assert answer["valuesLeftOut"] == keys(board)[2:]
    assert "pass a key" in str(answer["message"])
    assert len(json_values.encode(answer)) < 8_000


def test_delete_and_list_answer_as_the_mission_shows(board: InContextMemory) -> None:
    filled(board, ("a", "high"), ("b", "low"))

    assert board.store_delete("a") == {"deleted": True, "key": "a"}
    assert board.store_delete("a") == {"deleted": False, "key": "a"}
    assert board.store_list({"ignored": 1}) == {"entries": board.list(), "total": 1}


@pytest.mark.trap("W1.16")
def test_clear_is_an_action(board: InContextMemory) -> None:
    filled(board, ("a", "critical"), ("b", "low"))

    answer = board.store_action("clear", {"confirm": True})

    assert answer == {"success": True, "action": "clear", "cleared": 2, "message": "Entries deleted: 2."}
    assert keys(board) == []


def test_an_unknown_action_is_answered_with_the_known_one(board: InContextMemory) -> None:
    answer = board.store_action("explode")

    assert (answer["success"], answer["action"]) == (False, "explode")
    assert "has clear" in str(answer["error"])


def test_strange_keys_are_repeated_only_in_a_form_that_can_be_sent(board: InContextMemory) -> None:
    answers: list[StoreResult] = []
    for strange in ("\ud800" * 500, "", cast("str", 7), cast("str", None)):
        answers += [
            board.store_set(strange, {"description": "d", "value": 1}),
            board.store_delete(strange),
            board.store_action(strange),
        ]
    answers.append(board.store_get("\x00" * 500))

    assert not any(
        answer.get("success") or answer.get("deleted") or answer.get("found") for answer in answers
    )
    assert all(len(json_values.encode(answer)) < 1_000 for answer in answers)


def test_after_destroy_every_answer_says_so(board: InContextMemory) -> None:
    board.destroy()

    answers = [
        board.store_get(),
        board.store_get("a"),
        board.store_set("a", {"description": "d", "value": 1}),
        board.store_delete("a"),
        board.store_list(),
        board.store_action("clear"),
    ]

    assert all("destroyed" in str(answer["error"]) for answer in answers)
    assert not any(
        answer.get("success") or answer.get("deleted") or answer.get("found") for answer in answers
    )
