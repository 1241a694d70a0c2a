"""The tools of one context: which exist, which are on, and how a call of the model is carried out."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

from agents.context import json_values
from agents.context.background import Watch, call_bounded
from agents.context.errors import (
    CallSuspended,
    ContextError,
    InvalidArguments,
    InvalidOption,
    ToolDisabled,
    ToolNotFound,
    ToolTimeout,
    TurnAborted,
    words_of,
)
from agents.context.isolation import contain
from agents.context.kinds import TEXT, check_kind, whole
from agents.context.stores import STORE_TOOLS
from agents.context.tokens import count_recurring
from agents.context.tool_schema import schema_of_object
from agents.context.tools import Tool, ToolDefinition, tool

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.tokens import TokenEstimator
    from agents.context.tools import Schema

logger = logging.getLogger(__name__)

# Source: spec 5.7. What a provider adds around each definition, and around the list once.
_DEFINITION_OVERHEAD = 10
_LIST_OVERHEAD = 20
_KEPT_SCHEMAS = 256


# Spelled here because ``list`` is a method of the manager.
Names: TypeAlias = list[str]
Tools: TypeAlias = list[Tool]
Definitions: TypeAlias = list[ToolDefinition]


@dataclass
class _Slot:
    tool: Tool
    enabled: bool = True
    calls: int = 0


class ToolManager:
    """Registered tools by name; the same object serves an agent and its context.

    Args:
        timeout_ms: limit for tools without their own; 0 is no limit.

    Raises:
        InvalidOption: for a limit that is none.
    """

    def __init__(self, *, timeout_ms: int = 0) -> None:
        check_kind("tool_timeout_ms", timeout_ms, whole(0))
        self.timeout_ms = timeout_ms
        self._slots: dict[str, _Slot] = {}
        self._sent: dict[str, tuple[ToolDefinition, str]] = {}
        self._counted: dict[str, tuple[ToolDefinition, int]] = {}

    def register(self, candidate: Tool | Callable[..., object], *, enabled: bool = True) -> Tool:
        """Return the tool now registered under its name; a plain function becomes one.

        Registering a name again replaces the function and keeps whether it is enabled.

        Raises:
            InvalidOption: see ``as_tool``.
        """
        ready = as_tool(candidate)
        known = self._slots.get(ready.name)
        if known is None:
            self._slots[ready.name] = _Slot(ready, enabled)
        else:
            known.tool = ready
        return ready

    def unregister(self, name: str) -> bool:
        """Return whether there was such a tool to remove."""
        return self._slots.pop(name, None) is not None

    def get(self, name: str) -> Tool | None:
        """Return the tool, enabled or not."""
        slot = self._slots.get(name)
        return slot.tool if slot else None

    def has(self, name: str) -> bool:
        """Tell whether the tool is registered, enabled or not."""
        return name in self._slots

    def list(self, namespace: str | None = None) -> Names:
        """Return all names in order of registration, of one namespace when given."""
        return [name for name, slot in self._slots.items() if namespace in {None, slot.tool.namespace}]

    def list_enabled(self) -> Names:
        """Return the names of the tools the model may call."""
        return [name for name, slot in self._slots.items() if slot.enabled]

    def get_enabled(self) -> Tools:
        """Return the enabled tools, highest priority first."""
        enabled = [slot.tool for slot in self._slots.values() if slot.enabled]
        return sorted(enabled, key=lambda each: -each.priority)

    def is_enabled(self, name: str) -> bool:
        """Tell whether the tool exists and is on."""
        slot = self._slots.get(name)
        return slot is not None and slot.enabled

    def enable(self, name: str) -> bool:
        """Return whether there is such a tool; it is on now."""
        return self._switch(name, enabled=True)

    def disable(self, name: str) -> bool:
        """Return whether there is such a tool; it is off now."""
        return self._switch(name, enabled=False)

    def toggle(self, name: str) -> bool:
        """Return whether the tool is on after the change; False when there is none."""
        return self._switch(name, enabled=not self.is_enabled(name)) and self.is_enabled(name)

    def set_enabled(self, names: Iterable[str], enabled: bool) -> None:
        """Switch several tools; unknown names are passed over."""
        for name in names:
            self._switch(name, enabled=enabled)

    def call_count(self, name: str) -> int:
        """Return how often the tool was executed."""
        slot = self._slots.get(name)
        return slot.calls if slot else 0

    def definitions(self) -> Definitions:
        """Return what is sent to the model now: enabled tools with their texts of this moment; read-only.

        A tool whose description or schema cannot be made, or sent, is left out this time with a warning.
        """
        described = (
            contain(f"Describing tool {each.name}", partial(self._definition, each)).value
            for each in self.get_enabled()
        )
        return [each for each in described if each is not None]

    def count_tokens(self, estimator: TokenEstimator, definitions: Definitions | None = None) -> int:
        """Return the tokens of the definitions, by default those of now; only changed ones are encoded."""
        sent = self.definitions() if definitions is None else definitions
        overhead = _LIST_OVERHEAD if sent else 0
        return sum(self._count(each, estimator) + _DEFINITION_OVERHEAD for each in sent) + overhead

    def execute(self, name: str, arguments: Mapping[str, JSON], watch: Watch | None = None) -> JSON:
        """Return the tool's result in JSON types, or ``{success: False, error, errorType, toolName}``.

        While an async tool, or one with a limit of time, runs, ``watch`` may leave it behind with
        ``TurnAborted``; a plain function on the calling thread cannot be left. Whatever the model or the tool
        did wrong becomes such a result. Only ``TurnAborted`` is raised, and
        ``CallSuspended`` by a tool that waits.
        """
        try:
            result = self._run(name, arguments, watch)
        except (TurnAborted, CallSuspended):
            raise
        except ContextError as refusal:
            return _failure(name, refusal)
        except ValueError as refusal:
            # So a tool says that it cannot do this with these arguments; where it came from is for debugging.
            stack = logger.isEnabledFor(logging.DEBUG)
            logger.info("Tool %s refused: %s", name, words_of(refusal), exc_info=stack)
            return _failure(name, refusal)
        except Exception as failure:
            logger.exception("Tool %s failed", name)
            return _failure(name, failure)
        if result is None:
            return _failure(name, ValueError(f'Tool "{name}" returned no result.'))
        return result

    def _run(self, name: str, arguments: object, watch: Watch | None) -> JSON:
        slot = self._slots.get(name)
        if slot is None:
            raise ToolNotFound(name, tuple(self.list_enabled()))
        if not slot.enabled:
            raise ToolDisabled(name)
        if not isinstance(arguments, Mapping):
            given = type(arguments).__name__
            raise InvalidArguments(f"Arguments are an object with the parameters by name, not {given}.")
        bound = slot.tool.bind(dict(arguments))
        slot.calls += 1
        limit_ms = self.timeout_ms if slot.tool.timeout_ms is None else slot.tool.timeout_ms
        try:
            limit_s = limit_ms / 1000 if limit_ms else None
            result = call_bounded(partial(slot.tool.function, **bound), limit_s, watch)
        except TimeoutError as late:
            if not limit_ms:
                raise
            raise ToolTimeout(name, limit_ms) from late
        return _as_json(result)

    def _definition(self, described: Tool) -> ToolDefinition:
        """Return the definition without what cannot be stored; the same object while nothing changes."""
        given = ToolDefinition(
            type="function",
            name=described.name,
            description=described.description,
            parameters=described.parameters,
        )
        sent = self._sent.get(described.name)
        if sent is None or sent[0] != given:
            sent = _sendable(given)
            self._sent[described.name] = sent
        return sent[0]

    def _count(self, definition: ToolDefinition, estimator: TokenEstimator) -> int:
        name = definition["name"]
        known, tokens = self._counted.get(name, (None, 0))
        if known != definition:
            sent = self._sent.get(name)
            schema = (
                sent[1] if sent and sent[0] is definition else json_values.compact(definition["parameters"])
            )
            texts = (name, definition["description"], schema)
            tokens = sum(count_recurring(text, estimator) for text in texts)
            self._counted[name] = (definition, tokens)
        return tokens

    def _switch(self, name: str, *, enabled: bool) -> bool:
        slot = self._slots.get(name)
        if slot is None:
            return False
        slot.enabled = enabled
        return True


def as_tool(candidate: Tool | Callable[..., object]) -> Tool:
    """Return the tool; a plain function becomes one.

    Raises:
        InvalidOption: for what is no function, for a function that cannot be a tool, and for another tool
            under the name of one that reaches the stores.
    """
    if not callable(candidate):
        raise InvalidOption(f"A tool is a function or a Tool, not {type(candidate).__name__}.")
    ready = candidate if isinstance(candidate, Tool) else tool(candidate)
    if ready.name in STORE_TOOLS and ready.namespace != "store":
        raise InvalidOption(
            f'"{ready.name}" reaches the whiteboard and the other stores; give this tool another name.'
        )
    return ready


def _sendable(given: ToolDefinition) -> tuple[ToolDefinition, str]:
    """Return the definition without what cannot be stored, and its parameters as they are counted.

    Raises:
        ValueError: for a description that is no text, and for parameters that are not the JSON Schema of an
            object.
    """
    check_kind(f"The description of {given['name']}", given["description"], TEXT)
    parameters = given["parameters"]
    sent, text = _read(json_values.fingerprint(parameters))
    # Others hold the object that was kept, and one of them may have changed it.
    if sent != parameters:
        sent = json_values.decode(text)
    name, description = map(json_values.repair_text, (given["name"], given["description"]))
    return {**given, "name": name, "description": description, "parameters": cast("Schema", sent)}, text


@functools.lru_cache(maxsize=_KEPT_SCHEMAS)
def _read(parameters: bytes) -> tuple[JSON, str]:
    """Return parameters by their fingerprint, without what cannot be stored, and the text of that.

    Kept, because most contexts have the same tools.
    """
    given: JSON = schema_of_object(json_values.from_fingerprint(parameters))
    text = json_values.compact(given)
    if not json_values.is_sound(text):
        text = json_values.compact(json_values.repair(given))
    return json_values.decode(text), text


def _as_json(result: object) -> JSON:
    try:
        plain: JSON = to_jsonable_python(result, inf_nan_mode="constants")
    except PydanticSerializationError as fault:
        raise TypeError(f"The result cannot be written as JSON: {fault}") from fault
    repaired = json_values.repair(plain)
    json_values.encode(repaired)
    return repaired


def _failure(name: str, failure: Exception) -> JSON:
    return {
        "success": False,
        "error": json_values.repair_text(words_of(failure)),
        "errorType": type(failure).__name__,
        "toolName": name,
    }
