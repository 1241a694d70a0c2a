import json
from typing import Any

import pytest

from agents.context.json_values import JSON
from agents.context.stores import StoreActions, StoreHandler
from memory.plugins.notes import WorkingMemory
from memory.plugins.notes_handler import MAX_LISTED, MAX_SHOWN_CHARACTERS
from tests.memory.plugins.notes_cast import found, keys_of, notes_of, part, text_of

READ = "read"


def test_it_is_the_store_notes() -> None:
    notes = WorkingMemory()
    assert isinstance(notes, StoreHandler)
    assert isinstance(notes, StoreActions)
    schema = notes.get_store_schema()
    assert (schema["storeId"], schema["displayName"]) == ("notes", "Notes")


def test_the_schema_names_every_field_and_action() -> None:
    schema = notes_of().get_store_schema()
    fields: Any = schema["setDataFields"]
    assert [name for name, field in fields.items() if field.get("required")] == ["description", "value"]
    assert set(fields) == {"description", "value", "tier", "priority", "pinned", "scope"}
    actions = schema["actions"]
    assert [name for name, action in actions.items() if action.get("destructive")] == ["clear"]
    assert set(actions) == {"query", "read", "cleanup_raw", "clear"}


def test_the_tier_is_documented_without_a_default() -> None:
    fields: Any = notes_of().get_store_schema()["setDataFields"]
    assert "default: none" in fields["tier"]["description"]


def test_the_instructions_name_the_store_and_its_tools() -> None:
    text = notes_of().get_instructions()
    assert 'store_get("notes"' in text
    assert 'store_action("notes"' in text
    assert "memory_" not in text


def test_a_note_is_set_and_got() -> None:
    notes = notes_of()
    assert notes.store_set("topic", {"description": "d", "value": {"a": 1}}) == {
        "success": True,
        "key": "topic",
        "sizeBytes": 7,
        "message": 'Stored "topic" (7B).',
    }
    assert notes.store_get("topic") == {
        "found": True,
        "key": "topic",
        "entry": {
            "value": {"a": 1},
            "description": "d",
            "tier": None,
            "sizeBytes": 7,
            "priority": "normal",
            "pinned": False,
            "scope": "session",
        },
    }


@pytest.mark.trap("W3.2")
def test_the_result_of_a_set_names_the_key_that_gets_it_back() -> None:
    notes = notes_of()
    result = notes.store_set("topic", {"description": "d", "value": 1, "tier": "raw"})
    assert result["key"] == "raw.topic"
    assert "raw.topic" in str(result["message"])
    for key in ("topic", "raw.topic"):
        assert part(notes.store_get(key), "key") == "raw.topic"
        assert part(notes.store_get(key), "entry", "value") == 1


@pytest.mark.trap("W3.12")
def test_get_tells_what_is_known_of_the_note() -> None:
    notes = notes_of()
    notes.store_set(
        "t", {"description": "Why", "value": [1], "tier": "findings", "pinned": True, "scope": "plan"}
    )
    entry = part(notes.store_get("t"), "entry")
    assert entry == {
        "value": [1],
        "description": "Why",
        "tier": "findings",
        "sizeBytes": 3,
        "priority": "critical",
        "pinned": True,
        "scope": {"type": "plan"},
    }


@pytest.mark.trap("W3.12")
@pytest.mark.parametrize("value", ["é" * 120_000, [["row", 1]] * 20_000])
def test_a_long_value_comes_in_pages(value: JSON) -> None:
    notes = notes_of()
    notes.store("long", "d", value)
    result = notes.store_get("long")
    text = part(result, "entry", "valueStart")
    total = part(result, "entry", "totalCharacters")
    assert "value" not in part(result, "entry")
    assert len(text) == MAX_SHOWN_CHARACTERS
    assert str(MAX_SHOWN_CHARACTERS) in str(result["message"])
    offset: int | None = MAX_SHOWN_CHARACTERS
    while offset is not None:
        page = notes.store_action(READ, {"key": "long", "offset": offset})
        assert page["success"] is True
        assert page["totalCharacters"] == total
        text += page["text"]
        offset = part(page).get("nextOffset")
    assert text == (value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))


def test_a_value_of_exactly_one_page_is_whole() -> None:
    notes = notes_of()
    notes.store("k", "d", "x" * MAX_SHOWN_CHARACTERS)
    assert part(notes.store_get("k"), "entry", "value") == "x" * MAX_SHOWN_CHARACTERS
    assert "nextOffset" not in notes.store_action(READ, {"key": "k"})


def test_a_page_beyond_the_end_is_empty() -> None:
    notes = notes_of()
    notes.store("k", "d", "abc")
    assert notes.store_action(READ, {"key": "k", "offset": 99})["text"] == ""


@pytest.mark.parametrize("params", [{}, {"key": 5}, {"key": "missing"}, {"key": "k", "offset": -1}])
def test_a_wrong_page_is_a_result(params: dict[str, JSON]) -> None:
    notes = notes_of()
    notes.store("k", "d", 1)
    result = notes.store_action(READ, params)
    assert result["success"] is False
    assert result["error"]


@pytest.mark.parametrize("offset", ["1", True, 1.5, None])
def test_an_offset_is_a_whole_number(offset: JSON) -> None:
    notes = notes_of()
    notes.store("k", "d", 1)
    assert "offset" in str(notes.store_action(READ, {"key": "k", "offset": offset})["error"])


def test_getting_counts_as_access() -> None:
    notes = notes_of()
    notes.store("k", "d", 1)
    notes.store_get("k")
    notes.store_action(READ, {"key": "k"})
    assert found(notes, "k").access_count == 2


def test_a_missing_note_is_not_found() -> None:
    assert notes_of().store_get("missing") == {"found": False, "key": "missing"}


def test_getting_without_a_key_lists_without_values() -> None:
    notes = notes_of()
    assert notes.store_get() == {"found": True, "entries": []}
    notes.store("a", "A", "VALUE", tier="raw")
    assert notes.store_get() == {
        "found": True,
        "entries": [{"key": "raw.a", "description": "A", "tier": "raw"}],
    }


@pytest.mark.parametrize("data", [{}, {"description": "d"}, {"value": 1}, {"value": 1, "description": ""}])
def test_description_and_value_are_required(data: dict[str, JSON]) -> None:
    result = notes_of().store_set("k", data)
    assert result["success"] is False
    assert result["key"] == "k"
    assert '"description" and "value" are required' in str(result["error"])


def test_null_is_a_value() -> None:
    notes = notes_of()
    assert notes.store_set("k", {"description": "d", "value": None})["success"] is True
    assert part(notes.store_get("k"), "entry", "value") is None


def test_an_update_may_leave_the_description_out() -> None:
    notes = notes_of()
    notes.store_set("k", {"description": "d", "value": 1})
    assert notes.store_set("k", {"value": 2})["success"] is True
    assert part(notes.store_get("k"), "entry", "description") == "d"


def test_a_field_sent_as_null_counts_as_not_sent() -> None:
    notes = notes_of()
    notes.store_set("k", {"description": "d", "value": 1, "pinned": True, "priority": "high"})
    nothing: dict[str, JSON] = dict.fromkeys(("description", "tier", "priority", "pinned", "scope"))
    assert notes.store_set("k", {"value": 2, **nothing})["success"] is True
    entry = found(notes, "k")
    assert (entry.description, entry.pinned, entry.base_priority) == ("d", True, "high")


@pytest.mark.trap("W3.6")
@pytest.mark.parametrize(
    ("key", "data", "hint"),
    [
        ("bad key", {"description": "d", "value": 1}, "letters"),
        ("k", {"description": "x" * 151, "value": 1}, "150"),
        ("k", {"description": 5, "value": 1}, "required"),
        ("k", {"description": "d", "value": 2**60}, "2^53"),
        ("k", {"description": "d", "value": "\ud800"}, "surrogate"),
        ("k", {"description": "d", "value": 1, "tier": "gold"}, "raw, summary or findings"),
        ("k", {"description": "d", "value": 1, "priority": "urgent"}, "low, normal, high or critical"),
        ("k", {"description": "d", "value": 1, "pinned": "true"}, "true or false"),
        ("k", {"description": "d", "value": 1, "scope": "task"}, "taskIds"),
    ],
)
def test_every_fault_is_a_result_with_a_remedy(key: str, data: dict[str, JSON], hint: str) -> None:
    notes = notes_of()
    result = notes.store_set(key, data)
    assert result["success"] is False
    assert hint in str(result["error"])
    assert keys_of(notes) == []


@pytest.mark.parametrize("key", [None, 5, ["a"], {"a": 1}, ""])
def test_a_key_that_is_no_text_is_a_result(key: Any) -> None:
    notes = notes_of()
    assert notes.store_set(key, {"description": "d", "value": 1})["success"] is False
    assert notes.store_delete(key) == {"deleted": False, "key": key}


def test_a_full_store_is_a_result_with_numbers() -> None:
    notes = notes_of(max_size_bytes=100)
    result = notes.store_set("k", {"description": "d", "value": text_of(101)})
    assert result["success"] is False
    assert (result["reason"], result["needed"], result["limit"]) == ("capacity", 101, 100)


def test_what_made_room_is_reported() -> None:
    notes = notes_of(max_entries=1)
    notes.store_set("a", {"description": "d", "value": 1})
    result = notes.store_set("b", {"description": "d", "value": 1})
    assert result["evicted"] == ["a"]
    assert "Evicted to make room: a." in str(result["message"])


def test_a_priority_that_a_tier_overrides_is_mentioned() -> None:
    fields: dict[str, JSON] = {"description": "d", "value": 1, "tier": "raw", "priority": "high"}
    message = notes_of().store_set("k", fields)["message"]
    assert '"high" was not used' in str(message)


def test_a_simple_plan_is_accepted() -> None:
    notes = notes_of()
    notes.store_set("k", {"description": "d", "value": 1, "scope": "plan"})
    assert part(notes.store_get("k"), "entry", "scope") == {"type": "plan"}


def test_a_delete_names_the_real_key() -> None:
    notes = notes_of()
    notes.store("topic", "d", 1, tier="summary")
    assert notes.store_delete("topic") == {"deleted": True, "key": "summary.topic"}
    assert notes.store_delete("topic") == {"deleted": False, "key": "topic"}


def test_a_list_is_filtered_by_pattern_and_tier() -> None:
    notes = notes_of()
    notes.store("a", "A", 1, tier="raw")
    notes.store("b", "B", 1, tier="findings")
    assert notes.store_list()["total"] == 2
    assert notes.store_list({"tier": "raw"}) == {
        "entries": [{"key": "raw.a", "description": "A", "tier": "raw"}],
        "total": 1,
    }
    assert notes.store_list({"pattern": "*.b", "tier": None})["total"] == 1


@pytest.mark.trap("W3.10")
def test_a_pattern_with_special_characters_is_no_error() -> None:
    assert notes_of().store_list({"pattern": "a(b"}) == {"entries": [], "total": 0}


@pytest.mark.parametrize("filter", [{"pattern": 5}, {"tier": "gold"}, {"pattern": "x" * 2_000}])
def test_a_wrong_filter_is_a_result(filter: dict[str, JSON]) -> None:
    result = notes_of().store_list(filter)
    assert result["success"] is False
    assert result["error"]


def test_a_list_is_bounded_and_says_so() -> None:
    notes = notes_of()
    for number in range(MAX_LISTED + 5):
        notes.store(f"n{number}", "d", 1)
    result = notes.store_list()
    assert len(part(result, "entries")) == MAX_LISTED
    assert result["total"] == MAX_LISTED + 5
    assert "5 more notes are not shown" in str(result["message"])


def test_the_action_query_finds_notes() -> None:
    notes = notes_of()
    notes.store("a", "A", [1], tier="raw")
    notes.store("b", "B", 2)
    assert notes.store_action("query") == {
        "success": True,
        "action": "query",
        "entries": [
            {"key": "raw.a", "description": "A", "tier": "raw"},
            {"key": "b", "description": "B", "tier": None},
        ],
        "total": 2,
    }
    result = notes.store_action("query", {"pattern": "raw.*", "includeValues": True, "includeStats": True})
    assert result == {
        "success": True,
        "action": "query",
        "entries": [{"key": "raw.a", "description": "A", "tier": "raw", "value": [1]}],
        "total": 1,
        "stats": {"count": 1, "totalBytes": 3},
    }


def test_the_values_of_a_query_are_bounded_together() -> None:
    notes = notes_of()
    notes.store("a", "d", "x" * (MAX_SHOWN_CHARACTERS - 100))
    notes.store("b", "d", "x" * 200)
    notes.store("c", "d", 1)
    entries = part(notes.store_action("query", {"includeValues": True}), "entries")
    assert ["value" in entry for entry in entries] == [True, False, True]
    assert "202 characters" in entries[1]["valueOmitted"]


def test_a_wrong_query_is_a_result() -> None:
    result = notes_of().store_action("query", {"tier": "gold"})
    assert (result["success"], result["action"]) == (False, "query")
    assert "raw, summary or findings" in str(result["error"])


def test_the_action_cleanup_raw_names_what_it_removed() -> None:
    notes = notes_of()
    notes.store("a", "d", 1, tier="raw")
    notes.store("b", "d", 1)
    assert notes.store_action("cleanup_raw") == {
        "success": True,
        "action": "cleanup_raw",
        "deleted": 1,
        "keys": ["raw.a"],
    }


def test_the_action_clear_removes_everything() -> None:
    notes = notes_of()
    notes.store("a", "d", 1, pinned=True)
    assert notes.store_action("clear", {"confirm": True}) == {
        "success": True,
        "action": "clear",
        "deleted": 1,
        "keys": ["a"],
    }
    assert notes.count == 0


def test_an_unknown_action_names_those_there_are() -> None:
    result = notes_of().store_action("forget")
    assert (result["success"], result["action"]) == (False, "forget")
    assert "query, read, cleanup_raw, clear" in str(result["error"])


def test_a_subclass_sees_every_change_the_model_makes() -> None:
    calls = []

    class Watched(WorkingMemory):
        def store(self, *arguments: Any, **options: Any) -> Any:
            calls.append("store")
            return super().store(*arguments, **options)

        def delete(self, key: str) -> bool:
            calls.append("delete")
            return super().delete(key)

        def clear(self) -> list[str]:
            calls.append("clear")
            return super().clear()

        def cleanup_raw(self) -> Any:
            calls.append("cleanup_raw")
            return super().cleanup_raw()

    notes = Watched()
    notes.store_set("k", {"description": "d", "value": 1})
    notes.store_delete("k")
    notes.store_action("cleanup_raw")
    notes.store_action("clear")
    assert calls == ["store", "delete", "cleanup_raw", "clear"]
