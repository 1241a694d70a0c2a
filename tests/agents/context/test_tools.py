from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from agents.context import Tool, ToolCallState, tool
from agents.context.errors import InvalidOption
from agents.context.json_values import JSON
from tests.agents.context.cast import counter, say


@tool
def weather(city: str, days: int = 1) -> str:
    """Return the weather of a city."""
    return f"{city}: {days}"


def test_a_function_becomes_a_tool_named_and_described_by_itself() -> None:
    assert isinstance(weather, Tool)
    assert weather.name == "weather"
    assert weather.description == "Return the weather of a city."
    properties: Any = weather.parameters["properties"]
    assert set(properties) == {"city", "days"}


def test_a_tool_can_still_be_called_as_the_function_it_was() -> None:
    assert weather("Paris", days=2) == "Paris: 2"


def test_the_decorator_takes_everything_a_tool_has() -> None:
    @tool(
        name="look_up",
        description="Look it up.",
        parameters={"type": "object", "properties": {"what": {"type": "string"}}},
        timeout_ms=50,
        parallel=True,
        permission="ask",
        risk="high",
        namespace="library",
    )
    def search(**arguments: object) -> object:
        return arguments

    assert search.name == "look_up"
    assert search.description == "Look it up."
    assert search.parameters == {"type": "object", "properties": {"what": {"type": "string"}}}
    assert (search.timeout_ms, search.parallel, search.permission) == (50, True, "ask")
    assert (search.risk, search.namespace) == ("high", "library")


def test_a_function_without_docstring_has_an_empty_description() -> None:
    def silent() -> None: ...

    assert tool(silent).description == ""


def test_texts_given_as_functions_are_read_anew_each_time() -> None:
    number = counter()
    schemas = counter()
    changing = Tool(
        "t", say, lambda: f"call {number()}", lambda: {"type": "object", "properties": {str(schemas()): {}}}
    )
    assert (changing.description, changing.description) == ("call 1", "call 2")
    assert changing.parameters == {"type": "object", "properties": {"1": {}}}
    assert changing.parameters == {"type": "object", "properties": {"2": {}}}


def test_arguments_of_a_tool_with_a_given_schema_are_passed_unchecked() -> None:
    given = Tool("t", say, "", {"type": "object"})
    assert given.bind({"anything": 1}) == {"anything": 1}
    assert Tool("t", say, "", {}).parameters == {"type": "object"}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({}, "weather()"),
        ({"city": "Paris", "days": 2}, 'weather(city="Paris", days=2)'),
        ({"a": [1, 2], "b": {"c": 1}, "d": None}, "weather(a=[2 items], b={...}, d=null)"),
        ({"city": "x" * 100}, f'weather(city="{"x" * 78}…)'),
    ],
)
def test_a_call_is_described_by_name_and_shortened_arguments(arguments: dict[str, JSON], line: str) -> None:
    assert weather.describe_call(arguments) == line


def test_a_tool_may_describe_its_calls_itself() -> None:
    own = Tool("t", say, "", {}, call_description=lambda arguments: f"print {arguments['what']}")
    assert own.describe_call({"what": "it"}) == "print it"


def test_the_states_of_a_call_are_words() -> None:
    assert [str(state) for state in ToolCallState] == [
        "pending",
        "executing",
        "completed",
        "failed",
        "timeout",
    ]


@pytest.mark.parametrize("name", ["two words", "a.b", "größe", "x" * 65, "line\n"])
def test_a_name_that_providers_refuse_is_refused_at_once(name: str) -> None:
    with pytest.raises(ValueError, match="1 to 64 of the characters a-z, A-Z, 0-9, _ and -"):
        tool(name=name)(print)


def test_a_function_without_a_name_needs_one() -> None:
    with pytest.raises(ValueError, match=r"<lambda>.*@tool\(name=…\)"):
        tool(lambda: 1)
    assert tool(name="x-1_" + "y" * 60)(lambda: 1).name.startswith("x-1_y")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("permission", "Ask", "permission is one of always, ask, not 'Ask'"),
        ("permission", None, "permission is one of always, ask, not None"),
        ("risk", "higher", "risk is one of low, medium, high, not 'higher'"),
        ("timeout_ms", "50", "timeout_ms is a whole number of at least 0, or None, not '50'"),
        ("timeout_ms", -1, "timeout_ms is a whole number"),
        ("timeout_ms", True, "timeout_ms is a whole number"),
        ("parallel", "yes", "parallel is True or False, not 'yes'"),
        ("namespace", None, "namespace is a text, not None"),
    ],
)
def test_an_option_with_a_typo_or_of_the_wrong_kind_is_refused(
    option: str, value: object, words: str
) -> None:
    options: Any = {option: value}
    with pytest.raises(InvalidOption, match=words):
        tool(**options)(weather.function)
    with pytest.raises(InvalidOption, match=words):
        replace(weather, **options)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"priority": "high"}, "priority is a whole number"),
        ({"call_description": "x"}, "is a function, or None"),
    ],
)
def test_options_that_only_a_tool_itself_has_are_checked_too(option: Any, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        replace(weather, **option)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("object", "parameters is a JSON Schema as a dict, not 'object'"),
        ([], "parameters is a JSON Schema as a dict"),
        ({"type": "string"}, "has the type object, not 'string'"),
        ({"type": ["object"]}, "has the type object, not a value of type list"),
        ({"type": "object", "properties": []}, "properties of the JSON Schema of parameters are a dict"),
        ({"type": "object", "default": {1, 2}}, "cannot be sent"),
        ({"type": "object", "default": float("nan")}, "cannot be sent"),
    ],
)
def test_a_schema_that_is_none_of_an_object_is_refused_at_once(schema: Any, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        tool(parameters=schema)(say)


def test_a_description_is_a_text_or_a_function() -> None:
    given: Any = 5
    with pytest.raises(
        InvalidOption, match="description_source is a text, or a function that gives one, not 5"
    ):
        tool(description=given)(say)


def test_a_partial_and_an_object_that_can_be_called_are_tools_under_a_name() -> None:
    class Greeter:
        def __call__(self, name: str) -> str:
            return f"Hello {name}"

    made = tool(name="greet")(Greeter())
    assert made.parameters["required"] == ["name"]
    assert made(**made.bind({"name": "Ada"})) == "Hello Ada"
    bound = tool(name="forecast")(partial(partial(weather.function, days=3), "Paris"))
    assert bound.bind({"days": 2}) == {"days": 2}
    for nameless in (Greeter(), partial(say)):
        with pytest.raises(InvalidOption, match=r"The tool name '' is refused.*@tool\(name=…\)"):
            tool(nameless)


def test_a_class_is_no_tool() -> None:
    with pytest.raises(InvalidOption, match="function is a function, not the class ToolCallState"):
        tool(ToolCallState)


def test_a_tool_is_made_of_a_function() -> None:
    with pytest.raises(InvalidOption, match="function is a function, not 'print'"):
        Tool("t", "print", "", {})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["two words", "", "größe"])
def test_a_tool_made_without_the_decorator_has_its_name_checked_too(name: str) -> None:
    with pytest.raises(InvalidOption, match="1 to 64 of the characters"):
        Tool(name, say, "")
