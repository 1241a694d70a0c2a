from typing import Any

import pytest

from agents.context import AgentContext, store_texts
from agents.context.tokens import ApproximateTokenEstimator
from tests.agents.context.cast import ActingShelf, NotePad, Shelf, context_of

SHELF = Shelf().get_store_schema()
ACTING = ActingShelf("desk").get_store_schema()
FOREIGN = Shelf("foreign", setDataFields="- description: what\n- value: any value\n").get_store_schema()


def test_every_description_says_when_there_is_no_store() -> None:
    for describe in (
        store_texts.describe_get,
        store_texts.describe_set,
        store_texts.describe_delete,
        store_texts.describe_list,
        store_texts.describe_action,
    ):
        assert "No store is available" in describe([])


@pytest.mark.parametrize(
    "describe", [store_texts.describe_get, store_texts.describe_delete, store_texts.describe_list]
)
def test_reading_tools_name_the_quoted_ids(describe: Any) -> None:
    assert describe([SHELF, ACTING]).endswith('Stores: "shelf", "desk"')


def test_set_lists_the_fields_of_each_store_in_a_line() -> None:
    lines = store_texts.describe_set([SHELF, FOREIGN]).splitlines()
    assert lines[1] == '- "shelf": description: what it is, value: any value, note?: an aside'
    assert lines[2] == '- "foreign": - description: what, - value: any value'


def test_action_lists_what_each_store_can_do() -> None:
    lines = store_texts.describe_action([SHELF, ACTING]).splitlines()
    assert lines[1] == '- "shelf": shelf'
    assert lines[2] == '- "desk": dust: clean up; burn (destructive): delete all'


def test_the_overview_is_empty_without_stores() -> None:
    assert store_texts.overview([]) == ""


def test_the_overview_names_stores_tools_and_call_forms() -> None:
    text = store_texts.overview([SHELF])
    assert "1 data store." in text
    assert '- "shelf" (Shelf): The shelf. For tests.' in text
    for name in ("store_get", "store_set", "store_delete", "store_list", "store_action"):
        assert f"- {name}({{" in text
    assert "2 data stores." in store_texts.overview([SHELF, ACTING])


@pytest.mark.trap("W2.5")
def test_a_hint_at_another_store_is_shown_only_while_that_store_exists() -> None:
    hinting = Shelf("board", siblingHints={"notes": 'Large data belongs in "notes".'}).get_store_schema()
    notes = Shelf("notes").get_store_schema()
    assert '"notes"' not in store_texts.overview([hinting])
    assert 'Large data belongs in "notes".' in store_texts.overview([hinting, notes])


@pytest.mark.trap("W2.5")
@pytest.mark.parametrize("notes", [True, False])
def test_the_prompt_of_the_built_in_stores_names_no_store_that_is_not_there(notes: bool) -> None:
    context = context_of(features={"working_memory": notes})
    context.add_user_message("hi")
    prepared = context.prepare()
    everything = str(prepared.input) + str(prepared.tools)
    assert ('"notes"' in everything) is notes
    assert '"memory"' not in everything
    assert '"context"' not in everything


@pytest.mark.trap("W2.6")
def test_typed_fields_make_a_closed_schema_with_types() -> None:
    schema: Any = store_texts.set_parameters([SHELF, ACTING])
    assert schema["additionalProperties"] is False
    data = schema["properties"]["data"]
    assert data["additionalProperties"] is False
    assert schema["required"] == ["store", "key"]
    assert schema["properties"]["store"]["enum"] == ["shelf", "desk"]
    assert data["properties"]["description"]["type"] == "string"
    assert data["properties"]["value"]["type"] == [
        "object",
        "array",
        "string",
        "number",
        "boolean",
        "null",
    ]
    assert data["properties"]["value"]["items"] == {}


def test_a_store_that_only_describes_its_fields_opens_the_schema() -> None:
    schema: Any = store_texts.set_parameters([SHELF, FOREIGN])
    assert schema["additionalProperties"] is True
    assert schema["properties"]["data"]["additionalProperties"] is True


def test_without_stores_the_schemas_are_open_and_name_no_id() -> None:
    schema: Any = store_texts.set_parameters([])
    assert schema["additionalProperties"] is True
    assert "enum" not in schema["properties"]["store"]
    action: Any = store_texts.action_parameters([])
    assert "enum" not in action["properties"]["action"]


def test_a_field_of_two_stores_admits_what_either_wants() -> None:
    def of(**field: Any) -> Any:
        return Shelf(setDataFields={"grade": {"description": "how good", **field}}).get_store_schema()

    def joined(first: Any, second: Any) -> Any:
        schema: Any = store_texts.set_parameters([first, second])
        return schema["properties"]["data"]["properties"]["grade"]

    enums = joined(of(type="string", enum=["a", "b"]), of(type="string", enum=["b", "c"]))
    assert enums["type"] == "string"
    assert enums["enum"] == ["a", "b", "c"]
    types = joined(of(type="string", enum=["a"]), of(type=["integer", "string"]))
    assert types["type"] == ["string", "integer"]
    assert "enum" not in types
    assert joined(of(type="string"), of(type="string")) == {"type": "string", "description": "how good"}


@pytest.mark.parametrize(
    ("parameters", "required", "closed"),
    [
        (store_texts.get_parameters, ["store"], True),
        (store_texts.delete_parameters, ["store", "key"], True),
        (store_texts.list_parameters, ["store"], False),
        (store_texts.action_parameters, ["store", "action"], False),
    ],
)
def test_each_tool_has_its_required_arguments(parameters: Any, required: list[str], closed: bool) -> None:
    schema = parameters([ACTING])
    assert schema["required"] == required
    assert schema["additionalProperties"] is not closed
    assert all("description" in each for each in schema["properties"].values())


def test_actions_are_named_in_the_schema() -> None:
    schema: Any = store_texts.action_parameters([SHELF, ACTING])
    assert schema["properties"]["action"]["enum"] == ["burn", "dust"]


def _described(context: AgentContext) -> int:
    estimator = ApproximateTokenEstimator()
    return sum(
        estimator.estimate_tokens(each["name"])
        + estimator.estimate_tokens(each["description"])
        + estimator.estimate_data_tokens(each["parameters"])
        + 10
        for each in context.tools.definitions()
    )


@pytest.mark.trap("W2.4")
def test_the_budget_counts_the_descriptions_that_are_sent() -> None:
    context = context_of()
    context.register_plugin(Shelf("one"))
    context.add_user_message("hi")
    one = context.prepare()
    assert one.budget.tools_tokens == _described(context) + 20
    second = ActingShelf("two")
    second.name = "second"
    context.register_plugin(second)
    two = context.prepare()
    assert two.tools == context.tools.definitions()
    assert two.budget.tools_tokens == _described(context) + 20 > one.budget.tools_tokens


def test_a_plugin_that_is_no_store_changes_no_store_text() -> None:
    context = context_of()
    context.register_plugin(NotePad(instructions="Write."))
    context.add_user_message("hi")
    text: Any = context.prepare().input[0]
    assert "Data Stores" not in text["content"][0]["text"]
