"""Checks a request body before it leaves, independently of what built it: a fault is our bug."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from agents.connectors.rules.anthropic import anthropic_faults
from agents.connectors.rules.chat import chat_faults
from agents.connectors.rules.faults import Fault, Faults
from agents.connectors.rules.responses import responses_faults

__all__ = [
    "Fault",
    "InvalidBody",
    "WireFormat",
    "check_body",
    "faults_of",
]

WireFormat = Literal["chat", "responses", "anthropic"]

_MAX_SHOWN = 5
_RULES: dict[WireFormat, Callable[[Any], Faults]] = {
    "chat": chat_faults,
    "responses": responses_faults,
    "anthropic": anthropic_faults,
}


class InvalidBody(ValueError):
    """A request body breaks its provider's rules and was not sent; report it as a bug of ours.

    Attributes:
        wire_format: whose rules.
        faults: all of them, in the order of the body.
    """

    def __init__(self, wire_format: WireFormat, faults: Sequence[Fault]) -> None:
        shown = "; ".join(map(str, faults[:_MAX_SHOWN]))
        more = f"; and {len(faults) - _MAX_SHOWN} more" if len(faults) > _MAX_SHOWN else ""
        super().__init__(f"The prompt breaks the {wire_format} format: {shown}{more}.")
        self.wire_format = wire_format
        self.faults = tuple(faults)


def faults_of(body: object, wire_format: WireFormat) -> list[Fault]:
    """Return everything in the body that the provider would refuse, each with its place and rule.

    Looks at messages, system and tools; other fields of the request are the connector's own.

    Raises:
        ValueError: for a format that there is not.
    """
    if wire_format not in _RULES:
        raise ValueError(f"wire_format is one of {', '.join(_RULES)}, not {wire_format!r}.")
    return list(_RULES[wire_format](body))


def check_body(body: object, wire_format: WireFormat) -> None:
    """Return for a sound body.

    Raises:
        InvalidBody: naming the faults.
    """
    faults = faults_of(body, wire_format)
    if faults:
        raise InvalidBody(wire_format, faults)
