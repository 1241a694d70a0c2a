"""The JSON Schema of a Python function's parameters, and the check of arguments against it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError, create_model

from agents.context import json_values
from agents.context.errors import InvalidArguments, InvalidOption
from agents.context.kinds import shown

if TYPE_CHECKING:
    from agents.context.json_values import JSON

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_UNNAMED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)


def checked_schema(schema: object) -> dict[str, JSON]:
    """Return a JSON Schema of arguments that does not change; see ``schema_of_object``.

    Raises:
        InvalidOption: for what JSON cannot hold, and for a schema of anything but an object.
    """
    checked = schema_of_object(schema)
    try:
        # Characters that cannot be stored are replaced where the schema is sent.
        json_values.check(json_values.repair(cast("JSON", checked)), "parameters")
    except (json_values.InvalidJSON, TypeError) as fault:
        raise InvalidOption(f"The JSON Schema of the parameters cannot be sent. {fault}.") from fault
    return checked


def schema_of_object(schema: object) -> dict[str, JSON]:
    """Return the JSON Schema of an object; one that names no type gets this one.

    Raises:
        InvalidOption: for a schema of anything else.
    """
    if not isinstance(schema, dict):
        raise InvalidOption(f"parameters is a JSON Schema as a dict, not {shown(schema)}.")
    if schema.get("type", "object") != "object":
        raise InvalidOption(
            f"The JSON Schema of parameters has the type object, not {shown(schema['type'])}."
        )
    if not isinstance(schema.get("properties", {}), dict):
        raise InvalidOption("The properties of the JSON Schema of parameters are a dict of schemas by name.")
    return schema if "type" in schema else {"type": "object", **schema}


class Signature:
    """What a function accepts by name.

    Attributes:
        parameters: JSON Schema object; closed unless the function takes ``**kwargs``.

    Raises:
        InvalidOption: when the parameters cannot be given by name, or their annotations have no JSON Schema.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        try:
            self._model = _model_of(function)
            schema = self._model.model_json_schema(by_alias=True)
        except InvalidOption:
            raise
        except (PydanticUserError, NameError, TypeError, ValueError) as fault:
            why = str(fault).partition("\n")[0]
            raise InvalidOption(
                f"The parameters of {function!r} cannot be described to a model: {why} Annotate them with "
                "types that JSON has, or give their JSON Schema as parameters=…."
            ) from fault
        self.parameters: dict[str, JSON] = _without_titles(schema)
        self.parameters.setdefault("properties", {})
        checked_schema(self.parameters)

    def bind(self, arguments: dict[str, JSON]) -> dict[str, object]:
        """Return keyword arguments converted to the annotated types; omitted ones are left out.

        Raises:
            InvalidArguments: naming every argument that is missing, unknown or of the wrong type.
        """
        try:
            checked = self._model.model_validate(arguments)
        except ValidationError as fault:
            raise InvalidArguments(_explain(fault)) from None
        given = {
            field.alias or "": getattr(checked, name)
            for name, field in type(checked).model_fields.items()
            if name in checked.model_fields_set
        }
        return given | (checked.model_extra or {})


def _model_of(function: Callable[..., object]) -> type[BaseModel]:
    named = inspect.signature(function).parameters.values()
    unnamed = [each.name for each in named if each.kind in _UNNAMED]
    if unnamed:
        raise InvalidOption(
            f"The parameters {', '.join(unnamed)} of {function!r} cannot be given by name, as models give "
            "arguments. Make them plain parameters, or wrap the function in one that has only such."
        )
    hints = get_type_hints(_annotated(function), include_extras=True)
    # The fields get names of our own, so that a parameter may be called like a method of BaseModel.
    fields: dict[str, Any] = {
        f"p{place}": (hints.get(each.name, Any), Field(alias=each.name, default=_default(each)))
        for place, each in enumerate(named)
        if each.kind in _NAMED
    }
    is_open = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in named)
    config = ConfigDict(extra="allow" if is_open else "forbid", arbitrary_types_allowed=False)
    return create_model("Arguments", __config__=config, **fields)


def _annotated(function: Callable[..., object]) -> Callable[..., object]:
    """Return what holds the annotations of a function, a partial or an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if inspect.isroutine(function) else type(function).__call__


def _default(parameter: inspect.Parameter) -> Any:
    return ... if parameter.default is inspect.Parameter.empty else parameter.default


def _without_titles(schema: dict[str, Any]) -> dict[str, JSON]:
    """Return the schema without the titles that pydantic invents; properties called ``title`` stay."""
    plain: dict[str, JSON] = {}
    for key, value in schema.items():
        if key == "title":
            continue
        if key in {"properties", "$defs"}:
            plain[key] = {name: _without_titles(each) for name, each in value.items()}
        elif isinstance(value, dict) and key != "default":
            plain[key] = _without_titles(value)
        elif isinstance(value, list):
            plain[key] = [_without_titles(each) if isinstance(each, dict) else each for each in value]
        else:
            plain[key] = value
    return plain


def _explain(fault: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(step) for step in each['loc'])}: {each['msg']}"
        for each in fault.errors(include_url=False, include_context=False, include_input=False)
    ]
    return f"Invalid arguments. {'; '.join(problems)}"
