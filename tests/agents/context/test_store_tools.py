import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context import AgentContext, Tool
from agents.context.errors import AlreadyRegistered, UnknownStore
from agents.context.json_values import JSON
from agents.context.store_tools import MAX_RESULT_CHARACTERS, StoreRouter, bounded
from agents.context.stores import STORE_TOOLS, StoreHandler, StoreResult, StoreSchema
from tests.agents.context.cast import BARE, ActingShelf, NotePad, Shelf, context_of


def call(context: AgentContext, name: str, **arguments: JSON) -> Any:
    return context.tools.execute(name, arguments)


def shelves(*plugins: Shelf) -> AgentContext:
    context = context_of()
    for each in plugins:
        context.register_plugin(each)
    return context


def test_a_plugin_with_the_five_methods_is_a_store() -> None:
    assert isinstance(Shelf(), StoreHandler)
    assert not isinstance(NotePad(), StoreHandler)


def test_the_tools_come_with_the_first_store_and_serve_later_ones() -> None:
    context = context_of()
    assert not any(context.tools.has(name) for name in STORE_TOOLS)
    context.register_plugin(NotePad())
    assert not any(context.tools.has(name) for name in STORE_TOOLS)
    context.register_plugin(Shelf("one"))
    tools = [context.tools.get(name) for name in STORE_TOOLS]
    context.register_plugin(_second())
    assert [context.tools.get(name) for name in STORE_TOOLS] == tools
    assert call(context, "store_set", store="two", key="k", value=1, description="d")["success"] is True


def _second() -> Shelf:
    second = Shelf("two")
    second.name = "second_shelf"
    return second


def test_without_notes_the_whiteboard_keeps_the_tools() -> None:
    context = context_of(features={"working_memory": False})
    assert context.tools.has("store_set")


class Moody(Shelf):
    """A store that describes itself differently each time it is asked."""

    asked = 0

    def get_store_schema(self) -> StoreSchema:
        self.asked += 1
        return {**super().get_store_schema(), "usageHint": f"Asked {self.asked} times."}


def test_one_prompt_tells_one_thing_of_a_store_that_changes() -> None:
    router = StoreRouter()
    router.put(Moody())
    with router.still():
        inside = router.overview()
        with router.still():
            assert router.overview() == inside
        assert router.overview() == inside

    assert router.overview() != inside


def test_a_prompt_asks_each_store_once_how_it_is_described() -> None:
    shelf = Moody()
    context = shelves(shelf)
    context.add_user_message("Hello")
    context.prepare()
    before = shelf.asked
    context.prepare()

    assert shelf.asked == before + 1


@pytest.mark.trap("W2.7")
def test_a_second_store_of_the_same_id_is_refused_before_anything_is_added() -> None:
    context = shelves(Shelf("one"))
    twin = Shelf("one")
    twin.name = "twin"
    with pytest.raises(AlreadyRegistered, match="one"):
        context.register_plugin(twin)
    assert not context.has_plugin("twin")
    assert "twin" not in [each.name for each in context.get_plugins()]


def test_an_unknown_store_names_those_there_are() -> None:
    router = StoreRouter()
    with pytest.raises(UnknownStore, match=r'Unknown store "x"\. Available stores: none'):
        router.find({"store": "x"})
    router.put(Shelf("one"))
    router.put(Shelf("two"))
    with pytest.raises(UnknownStore, match=r'The argument "store" is missing\. Available stores: one, two'):
        router.find({})


@pytest.mark.trap("W2.5")
def test_an_unknown_store_is_a_result_through_the_tools() -> None:
    result = call(shelves(Shelf()), "store_set", store="notes", key="k", value=1)
    assert result == {
        "success": False,
        "error": 'Unknown store "notes". Available stores: shelf',
        "errorType": "UnknownStore",
        "toolName": "store_set",
    }


def test_the_tools_need_no_permission_and_are_harmless() -> None:
    for tool in StoreRouter().tools():
        assert (tool.permission, tool.risk, tool.timeout_ms) == ("always", "low", 0)


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("store_get", {"store": "s", "key": "k"}, "get k from s"),
        ("store_get", {"store": "s"}, "get all from s"),
        ("store_set", {"store": "s", "key": "k"}, "set k in s"),
        ("store_delete", {"store": "s", "key": "k"}, "delete k from s"),
        ("store_list", {"store": "s"}, "list s"),
        ("store_list", {"store": "s", "filter": {"tier": "raw"}}, "list s (filtered)"),
        ("store_list", {"store": "s", "tier": "raw"}, "list s (filtered)"),
        ("store_action", {"store": "s", "action": "a"}, "a on s"),
    ],
)
def test_calls_are_described_in_few_words(name: str, arguments: dict[str, JSON], line: str) -> None:
    tools: dict[str, Tool] = {each.name: each for each in StoreRouter().tools()}
    assert tools[name].describe_call(arguments) == line


@pytest.mark.trap("W2.1")
def test_nested_and_flat_fields_are_merged_and_nested_wins() -> None:
    shelf = Shelf()
    call(
        shelves(shelf),
        "store_set",
        store="shelf",
        key="k",
        data={"description": "nested", "value": 1},
        description="flat",
        note="flat only",
    )
    assert shelf.entries["k"] == {"description": "nested", "value": 1, "note": "flat only"}


@pytest.mark.parametrize("nested", [True, False])
def test_both_forms_of_the_mission_work(nested: bool) -> None:
    shelf = Shelf()
    fields: dict[str, JSON] = {"description": "d", "value": {"step": 3}}
    arguments: dict[str, JSON] = {"data": fields} if nested else fields
    assert call(shelves(shelf), "store_set", store="shelf", key="k", **arguments)["success"] is True
    assert shelf.entries["k"] == fields


@pytest.mark.trap("W2.2")
def test_a_store_with_a_field_called_data_gets_it_as_a_field() -> None:
    shelf = Shelf(
        setDataFields={
            "description": {"type": "string", "description": "what", "required": True},
            "value": {"description": "any", "required": True},
            "data": {"description": "a field"},
        }
    )
    call(shelves(shelf), "store_set", store="shelf", key="k", description="d", value=1, data={"rows": 2})
    assert shelf.entries["k"] == {"description": "d", "value": 1, "data": {"rows": 2}}


@pytest.mark.trap("W2.2")
def test_a_flat_call_with_an_object_called_data_keeps_its_other_fields() -> None:
    shelf = Shelf()
    call(shelves(shelf), "store_set", store="shelf", key="k", description="d", value=1, data={"note": "n"})
    assert shelf.entries["k"] == {"description": "d", "value": 1, "note": "n"}


@pytest.mark.parametrize("data", [[1, 2], "text", 7])
def test_data_that_is_no_object_is_a_field_like_any_other(data: JSON) -> None:
    shelf = Shelf()
    call(shelves(shelf), "store_set", store="shelf", key="k", description="d", value=1, data=data)
    assert shelf.entries["k"]["data"] == data


def test_an_optional_field_sent_as_null_was_not_sent_but_a_null_value_was() -> None:
    shelf = Shelf()
    call(
        shelves(shelf),
        "store_set",
        store="shelf",
        key="k",
        data={"description": "d", "value": None, "note": None},
    )
    assert shelf.entries["k"] == {"description": "d", "value": None}


@pytest.mark.trap("W2.3")
@pytest.mark.parametrize("name", ["store_set", "store_delete"])
@pytest.mark.parametrize("key", [{}, {"key": None}, {"key": ""}, {"key": 4}])
def test_a_missing_key_is_refused_with_the_right_form(name: str, key: dict[str, JSON]) -> None:
    shelf = Shelf()
    result = call(shelves(shelf), name, store="shelf", value=1, **key)
    assert result.get("success", result.get("deleted")) is False
    assert "key" in result["error"]
    assert shelf.entries == {}


def test_get_reads_one_entry_or_all() -> None:
    shelf = Shelf()
    shelf.entries = {"a": {"value": 1}, "b": {"value": 2}}
    context = shelves(shelf)
    assert call(context, "store_get", store="shelf", key="a") == {
        "found": True,
        "key": "a",
        "entry": {"value": 1},
    }
    assert call(context, "store_get", store="shelf", key="z") == {"found": False, "key": "z"}
    for everything in ({}, {"key": None}, {"key": ""}):
        assert len(call(context, "store_get", store="shelf", **everything)["entries"]) == 2


def test_get_with_a_key_that_is_no_text_says_so() -> None:
    result = call(shelves(Shelf()), "store_get", store="shelf", key=3)
    assert result["found"] is False
    assert "text" in result["error"]


@pytest.mark.trap("W2.8")
def test_a_list_of_entries_is_bounded_and_names_what_is_left_out() -> None:
    shelf = Shelf()
    shelf.entries = {f"k{n}": {"value": "x" * 1_000} for n in range(100)}
    result = call(shelves(shelf), "store_get", store="shelf")
    assert len(str(result["entries"])) < MAX_RESULT_CHARACTERS * 1.1
    assert result["truncated"] is True
    assert result["total"] == 100
    kept = [entry["key"] for entry in result["entries"]]
    assert kept + result["omittedKeys"] == list(shelf.entries)
    assert "one by one" in result["message"]


def test_entries_without_keys_are_bounded_too() -> None:
    entries: list[JSON] = ["x" * MAX_RESULT_CHARACTERS, "y"]
    assert bounded({"entries": entries})["omittedKeys"] == []


def test_text_of_a_foreign_store_that_cannot_be_stored_is_repaired_in_the_result() -> None:
    shelf = Shelf()
    shelf.entries = {"a": {"value": "x\x00y"}}
    assert call(shelves(shelf), "store_get", store="shelf")["entries"] == [{"key": "a", "value": "x�y"}]


def test_delete_and_list_reach_the_store() -> None:
    shelf = Shelf()
    shelf.entries = {"a": {"value": 1}, "b": {"value": 2}}
    context = shelves(shelf)
    assert call(context, "store_list", store="shelf") == {"entries": [{"key": "a"}, {"key": "b"}], "total": 2}
    assert call(context, "store_list", store="shelf", filter={"pattern": "a"})["total"] == 1
    assert call(context, "store_list", store="shelf", pattern="b")["entries"] == [{"key": "b"}]
    assert call(context, "store_delete", store="shelf", key="a") == {"deleted": True, "key": "a"}
    assert call(context, "store_delete", store="shelf", key="a") == {"deleted": False, "key": "a"}


def test_a_failure_explained_in_a_message_has_an_error_too() -> None:
    result = call(shelves(Shelf()), "store_set", store="shelf", key="k", description="d")
    assert result["error"] == result["message"] == "description and value are required"


def test_a_store_without_actions_says_so() -> None:
    result = call(shelves(Shelf()), "store_action", store="shelf", action="dust")
    assert result["success"] is False
    assert result["action"] == "dust"
    assert "does not support actions" in result["error"]


def test_an_action_gets_nested_and_flat_parameters() -> None:
    shelf = ActingShelf()
    context = shelves(shelf)
    call(context, "store_action", store="shelf", action="dust")
    call(context, "store_action", store="shelf", action="dust", params={"hard": True}, wet=False)
    call(context, "store_action", store="shelf", action="dust", key="k")
    assert shelf.done == [("dust", None), ("dust", {"hard": True, "wet": False}), ("dust", {"key": "k"})]


@pytest.mark.parametrize("action", [{}, {"action": ""}, {"action": 3}])
def test_a_missing_action_is_refused(action: dict[str, JSON]) -> None:
    result = call(shelves(ActingShelf()), "store_action", store="shelf", **action)
    assert result["success"] is False
    assert "action" in result["error"]


@pytest.mark.parametrize("confirm", [None, False, "false", "yes", 1, {"really": True}])
def test_a_destructive_action_wants_a_strict_confirmation(confirm: JSON) -> None:
    shelf = ActingShelf()
    result = call(shelves(shelf), "store_action", store="shelf", action="burn", confirm=confirm)
    assert result["success"] is False
    assert "destructive" in result["error"]
    assert "confirm: true" in result["error"]
    assert shelf.done == []


@pytest.mark.parametrize("arguments", [{"confirm": True}, {"confirm": "true"}, {"params": {"confirm": True}}])
def test_a_confirmed_destructive_action_runs(arguments: dict[str, JSON]) -> None:
    shelf = ActingShelf()
    assert call(shelves(shelf), "store_action", store="shelf", action="burn", **arguments)["success"] is True
    assert [action for action, _ in shelf.done] == ["burn"]


def test_an_undeclared_action_is_left_to_the_store() -> None:
    shelf = ActingShelf()
    call(shelves(shelf), "store_action", store="shelf", action="sing")
    assert shelf.done == [("sing", None)]


def test_a_store_may_answer_with_coroutines() -> None:
    class Later(Shelf):
        async def store_get(self, key: str | None = None) -> StoreResult:  # type: ignore[override]
            return {"found": False, "key": key}

    assert call(shelves(Later()), "store_get", store="shelf", key="k") == {"found": False, "key": "k"}


def test_a_store_can_be_looked_up_and_taken_out() -> None:
    router, shelf = StoreRouter(), Shelf()
    router.put(shelf)
    assert router.get("shelf") is shelf
    router.remove(Shelf())
    assert router.ids() == ("shelf",)
    router.remove(shelf)
    assert router.ids() == ()
    assert router.get("shelf") is None


def test_bare_contexts_have_neither_built_in() -> None:
    context = context_of(features=BARE)
    assert context.get_plugins() == []


FLAT = st.dictionaries(st.sampled_from(["description", "value", "note", "extra"]), st.integers(), max_size=4)


@settings(deadline=None)
@given(FLAT, FLAT)
def test_whatever_mixture_of_forms_every_field_arrives_and_nested_wins(
    flat: dict[str, int], nested: dict[str, int]
) -> None:
    shelf = Shelf()
    arguments: dict[str, JSON] = {"store": "shelf", "key": "k", **flat, "data": dict(nested)}
    result = call(shelves(shelf), "store_set", **arguments)
    expected = flat | nested
    assert result["success"] is ("value" in expected)
    if result["success"]:
        assert shelf.entries["k"] == expected


@settings(deadline=None)
@given(st.lists(st.text(max_size=4_000), max_size=30))
def test_a_bounded_list_and_its_omissions_are_all_there_is(values: list[str]) -> None:
    entries: list[JSON] = [{"key": f"k{n}", "value": value} for n, value in enumerate(values)]
    result: Any = bounded({"found": True, "entries": list(entries)})
    kept = result["entries"]
    assert kept == entries[: len(kept)]
    assert [each["key"] for each in kept] + result.get("omittedKeys", []) == [
        f"k{n}" for n in range(len(values))
    ]
    assert len(json.dumps(kept, ensure_ascii=False)) <= MAX_RESULT_CHARACTERS + 100 * len(kept) + 2
    assert result["found"] is True
