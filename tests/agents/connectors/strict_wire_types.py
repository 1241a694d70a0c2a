"""The official clients' parameter types as strict validators: no unknown field, no coercion, no lazy list."""

import functools
import operator
import types
import typing
from collections.abc import Iterable
from typing import Any, Literal, Union, get_args, get_origin

import typing_extensions
from anthropic.types import MessageParam, TextBlockParam, ToolParam
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
from openai.types.responses import FunctionToolParam, ResponseInputItemParam
from pydantic import ConfigDict, TypeAdapter

_REQUIRED: tuple[Any, ...] = (typing_extensions.Required, typing.Required)
_WRAPPERS: tuple[Any, ...] = (*_REQUIRED, typing_extensions.NotRequired, typing.NotRequired, typing.Annotated)
_NOTHING: Any = Literal["what no JSON is"]
_PLAIN: set[Any] = {str, int, float, bool, type(None), object, Any}


def _tighten(annotation: Any, known: dict[Any, Any]) -> Any:
    """Return the annotation with strict TypedDicts and real lists, and nothing that JSON cannot be."""
    origin: Any = get_origin(annotation)
    arguments = get_args(annotation)
    if typing_extensions.is_typeddict(annotation):
        return known[annotation] if annotation in known else _tighten_dict(annotation, known)
    if origin in {Union, types.UnionType}:
        return functools.reduce(operator.or_, (_tighten(member, known) for member in arguments))
    if origin in _WRAPPERS:
        return _tighten(arguments[0], known)
    if origin in {list, Iterable} or getattr(origin, "__name__", "") == "SequenceNotStr":
        return list[_tighten(arguments[0], known)]  # type: ignore[misc]
    # Anything else is a model of a reply, an open file or a path, which the clients accept beside JSON.
    return annotation if origin in {Literal, dict} or annotation in _PLAIN else _NOTHING


def _tighten_dict(annotation: Any, known: dict[Any, Any]) -> Any:
    # A type that contains itself is checked on its outer level.
    known[annotation] = dict[str, object]
    fields: dict[str, Any] = {}
    for name, hint in typing_extensions.get_type_hints(annotation, include_extras=True).items():
        inner = _tighten(hint, known)
        is_required = get_origin(hint) in _REQUIRED
        fields[name] = (
            typing_extensions.Required[inner] if is_required else typing_extensions.NotRequired[inner]
        )
    given = getattr(annotation, "__pydantic_config__", {})
    strict: Any = typing_extensions.TypedDict(annotation.__name__, fields)  # type: ignore[misc]
    config = ConfigDict(strict=True, extra=given.get("extra", "forbid"))
    setattr(strict, "__pydantic_config__", config)  # noqa: B010 (no declared attribute of a TypedDict)
    known[annotation] = strict
    return strict


@functools.cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(_tighten(annotation, {}))


def check_chat(body: dict[str, Any]) -> None:
    """Raise unless the OpenAI client's types accept messages and tools of a Chat request."""
    _adapter(list[ChatCompletionMessageParam]).validate_python(body["messages"])
    _adapter(list[ChatCompletionFunctionToolParam]).validate_python(body.get("tools", []))
    assert set(body) <= {"messages", "tools"}


def check_responses(body: dict[str, Any]) -> None:
    """Raise unless the OpenAI client's types accept input and tools of a Responses request."""
    _adapter(list[ResponseInputItemParam]).validate_python(body["input"])
    _adapter(list[FunctionToolParam]).validate_python(body.get("tools", []))
    assert set(body) <= {"input", "tools"}


def check_anthropic(body: dict[str, Any]) -> None:
    """Raise unless the Anthropic client's types accept system, messages and tools of a request."""
    _adapter(list[MessageParam]).validate_python(body["messages"])
    _adapter(list[TextBlockParam]).validate_python(body.get("system", []))
    _adapter(list[ToolParam]).validate_python(body.get("tools", []))
    assert set(body) <= {"messages", "system", "tools"}
