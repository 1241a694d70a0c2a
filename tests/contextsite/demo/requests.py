"""Builds requests as the survey's model gets them."""

import json
from collections.abc import Mapping
from typing import Any

from agents.connectors.base import Item, ModelRequest
from contextsite.demo.seen import Result
from memory.plugins.whiteboard import InContextMemory


def developer(board: Mapping[str, Any], system_prompt: str = "Be exact.") -> Item:
    plugin = InContextMemory(max_total_tokens=0)
    for key, value in board.items():
        plugin.set(key, f"about {key}", value)
    sections = [f"# System Prompt\n\n{system_prompt}", "# Plugin Instructions\n\nUse the whiteboard."]
    content = plugin.get_content()
    if content:
        sections.append(f"# Whiteboard\n\n{content}")
    sections.append("Current date and time: today")
    text = "\n\n---\n\n".join(sections)
    return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}


def person(text: str) -> Item:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def said(text: str) -> Item:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def called(*calls: tuple[str, str, str]) -> Item:
    blocks = [
        {"type": "tool_use", "id": call_id, "name": name, "arguments": arguments}
        for call_id, name, arguments in calls
    ]
    return {"type": "message", "role": "assistant", "content": blocks}


def answered(*results: tuple[str, str]) -> Item:
    blocks = [{"type": "tool_result", "tool_use_id": call_id, "content": text} for call_id, text in results]
    return {"type": "message", "role": "user", "content": blocks}


def request(*items: Item, board: Mapping[str, Any] | None = None) -> ModelRequest:
    return ModelRequest([developer(board or {}), *items], [], "survey")


def result(name: str, value: Any, **arguments: Any) -> Result:
    return Result(name, arguments, json.loads(json.dumps(value)))
