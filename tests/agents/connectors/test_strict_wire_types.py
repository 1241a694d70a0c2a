"""The validators of these tests refuse what a provider would refuse; otherwise they would prove nothing."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.agents.connectors.strict_wire_types import check_anthropic, check_chat, check_responses

CHAT_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user"},
        {"role": "user", "content": 5},
        {"role": "user", "content": "a", "invented": 1},
        {"role": "user", "content": [{"type": "text"}]},
        {"role": "user", "content": [{"type": "text", "text": "a", "id": "b"}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": "https://a"}]},
        {"role": "tool", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": [{**CHAT_CALL, "function": {"name": "f"}}]},
        {"role": "visitor", "content": "a"},
    ],
)
def test_a_wrong_chat_message_is_refused(message: dict[str, Any]) -> None:
    check_chat({"messages": [{"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}]})
    with pytest.raises(ValidationError):
        check_chat({"messages": [message]})


@pytest.mark.parametrize(
    "part",
    [
        {"type": "function_call", "call_id": "c", "name": "f"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": {}},
        {"type": "function_call_output", "call_id": "c"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": 5}]},
        {"type": "message", "role": "user", "content": [{"type": "text", "text": "a"}]},
        {"type": "reasoning", "id": "r", "encrypted_content": "x"},
        {"type": "compaction", "encrypted_content": "x", "provider": "openai"},
    ],
)
def test_a_wrong_responses_part_is_refused(part: dict[str, Any]) -> None:
    check_responses({"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]})
    with pytest.raises(ValidationError):
        check_responses({"input": [part]})


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text"},
        {"type": "text", "text": "a", "invented": 1},
        {"type": "tool_use", "id": "a", "name": "f", "input": "{}"},
        {"type": "thinking", "thinking": "a"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/svg+xml", "data": "a"}},
        {"type": "tool_result", "content": "a"},
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "thinking", "thinking": "a"}]},
    ],
)
def test_a_wrong_anthropic_block_is_refused(block: dict[str, Any]) -> None:
    check_anthropic({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]})
    with pytest.raises(ValidationError):
        check_anthropic({"messages": [{"role": "user", "content": [block]}]})
