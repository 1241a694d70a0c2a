"""Twenty recorded conversations with tools, through every wire format and back."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.connectors.wire import (
    from_anthropic,
    from_chat,
    from_responses,
    to_anthropic,
    to_chat,
    to_responses,
)
from agents.connectors.wire.parts import unique_calls
from agents.context.messages import InputItem
from tests.agents.connectors.strict_wire_types import check_anthropic, check_chat, check_responses
from tests.agents.connectors.wire_cast import contents

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "conversations"
FILES = sorted(FOLDER.glob("*.json"))

pytestmark = pytest.mark.skipif(not FILES, reason="the recorded conversations are not beside the repository")


def recorded(path: Path) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return messages


def compact(items: Sequence[InputItem]) -> list[tuple[str, Any]]:
    """Return the contents with every call's arguments as values: Anthropic sends objects, not text."""
    return [
        (
            role,
            [
                {**block, "arguments": json.loads(block["arguments"])} if "arguments" in block else block
                for block in blocks
            ],
        )
        for role, blocks in contents(items)
    ]


def test_all_twenty_are_there() -> None:
    assert len(FILES) == 20


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_of_a_recording_is_lost(path: Path) -> None:
    messages = recorded(path)
    items = from_chat(messages)
    blocks = [block for _, content in contents(items) for block in content]
    calls = [call for each in messages for call in each.get("tool_calls") or ()]
    assert [block["id"] for block in blocks if block["type"] == "tool_use"] == [call["id"] for call in calls]
    results = [block["content"] for block in blocks if block["type"] == "tool_result"]
    assert results == [each["content"] for each in messages if each["role"] == "tool"]
    texts = [block["text"] for block in blocks if "text" in block]
    spoken = [each["content"] for each in messages if each["role"] != "tool" and each["content"]]
    assert texts == spoken


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_survives_every_format(path: Path) -> None:
    items = from_chat(recorded(path))

    chat = to_chat(items)
    check_chat(chat)
    assert contents(from_chat(chat["messages"])) == contents(items)

    responses = to_responses(items)
    check_responses(responses)
    assert contents(from_responses(responses["input"])) == contents(items)

    anthropic = to_anthropic(items)
    check_anthropic(anthropic)
    assert compact(from_anthropic(anthropic["messages"], anthropic["system"])) == compact(
        list(unique_calls(items))
    )
