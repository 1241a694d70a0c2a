import asyncio
import datetime
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from agents.context import AgentContext, Tool, ToolManager, json_values, tool
from agents.context.errors import InvalidOption, TurnAborted
from agents.context.stores import STORE_TOOLS
from agents.context.tokens import ApproximateTokenEstimator
from tests.agents.context.cast import CountingEstimator, counter, say

APPROXIMATE = ApproximateTokenEstimator()
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"place": {"type": "string"}}}


def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


def manager_of(*functions: Callable[..., object] | Tool, **options: Any) -> ToolManager:
    manager = ToolManager(**options)
    for each in functions:
        manager.register(each)
    return manager


def failing(failure: BaseException) -> Tool:
    def fail() -> None:
        raise failure

    return tool(fail)


def test_a_plain_function_is_registered_as_a_tool() -> None:
    manager = ToolManager()
    registered = manager.register(add)
    assert manager.get("add") is registered
    assert manager.has("add")
    assert manager.is_enabled("add")
    assert manager.list() == manager.list_enabled() == ["add"]


def test_an_unknown_tool_is_absent_everywhere() -> None:
    manager = ToolManager()
    assert manager.get("x") is None
    assert not manager.has("x")
    assert not manager.is_enabled("x")
    assert not manager.enable("x")
    assert not manager.disable("x")
    assert not manager.toggle("x")
    assert not manager.unregister("x")
    assert manager.call_count("x") == 0


def test_registering_again_replaces_the_function_and_keeps_the_switch() -> None:
    manager = manager_of(add)
    manager.disable("add")
    manager.register(Tool("add", lambda: 42, "new"))
    assert not manager.is_enabled("add")
    manager.enable("add")
    assert manager.execute("add", {}) == 42


@pytest.mark.parametrize("name", STORE_TOOLS)
def test_no_other_tool_takes_the_place_of_one_that_reaches_the_stores(name: str) -> None:
    with pytest.raises(InvalidOption, match="give this tool another name"):
        AgentContext.create(model="gpt-4.1", tools=[tool(name=name)(add)])
    context = AgentContext.create(model="gpt-4.1")
    with pytest.raises(InvalidOption, match="give this tool another name"):
        context.tools.register(tool(name=name)(add))
    reaching = context.tools.get(name)
    assert reaching is not None
    assert reaching.namespace == "store"


def test_a_tool_can_be_registered_switched_off() -> None:
    manager = ToolManager()
    manager.register(add, enabled=False)
    assert manager.has("add")
    assert manager.list() == ["add"]
    assert manager.list_enabled() == []


def test_tools_are_switched_one_by_one_and_together() -> None:
    manager = manager_of(Tool("a", say, ""), Tool("b", say, ""))
    assert manager.disable("a")
    assert manager.list_enabled() == ["b"]
    assert manager.toggle("a")
    assert not manager.toggle("a")
    manager.set_enabled(["a", "b", "ghost"], enabled=True)
    assert manager.list_enabled() == ["a", "b"]


def test_enabled_tools_come_by_priority_then_by_registration() -> None:
    manager = manager_of(
        Tool("low", say, "", priority=-1), Tool("first", say, ""), Tool("top", say, "", priority=5)
    )
    assert [each.name for each in manager.get_enabled()] == ["top", "first", "low"]
    assert [each["name"] for each in manager.definitions()] == ["top", "first", "low"]


def test_tools_are_listed_by_namespace() -> None:
    manager = manager_of(Tool("a", say, "", namespace="x"), Tool("b", say, ""))
    assert manager.list("x") == ["a"]
    assert manager.list("default") == ["b"]


def test_an_unregistered_tool_is_gone() -> None:
    manager = manager_of(add)
    assert manager.unregister("add")
    assert manager.list() == []


def test_execution_returns_the_result_and_counts_the_call() -> None:
    manager = manager_of(add)
    assert manager.execute("add", {"first": 1, "second": "2"}) == 3
    assert manager.call_count("add") == 1


def test_a_coroutine_function_is_awaited() -> None:
    @tool
    async def later(value: int) -> int:
        await asyncio.sleep(0)
        return value

    assert manager_of(later).execute("later", {"value": 3}) == 3


def test_results_become_json_types() -> None:
    @dataclass
    class Reading:
        when: datetime.date
        values: tuple[int, ...]

    @tool
    def read() -> Reading:
        return Reading(datetime.date(2026, 1, 30), (1, 2))

    assert manager_of(read).execute("read", {}) == {"when": "2026-01-30", "values": [1, 2]}


def test_text_that_cannot_be_stored_is_repaired_in_results() -> None:
    @tool
    def read() -> dict[str, str]:
        return {"text": "a\x00b"}

    assert manager_of(read).execute("read", {}) == {"text": "a�b"}


@pytest.mark.parametrize(
    ("name", "arguments", "error_type", "words"),
    [
        ("ghost", {}, "ToolNotFound", "not found. Available tools: add, "),
        ("off", {}, "ToolDisabled", "disabled"),
        ("add", {"first": 1}, "InvalidArguments", "second: Field required"),
        ("boom", {}, "ZeroDivisionError", "division"),
        ("nothing", {}, "ValueError", "no result"),
        ("odd", {}, "TypeError", "JSON"),
        ("endless", {}, "InvalidJSON", "nan is not JSON"),
        ("mute", {}, "KeyboardError", "KeyboardError"),
    ],
)
def test_every_fault_is_a_result_with_error_type_and_tool(
    name: str, arguments: dict[str, Any], error_type: str, words: str
) -> None:
    class KeyboardError(Exception):
        pass

    def mute() -> None:
        raise KeyboardError

    manager = manager_of(
        add,
        Tool("boom", lambda: 1 // 0, ""),
        Tool("nothing", lambda: None, ""),
        Tool("odd", lambda: [object()], "", {}),
        Tool("endless", lambda: float("nan"), ""),
        Tool("off", say, ""),
        mute,
    )
    manager.disable("off")
    result: Any = manager.execute(name, arguments)
    assert result["success"] is False
    assert result["errorType"] == error_type
    assert result["toolName"] == name
    assert words.lower() in result["error"].lower()


def test_a_failing_tool_is_logged_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    manager_of(failing(RuntimeError("disk"))).execute("fail", {})
    assert [record.message for record in caplog.records] == ["Tool fail failed"]


@pytest.mark.parametrize(("level", "has_stack"), [(logging.INFO, False), (logging.DEBUG, True)])
def test_a_tool_that_refuses_with_a_value_error_is_noted_in_one_line(
    caplog: pytest.LogCaptureFixture, level: int, has_stack: bool
) -> None:
    caplog.set_level(level)
    manager_of(failing(ValueError("It divides by zero."))).execute("fail", {})
    (record,) = caplog.records
    assert (record.levelname, record.message) == ("INFO", "Tool fail refused: It divides by zero.")
    assert bool(record.exc_info) is has_stack


def test_a_mistake_of_the_model_is_not_logged_as_our_failure(caplog: pytest.LogCaptureFixture) -> None:
    manager_of(add).execute("add", {})
    assert not caplog.records


def test_only_the_end_of_the_turn_is_raised() -> None:
    with pytest.raises(TurnAborted):
        manager_of(failing(TurnAborted("stop"))).execute("fail", {})


def test_a_tool_that_is_late_gives_a_timeout_result() -> None:
    release = threading.Event()
    manager = manager_of(Tool("slow", lambda: release.wait(10), ""), timeout_ms=10)
    result: Any = manager.execute("slow", {})
    release.set()
    assert result["errorType"] == "ToolTimeout"
    assert "10 ms" in result["error"]


def test_a_tools_own_limit_wins_over_the_managers() -> None:
    thread = Tool("where", threading.get_ident, "", {}, timeout_ms=0)
    assert manager_of(thread, timeout_ms=1).execute("where", {}) == threading.get_ident()


def test_a_timeout_inside_an_unlimited_tool_is_its_own_failure() -> None:
    result: Any = manager_of(failing(TimeoutError("upstream"))).execute("fail", {})
    assert result["errorType"] == "TimeoutError"


def test_definitions_show_the_texts_of_the_moment() -> None:
    number = counter()
    manager = manager_of(Tool("t", say, lambda: f"text {number()}", {"type": "object"}))
    [first], [second] = manager.definitions(), manager.definitions()
    assert first == {
        "type": "function",
        "name": "t",
        "description": "text 1",
        "parameters": {"type": "object"},
    }
    assert second["description"] == "text 2"


def test_no_tools_cost_nothing() -> None:
    assert ToolManager().count_tokens(ApproximateTokenEstimator()) == 0


def test_a_definition_that_one_holder_changed_is_whole_again_for_everybody() -> None:
    def described() -> ToolManager:
        return manager_of(
            Tool(name="look", function=add, description_source="Look.", parameters_source=SCHEMA)
        )

    first, second = described(), described()
    first.definitions()[0]["parameters"]["properties"] = {}

    assert first.definitions()[0]["parameters"] == SCHEMA
    assert second.definitions()[0]["parameters"] == SCHEMA
    assert second.count_tokens(APPROXIMATE) == described().count_tokens(APPROXIMATE)


def test_schemas_that_python_takes_for_equal_are_sent_as_each_tool_has_them() -> None:
    sent = [
        manager_of(
            Tool(
                name="look",
                function=add,
                description_source="Look.",
                parameters_source={"type": "object", "properties": {"a": {"default": default}}},
            )
        ).definitions()
        for default in (1, True, 1.0)
    ]

    assert [repr(each[0]["parameters"]["properties"]) for each in sent] == [
        "{'a': {'default': 1}}",
        "{'a': {'default': True}}",
        "{'a': {'default': 1.0}}",
    ]


def test_each_definition_costs_its_texts_and_ten_and_the_list_twenty() -> None:
    estimator = ApproximateTokenEstimator()
    manager = manager_of(
        Tool("one", say, "First.", {"type": "object"}), Tool("two", say, "", {"type": "object"})
    )
    schema = estimator.estimate_tokens('{"type":"object"}')
    one = estimator.estimate_tokens("one") + estimator.estimate_tokens("First.") + schema + 10
    two = estimator.estimate_tokens("two") + schema + 10
    assert manager.count_tokens(estimator) == one + two + 20
    manager.disable("two")
    assert manager.count_tokens(estimator) == one + 20


def test_unchanged_texts_are_not_counted_again() -> None:
    estimator = CountingEstimator()
    description = ["before"]
    manager = manager_of(add, Tool("t", say, lambda: description[0], {"type": "object"}))
    manager.count_tokens(estimator)
    estimator.texts.clear()
    manager.count_tokens(estimator)
    assert estimator.texts == []
    description[0] = "after"
    manager.count_tokens(estimator)
    assert "after" in estimator.texts
    assert "Add two numbers." not in estimator.texts


@pytest.mark.parametrize("arguments", [None, [], "{}", 3])
def test_arguments_that_are_no_object_become_a_failed_result(arguments: Any) -> None:
    result: Any = manager_of(add).execute("add", arguments)
    assert (result["success"], result["errorType"], result["toolName"]) == (False, "InvalidArguments", "add")
    assert "an object with the parameters by name" in result["error"]


@pytest.mark.parametrize("dynamic", [False, True])
def test_what_no_text_may_hold_is_replaced_in_a_schema(dynamic: bool) -> None:
    schema: Any = {"type": "object", "properties": {"a\ud800": {"type": "string", "description": "b\x00"}}}
    manager = manager_of(Tool("t", say, "", (lambda: schema) if dynamic else schema))
    [definition] = manager.definitions()
    assert definition["parameters"]["properties"] == {"a\ufffd": {"type": "string", "description": "b\ufffd"}}
    json_values.encode(definition)


def test_a_schema_that_the_host_changes_is_sent_changed() -> None:
    schema: Any = {"type": "object", "properties": {}}
    manager = manager_of(Tool("t", say, "", schema))
    before = manager.count_tokens(ApproximateTokenEstimator())
    schema["properties"]["city"] = {"type": "string"}
    assert manager.definitions()[0]["parameters"] == schema
    assert manager.count_tokens(ApproximateTokenEstimator()) > before


def test_a_tool_that_cannot_be_described_is_left_out_this_time(caplog: pytest.LogCaptureFixture) -> None:
    def describe() -> str:
        raise OSError("the catalog is gone")

    manager = manager_of(add, Tool("t", say, describe, {}))
    assert [each["name"] for each in manager.definitions()] == ["add"]
    assert "Describing tool t failed" in caplog.text


@pytest.mark.parametrize(
    ("description", "schema", "words"),
    [
        (5, {"type": "object"}, "The description of t is a text, not 5"),
        ("text", [], "parameters is a JSON Schema as a dict"),
        ("text", {"type": "array"}, "has the type object, not 'array'"),
        ("text", {"type": "object", "default": {1}}, "Object of type set is not JSON serializable"),
    ],
)
def test_a_tool_whose_functions_give_what_cannot_be_sent_is_left_out_this_time(
    description: Any, schema: Any, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    manager = manager_of(add, Tool("t", say, lambda: description, lambda: schema))
    assert [each["name"] for each in manager.definitions()] == ["add"]
    assert "Describing tool t failed" in caplog.text
    assert words in caplog.text


def test_a_limit_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"tool_timeout_ms is a whole number of at least 0, not 1\.5"):
        ToolManager(timeout_ms=1.5)  # type: ignore[arg-type]


def test_what_is_no_function_cannot_be_registered() -> None:
    nothing: Any = None
    with pytest.raises(InvalidOption, match="a function or a Tool, not NoneType"):
        ToolManager().register(nothing)
