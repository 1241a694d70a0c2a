"""A tool: a function with the name, description and parameters that the model sees."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypedDict, overload

from agents.context import json_values
from agents.context.errors import InvalidOption
from agents.context.kinds import FLAG, FUNCTION, TEXT, Kind, check_kinds, maybe, one_of, shown, whole
from agents.context.tool_schema import Signature, checked_schema

if TYPE_CHECKING:
    from agents.context.json_values import JSON

_SHOWN_ARGUMENT_CHARACTERS = 80
# The names that every provider accepts.
_NAME = re.compile("[a-zA-Z0-9_-]{1,64}")


def _is_text_or_function(value: object) -> bool:
    return isinstance(value, str) or callable(value)


_KINDS = {
    "function": Kind("a function", lambda value: callable(value) and not isinstance(value, type)),
    "description_source": Kind("a text, or a function that gives one", _is_text_or_function),
    "call_description": maybe(FUNCTION),
    "timeout_ms": maybe(whole(0)),
    "priority": whole(-(2**31)),
    "namespace": TEXT,
    "parallel": FLAG,
    "permission": one_of("always", "ask"),
    "risk": one_of("low", "medium", "high"),
}

Text = str | Callable[[], str]
"""A text, or a function that gives it anew at every model call."""
Schema = dict[str, "JSON"]


class ToolCallState(StrEnum):
    """How far a tool call has come."""

    PENDING = "pending"
    EXECUTING = "executing"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"


class ToolDefinition(TypedDict):
    """A tool as it is sent to a provider."""

    type: Literal["function"]
    name: str
    description: str
    parameters: Schema


@dataclass(eq=False)
class Tool:
    """A function that the model may call.

    Attributes:
        name: what the model calls it; providers take up to 64 letters, digits, ``_`` and ``-``.
        function: gets the arguments by name; sync or async.
        description_source: the description or a function that gives it at every model call.
        parameters_source: JSON Schema of the arguments, a function that gives it at every model call, or
            None to take it from the function's signature. Given a schema, arguments are passed unchecked.
        call_description: turns arguments into a short line for people; None shows name and arguments.
        timeout_ms: None takes the manager's limit, 0 is no limit.
        priority: the higher, the earlier in the list sent to the model.
        namespace: groups tools that come and go together.
        parallel: may run at the same time as other tools of one reply.
        permission: ``always`` runs without asking a person; with any other a person is asked.
        risk: shown to the person who is asked.
    """

    name: str
    function: Callable[..., object]
    description_source: Text
    parameters_source: Schema | Callable[[], Schema] | None = None
    call_description: Callable[[dict[str, JSON]], str] | None = None
    timeout_ms: int | None = None
    priority: int = 0
    namespace: str = "default"
    parallel: bool = False
    permission: Literal["always", "ask"] = "always"
    risk: Literal["low", "medium", "high"] = "low"
    _signature: Signature | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        """Check what was given and learn the signature.

        Raises:
            InvalidOption: for a name that providers refuse, for a value that is none of those there are, and
                for parameters that cannot be given by name or described.
        """
        _check_name(self.name)
        check_kinds(vars(self), _KINDS)
        if self.parameters_source is None:
            self._signature = Signature(self.function)
        elif not callable(self.parameters_source):
            self.parameters_source = checked_schema(self.parameters_source)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Call the function itself, as if it had not been made a tool."""
        return self.function(*args, **kwargs)

    @property
    def description(self) -> str:
        """The description as it would be sent now."""
        source = self.description_source
        return source if isinstance(source, str) else source()

    @property
    def parameters(self) -> Schema:
        """The JSON Schema of the arguments as it would be sent now."""
        if self._signature is not None:
            return self._signature.parameters
        source = self.parameters_source
        return source() if callable(source) else source or {}

    def bind(self, arguments: dict[str, JSON]) -> dict[str, object]:
        """Return the keyword arguments for the function.

        Raises:
            InvalidArguments: when they do not match the function's signature.
        """
        if self._signature is None:
            return dict(arguments)
        return self._signature.bind(arguments)

    def describe_call(self, arguments: dict[str, JSON]) -> str:
        """Return one short line for people that says what a call does."""
        if self.call_description is not None:
            return self.call_description(arguments)
        shown = ", ".join(f"{name}={_shorten(value)}" for name, value in arguments.items())
        return f"{self.name}({shown})"


@overload
def tool(function: Callable[..., object], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: Text | None = None,
    parameters: Schema | Callable[[], Schema] | None = None,
    timeout_ms: int | None = None,
    parallel: bool = False,
    permission: Literal["always", "ask"] = "always",
    risk: Literal["low", "medium", "high"] = "low",
    namespace: str = "default",
) -> Callable[[Callable[..., object]], Tool]: ...
def tool(
    function: Callable[..., object] | None = None,
    /,
    *,
    name: str | None = None,
    description: Text | None = None,
    parameters: Schema | Callable[[], Schema] | None = None,
    timeout_ms: int | None = None,
    parallel: bool = False,
    permission: Literal["always", "ask"] = "always",
    risk: Literal["low", "medium", "high"] = "low",
    namespace: str = "default",
) -> Tool | Callable[[Callable[..., object]], Tool]:
    """Return the function as a tool: named after it, described by its docstring, typed by its signature.

    ``Annotated[str, Field(description=…)]`` describes a single parameter.

    Raises:
        InvalidOption: for a name that providers refuse, for a value that is none of those there are, and for
            a schema that is none of an object.
    """

    def make(target: Callable[..., object]) -> Tool:
        return Tool(
            name=name or str(getattr(target, "__name__", "")),
            function=target,
            description_source=description or inspect.getdoc(target) or "",
            parameters_source=parameters,
            timeout_ms=timeout_ms,
            parallel=parallel,
            permission=permission,
            risk=risk,
            namespace=namespace,
        )

    return make if function is None else make(function)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidOption(
            f"The tool name {shown(name)} is refused by providers; use 1 to 64 of the characters "
            "a-z, A-Z, 0-9, _ and -, or give one with @tool(name=…)."
        )


def _shorten(value: JSON) -> str:
    if isinstance(value, list):
        return f"[{len(value)} items]"
    if isinstance(value, dict):
        return "{...}"
    text = json_values.shown(value)
    if len(text) <= _SHOWN_ARGUMENT_CHARACTERS:
        return text
    return f"{text[: _SHOWN_ARGUMENT_CHARACTERS - 1]}…"
