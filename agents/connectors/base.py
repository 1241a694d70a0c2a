"""What a model connector is asked and what it answers; every provider and every script speaks this."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Item = Mapping[str, Any]


@dataclass(frozen=True)
class ModelRequest:
    """One call of a model.

    Attributes:
        input: prepared items in wire form, the system message first; read-only.
        tools: definitions of the enabled tools (name, description, parameters).
        model: the model's name without its provider.
        settings: provider settings such as ``temperature``.
    """

    input: Sequence[Item]
    tools: Sequence[Mapping[str, Any]]
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TextDelta:
    """More text of the answer."""

    text: str


@dataclass(frozen=True)
class ThinkingDelta:
    """More of the model's thinking."""

    text: str


@dataclass(frozen=True)
class ToolCallStarted:
    """The model began to call a tool; its arguments are not complete yet."""

    id: str
    name: str


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider counts them; None where it says nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True)
class Done:
    """The last event: the whole reply as output items in wire form, ready for the context."""

    output: Sequence[Item]
    usage: Usage = Usage()


ModelEvent = TextDelta | ThinkingDelta | ToolCallStarted | Done


class ConnectorError(Exception):
    """The model could not be asked or did not answer; the text says what to do about it."""


class Connector(Protocol):
    """Answers requests. One connector may serve many turns at once, so it keeps no state of a turn."""

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Yield the reply as it arrives, ending with exactly one Done.

        Raises:
            ConnectorError: the provider refused, failed or stayed silent.
        """
        ...
