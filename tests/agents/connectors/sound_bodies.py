"""One sound request body of every format, and a small language for breaking it by hand."""

import copy
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]
Break = Callable[[Body], object]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "part": {"maximum": 0.5}}}

CHAT: Body = {
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"},
                },
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                {"type": "file", "file": {"file_id": "file-1"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}},
                {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": ""},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "user", "content": "Go on."},
    ],
    "tools": [
        {"type": "function", "function": {"name": "read", "description": "Read.", "parameters": SCHEMA}}
    ],
}

RESPONSES: Body = {
    "input": [
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "zzz"},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
                {"type": "input_image", "file_id": "file-2"},
                {"type": "input_file", "file_id": "file-1"},
            ],
        },
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "zz",
        },
        {"type": "reasoning", "id": "rs_2", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"path":"a"}'},
        {"type": "function_call", "call_id": "c2", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c2", "output": ""},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "A pixel.", "annotations": []}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "user", "content": "Go on."},
    ],
    "tools": [
        {
            "type": "function",
            "name": "read",
            "description": "Read.",
            "parameters": SCHEMA,
            "strict": False,
        }
    ],
}

ANTHROPIC: Body = {
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
                },
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
                {"type": "document", "source": {"type": "file", "file_id": "file-1"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "", "signature": "sig"},
                {"type": "redacted_thinking", "data": "zz"},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "c2", "name": "read", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c2", "content": [], "is_error": True},
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a"}]},
                {"type": "text", "text": "Go on."},
            ],
        },
        {"role": "assistant", "content": "A pixel."},
        {"role": "user", "content": "Thanks."},
    ],
    "tools": [{"name": "read", "description": "Read.", "input_schema": SCHEMA}],
}


def put(*path_and_value: Any) -> Break:
    """Return a break that sets the value at a path."""
    *path, last, value = path_and_value
    return lambda body: _walk(body, path).__setitem__(last, value)


def drop(*path: Any) -> Break:
    """Return a break that takes out what is at a path."""
    *before, last = path
    return lambda body: _walk(body, before).__delitem__(last)


def insert(*path_and_value: Any) -> Break:
    """Return a break that puts a value into a list, before the place at the end of the path."""
    *path, place, value = path_and_value
    return lambda body: _walk(body, path).insert(place, value)


def swap(*path_and_places: Any) -> Break:
    """Return a break that exchanges two places of a list."""
    *path, first, second = path_and_places

    def exchange(body: Body) -> None:
        held = _walk(body, path)
        held[first], held[second] = held[second], held[first]

    return exchange


def broken(body: Body, *breaks: Break) -> Body:
    """Return a copy of the body with the breaks made in it."""
    copied = copy.deepcopy(body)
    for each in breaks:
        each(copied)
    return copied


def _walk(body: Any, path: list[Any]) -> Any:
    for step in path:
        body = body[step]
    return body
