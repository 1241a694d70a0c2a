"""What the survey's model can see in a request: the whiteboard, the newest wish, and the results so far."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.connectors.base import Item, ModelRequest
from agents.context.json_values import JSON, InvalidJSON, decode, pretty

_SECTION = re.compile(r"^# Whiteboard\n\n(?=\*\*)", re.MULTILINE)
# A fence is longer than any run of backticks inside, so the first one that fits closes it.
_BLOCK = re.compile(
    r"\*\*(?P<key>.+?)\*\* \((?:low|normal|high|critical)\): [^\n]*\n"
    r"(?P<fence>`{3,})\n(?P<value>.*?)\n(?P=fence)(?:\n\n|\Z)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Result:
    """One finished tool call of the turn.

    Attributes:
        arguments: as the model sent them, empty when they cannot be read.
        value: the result parsed; the text itself when it is no JSON.
    """

    name: str
    arguments: Mapping[str, JSON]
    value: JSON

    @property
    def failed(self) -> bool:
        """Whether the tool refused or failed."""
        return isinstance(self.value, dict) and self.value.get("success") is False


@dataclass(frozen=True)
class Seen:
    """One request as the survey's model reads it.

    Attributes:
        board: key to the value's text on the whiteboard, as it is printed there.
        wish: text of the newest message of a person.
        results: tool calls answered since then, oldest first.
        is_begun: whether the model answered to that message before.
    """

    board: Mapping[str, str]
    wish: str
    results: tuple[Result, ...]
    is_begun: bool

    def value(self, key: str) -> JSON:
        """Return the value of a key on the board; text that is no JSON stays text; None when not there."""
        text = self.board.get(key)
        return None if text is None else _parsed(text)


def read_request(request: ModelRequest) -> Seen:
    """Return what there is to see."""
    wish, since = _newest_wish(request)
    calls: dict[str, Item] = {}
    results: list[Result] = []
    for item in since:
        for block in item["content"]:
            if block["type"] == "tool_use":
                calls[block["id"]] = block
            elif block["type"] == "tool_result" and block["tool_use_id"] in calls:
                results.append(_result(calls[block["tool_use_id"]], block))
    is_begun = any(item["role"] == "assistant" for item in since)
    return Seen(_board(request), wish, tuple(results), is_begun)


def printed(value: JSON) -> str:
    """Return a value as the whiteboard prints it to the model."""
    return value if isinstance(value, str) else pretty(value)


def _newest_wish(request: ModelRequest) -> tuple[str, list[Item]]:
    """Return the newest text of a person and the items after it; all items when there is no such text."""
    messages = [item for item in request.input if item["type"] == "message" and item["role"] != "developer"]
    for place in range(len(messages) - 1, -1, -1):
        texts = [block["text"] for block in _blocks(messages[place], "input_text")]
        if messages[place]["role"] == "user" and texts:
            return "\n".join(texts), messages[place + 1 :]
    return "", messages


def _board(request: ModelRequest) -> dict[str, str]:
    for item in request.input:
        if item.get("role") != "developer":
            continue
        for block in _blocks(item, "input_text"):
            section = _SECTION.search(block["text"])
            if section:
                return dict(_entries(block["text"], section.end()))
    return {}


def _entries(text: str, place: int) -> Iterator[tuple[str, str]]:
    while match := _BLOCK.match(text, place):
        yield match["key"], match["value"]
        place = match.end()


def _blocks(item: Item, kind: str) -> list[Mapping[str, Any]]:
    return [block for block in item["content"] if block["type"] == kind]


def _result(call: Item, block: Mapping[str, Any]) -> Result:
    arguments = _parsed(call["arguments"])
    return Result(call["name"], arguments if isinstance(arguments, dict) else {}, _parsed(block["content"]))


def _parsed(text: str) -> JSON:
    try:
        return decode(text)
    except InvalidJSON:
        return text
