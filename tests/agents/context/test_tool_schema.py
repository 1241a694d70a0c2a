import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from agents.context.errors import InvalidArguments, InvalidOption
from agents.context.tool_schema import Signature


class Unit(StrEnum):
    CELSIUS = "celsius"
    KELVIN = "kelvin"


class Place(BaseModel):
    title: str
    height: float = 0.0


@dataclass
class Point:
    x: int
    y: int


def test_names_types_and_defaults_become_a_closed_schema() -> None:
    def weather(city: str, days: int = 1, *, unit: Unit = Unit.CELSIUS) -> None: ...

    schema = Signature(weather).parameters
    assert schema["type"] == "object"
    assert schema["required"] == ["city"]
    assert schema["additionalProperties"] is False
    properties: Any = schema["properties"]
    assert properties["city"] == {"type": "string"}
    assert properties["days"] == {"type": "integer", "default": 1}
    assert properties["unit"] == {"$ref": "#/$defs/Unit", "default": "celsius"}
    definitions: Any = schema["$defs"]
    assert definitions["Unit"] == {"type": "string", "enum": ["celsius", "kelvin"]}


def test_a_function_without_parameters_has_an_empty_object() -> None:
    def now() -> None: ...

    assert Signature(now).parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_description_in_the_annotation_is_kept() -> None:
    def look(place: Annotated[str, Field(description="where to look")]) -> None: ...

    properties: Any = Signature(look).parameters["properties"]
    assert properties["place"] == {"type": "string", "description": "where to look"}


def test_a_parameter_called_title_is_no_invented_title() -> None:
    def visit(place: Place, title: str = "title") -> None: ...

    schema: Any = Signature(visit).parameters
    assert schema["properties"]["title"] == {"type": "string", "default": "title"}
    assert set(schema["$defs"]["Place"]["properties"]) == {"title", "height"}


def test_a_default_that_is_an_object_is_left_alone() -> None:
    def save(value: dict[str, Any] | None = None, where: list[str | int] | None = None) -> None: ...

    schema: Any = Signature(save).parameters
    assert schema["properties"]["where"]["anyOf"][0] == {
        "type": "array",
        "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    }


@pytest.mark.parametrize("name", ["copy", "json", "schema", "model_config", "model_fields", "self_"])
def test_a_parameter_may_be_called_like_a_method_of_a_model(name: str) -> None:
    space: dict[str, Any] = {}
    exec(f"def call({name}: int): return {name}", space)
    signature = Signature(space["call"])
    assert signature.bind({name: "4"}) == {name: 4}


def test_arguments_are_converted_to_the_annotated_types() -> None:
    def mark(point: Point, place: Place, kind: Literal["a", "b"], unit: Unit) -> None: ...

    bound = Signature(mark).bind(
        {"point": {"x": 1, "y": 2}, "place": {"title": "top"}, "kind": "a", "unit": "kelvin"}
    )
    assert bound == {"point": Point(1, 2), "place": Place(title="top"), "kind": "a", "unit": Unit.KELVIN}


def test_an_omitted_argument_is_left_to_the_function() -> None:
    def weather(city: str, days: int = 1) -> None: ...

    assert Signature(weather).bind({"city": "Paris"}) == {"city": "Paris"}


def test_a_function_with_open_keywords_takes_any() -> None:
    def log(level: str, **fields: object) -> None: ...

    signature = Signature(log)
    assert signature.parameters["additionalProperties"] is True
    assert signature.bind({"level": "info", "user": 3}) == {"level": "info", "user": 3}


def test_every_fault_of_the_arguments_is_named() -> None:
    def weather(city: str, days: int = 1) -> None: ...

    with pytest.raises(InvalidArguments) as caught:
        Signature(weather).bind({"days": "many", "town": "Paris"})
    text = str(caught.value)
    assert "city: Field required" in text
    assert "days: Input should be a valid integer" in text
    assert "town: Extra inputs are not permitted" in text


def test_an_unannotated_parameter_takes_anything() -> None:
    def echo(value):  # type: ignore[no-untyped-def]
        return value

    assert Signature(echo).bind({"value": [1, {"a": None}]}) == {"value": [1, {"a": None}]}


def _takes_a_thread(thread: threading.Thread) -> None: ...


def _takes_the_unknown(value: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("function", [_takes_a_thread, _takes_the_unknown])
def test_a_parameter_that_json_has_no_type_for_is_refused_with_the_remedy(
    function: Callable[..., object],
) -> None:
    with pytest.raises(InvalidOption, match=rf"{function.__name__}.* give their JSON Schema as parameters="):
        Signature(function)


def _takes_places(first: int, /, second: int) -> None: ...


def _takes_any_number(*values: int) -> None: ...


@pytest.mark.parametrize(("function", "names"), [(_takes_places, "first"), (_takes_any_number, "values")])
def test_a_parameter_that_cannot_be_given_by_name_is_refused(
    function: Callable[..., object], names: str
) -> None:
    with pytest.raises(InvalidOption, match=f"The parameters {names} of .* cannot be given by name"):
        Signature(function)


def test_a_function_that_does_not_tell_its_parameters_is_refused_with_the_remedy() -> None:
    with pytest.raises(InvalidOption, match="give their JSON Schema as parameters="):
        Signature(max)


def test_a_default_that_json_cannot_hold_is_refused() -> None:
    def wait(seconds: float = float("inf")) -> None: ...

    with pytest.raises(InvalidOption, match="cannot be sent"):
        Signature(wait)
