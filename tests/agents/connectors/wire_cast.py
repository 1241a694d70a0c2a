"""The cast of the wire tests: a conversation with everything in it, and short ways to spell items."""

from collections.abc import Sequence
from typing import Any, cast

from agents.context.messages import InputItem

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PNG_URL = f"data:image/png;base64,{PNG}"
PHOTO_URL = "https://images.example/photo.jpg"
TOOLS = [
    {
        "name": "store_set",
        "description": "Store a value.",
        "parameters": {
            "type": "object",
            "properties": {"store": {"type": "string"}, "key": {"type": "string"}, "value": {}},
            "required": ["store", "key"],
            "additionalProperties": True,
        },
    },
    {"name": "now", "description": "Tell the time.", "parameters": {"type": "object", "properties": {}}},
]


def message(role: str, *blocks: dict[str, Any], item_id: str = "m") -> InputItem:
    return cast("InputItem", {"type": "message", "id": item_id, "role": role, "content": list(blocks)})


def developer(text: str) -> InputItem:
    return message("developer", {"type": "input_text", "text": text})


def user(text: str) -> InputItem:
    return message("user", {"type": "input_text", "text": text})


def assistant(text: str) -> InputItem:
    return message("assistant", {"type": "output_text", "text": text})


def image(url: str, **more: str) -> dict[str, Any]:
    return {"type": "input_image_url", "image_url": {"url": url, **more}}


def call(call_id: str, name: str = "now", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "arguments": arguments}


def result(call_id: str, content: str = "12:00", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def thinking(text: str, signature: str, provider: str, **more: Any) -> dict[str, Any]:
    kept = {"thinking": text, "signature": signature, "provider": provider, "persistInHistory": True}
    return {"type": "thinking", **kept, **more}


FULL: list[InputItem] = [
    developer("Be brief."),
    message("user", {"type": "input_text", "text": "What is this?"}, image(PNG_URL), image(PHOTO_URL)),
    message(
        "assistant",
        {"type": "output_text", "text": "I look twice."},
        call("call_1", "store_set", '{"store":"notes","key":"a","value":[1,2.5,null]}'),
        call("call_2"),
    ),
    message(
        "user",
        result("call_1", '{"success":true}'),
        result("call_2", "late", error="The clock stands still."),
    ),
    assistant("It is a dot."),
    user("Thank you."),
]


def contents(items: Sequence[InputItem]) -> list[tuple[str, Any]]:
    """Return role and blocks of every message: all of it except the ids."""
    return [(item["role"], list(item["content"])) for item in items if item["type"] == "message"]
