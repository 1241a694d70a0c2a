"""What a model connector is asked and what it answers; every provider and every script speaks this."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Item = Mapping[str, Any]


@dataclass(frozen=True)
class ModelRequest:
    """One call of a model.

    Attributes:
        input: prepared items in wire form, the system message first; read-only.
        tools: definitions of the enabled tools (name, description, parameters).
        model: the model's name without its provider.
        settings: provider settings such as ``temperature``.
        may_call_tools: when False the model must answer in words. The tools stay in the request, because
            some providers refuse a history with calls whose tools are not defined.
    """

    input: Sequence[Item]
    tools: Sequence[Mapping[str, Any]]
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    may_call_tools: bool = True


@dataclass(frozen=True)
class RequestSent:
    """The request left for the provider; it comes before anything of the answer, once per attempt.

    Attributes:
        body: exactly the bytes that left, without headers.
        attempt: 1 for the first one.
    """

    body: bytes
    attempt: int = 1


@dataclass(frozen=True)
class Retrying:
    """The provider refused for a while and is asked again after ``wait_s`` seconds."""

    reason: str
    wait_s: float


@dataclass(frozen=True)
class Waiting:
    """Nothing arrived for a moment: an occasion to look whether the turn shall stop."""


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
class ToolArgumentsDelta:
    """More of a call's arguments: a piece of JSON text that alone means nothing."""

    id: str
    text: str


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider counts them; None where it says nothing.

    Attributes:
        input_tokens: the whole prompt, cached parts included.
        cached_tokens: the part of the prompt that was read from the provider's cache.
        cache_write_tokens: the part of the prompt that was written to it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


FinishReason = Literal["stop", "tool_call", "length", "content_filter", "error"]


@dataclass(frozen=True)
class Done:
    """The last event: the whole reply as output items in wire form, ready for the context.

    Attributes:
        finish_reason: why the model stopped; ``length`` means that the answer is cut off.
        model: the exact model that answered; empty where the provider does not say.
        is_final: asking again cannot bring more, so an empty reply is not asked for once more.
    """

    output: Sequence[Item]
    usage: Usage = Usage()
    finish_reason: FinishReason = "stop"
    model: str = ""
    is_final: bool = False


ModelEvent = (
    RequestSent | Retrying | Waiting | TextDelta | ThinkingDelta | ToolCallStarted | ToolArgumentsDelta | Done
)
"""What a stream yields; consumers pass over the kinds they have no use for."""


class ConnectorError(Exception):
    """The model could not be asked or did not answer; the text says what to do about it."""


class RequestCancelled(ConnectorError):
    """The stream was closed while somebody waited for its next event."""

    def __init__(self) -> None:
        super().__init__("The request was cancelled before the model had answered.")


class ProviderMismatch(ConnectorError):
    """The history holds what only another provider or account can read (DECISIONS E7).

    Attributes:
        found: provider and account of each foreign item, without repetition.
        asked: who cannot read them.
        count: how many there are.
    """

    def __init__(self, found: Sequence[str], asked: str, count: int = 1) -> None:
        super().__init__(
            f"This conversation holds encrypted reasoning of {', '.join(found)}, which {asked} cannot read. "
            "Go on with the model it began with, or allow the transfer: then this reasoning is dropped."
        )
        self.found = tuple(found)
        self.asked = asked
        self.count = count


class Connector(Protocol):
    """Answers requests. One connector may serve many turns at once, so it keeps no state of a turn."""

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Yield the reply as it arrives, ending with exactly one Done.

        Streams of providers also have ``close()``, which any thread may call: it cancels the request.

        Raises:
            ConnectorError: the provider refused, failed or stayed silent.
        """
        ...
