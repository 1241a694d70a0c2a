"""What a tool definition must be, whichever way a format wraps it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from agents.connectors.rules.faults import Fault, Faults, fields

_NAME = re.compile(r"[A-Za-z0-9_-]+")
MAX_NAME_LENGTH = 64


def tool_name(place: str, value: object, max_length: int = MAX_NAME_LENGTH) -> Faults:
    """Yield a fault for a name that is not made of letters, digits, `_` and `-`, or is too long."""
    if not isinstance(value, str) or not _NAME.fullmatch(value) or len(value) > max_length:
        yield Fault(place, f"a tool's name is 1 to {max_length} letters, digits, _ and -")


def definitions(place: str, tools: object, unwrap: Callable[[str, Any], Faults], schema_field: str) -> Faults:
    """Yield the faults of a body's tools.

    Args:
        place: of the list.
        tools: the list.
        unwrap: yields the faults of what stands around name and schema.
        schema_field: name of the field with the parameters' schema.
    """
    if not isinstance(tools, list) or not tools:
        yield Fault(place, "must be a list with at least one tool, or be left out")
        return
    seen: set[object] = set()
    for number, tool in enumerate(tools):
        here = f"{place}[{number}]"
        if not isinstance(tool, dict):
            yield Fault(here, f"a tool is an object, not {type(tool).__name__}")
            continue
        yield from unwrap(here, tool)
        inner = f"{here}.function" if "function" in tool else here
        yield from _definition(inner, tool.get("function", tool), schema_field, seen)


def _definition(place: str, tool: Any, schema_field: str, seen: set[object]) -> Faults:
    if not isinstance(tool, dict):
        yield Fault(place, f"must be an object, not {type(tool).__name__}")
        return
    name = tool.get("name")
    yield from tool_name(f"{place}.name", name)
    if isinstance(name, str):
        if name in seen:
            yield Fault(f"{place}.name", f"two tools are named {name!r}")
        seen.add(name)
    if not isinstance(tool.get("description", ""), str):
        yield Fault(f"{place}.description", "must be a text")
    schema = tool.get(schema_field)
    here = f"{place}.{schema_field}"
    if not isinstance(schema, dict):
        yield Fault(here, "must be a JSON schema")
    elif schema.get("type") != "object":
        yield Fault(here, "the schema of a tool's parameters has the type object")
    elif not isinstance(schema.get("properties", {}), dict):
        yield Fault(f"{here}.properties", "must be an object")


def wrapped_function(place: str, tool: dict[str, Any]) -> Faults:
    """Yield the faults of the object that Chat puts around a definition."""
    yield from fields(place, tool, ("type", "function"))
    if tool.get("type") != "function":
        yield Fault(f"{place}.type", "must be function")
