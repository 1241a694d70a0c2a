"""A connector that answers from a script: for tests, demonstrations and replays."""

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

from agents.connectors.base import (
    ConnectorError,
    Done,
    Item,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ToolCallStarted,
)

Reply = Sequence[Item] | Exception | Callable[[ModelRequest], Sequence[Item]]


class ScriptedConnector:
    """Answers each request with the next reply of its script.

    A reply is a list of output items, an exception to raise, or a function of the request that returns
    items. ``requests`` holds every request received. Used as a context manager, leaving it while replies
    are unused raises AssertionError: a test must play its whole script.
    """

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Yield the next reply.

        Raises:
            ConnectorError: the script has no reply left.
        """
        self.requests.append(request)
        if not self._replies:
            raise ConnectorError("The script has no reply left for this request.")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        yield from replay(reply(request) if callable(reply) else reply)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._replies:
            raise AssertionError(f"{len(self._replies)} scripted replies were never asked for.")


def replay(output: Sequence[Item], *, is_final: bool = False) -> Iterator[ModelEvent]:
    """Yield finished output items as the events a provider would have sent; see ``Done`` for ``is_final``."""
    for item in output:
        for block in item.get("content", ()):
            if block["type"] == "output_text":
                yield TextDelta(block["text"])
            elif block["type"] == "tool_use":
                yield ToolCallStarted(block["id"], block["name"])
    yield Done(output, is_final=is_final)


def say(text: str) -> list[Item]:
    """Return output items of an answer in plain text."""
    return [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]


def call(*calls: tuple[str, str, str], text: str = "") -> list[Item]:
    """Return output items of an assistant message that calls tools: (id, name, arguments as JSON text)."""
    content: list[Item] = [{"type": "output_text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": id_, "name": name, "arguments": arguments}
        for id_, name, arguments in calls
    ]
    return [{"type": "message", "role": "assistant", "content": content}]
