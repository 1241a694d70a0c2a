"""A whole session as text to take away: Markdown for people, JSON for programs."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.context import json_values
from agents.models import AgentSession, Message
from agents.visible_text import call_name
from memory.bindings import open_board
from memory.models import Store
from memory.rendering.cards import source_text

VERSION = 1


def as_json(session: AgentSession) -> str:
    """Return everything of a session as indented JSON: settings, conversation, whiteboard."""
    return json_values.pretty(
        {
            "version": VERSION,
            "session": {
                "id": str(session.pk),
                "title": session.title,
                "agent": session.profile.name,
                "createdAt": session.created_at.isoformat(),
                "settings": session.settings,
            },
            "messages": [_message(row) for row in session.messages.order_by("sequence")],
            "whiteboard": open_board(session).get_state(),
        }
    )


def as_markdown(session: AgentSession) -> str:
    """Return the conversation and the whiteboard of a session as one Markdown document."""
    head = [
        f"# {session.title}",
        f"Agent {session.profile.name}, model {session.model}, "
        f"started {session.created_at:%Y-%m-%d %H:%M} UTC.",
    ]
    return "\n\n".join([*head, "## Conversation", *_conversation(session), *_whiteboard(session)]) + "\n"


def _message(row: Message) -> dict[str, Any]:
    return {
        "sequence": row.sequence,
        "role": row.role,
        "content": row.blocks,
        "tokens": row.tokens,
        "inContext": row.in_context,
        "cut": row.cut,
        "isReplaced": row.is_replaced,
        "createdAt": row.created_at.isoformat(),
    }


def _conversation(session: AgentSession) -> Iterator[str]:
    for row in session.messages.select_related("turn__author").order_by("sequence"):
        who = (
            session.profile.name if row.role == "assistant" else str((row.turn and row.turn.author) or "User")
        )
        parts = [part for part in (_block(block) for block in row.blocks) if part]
        if not parts:
            continue
        is_result = all(block.get("type") == "tool_result" for block in row.blocks)
        remark = f" ({row.remark()})" if row.cut else ""
        head = "" if is_result else f"### {who}, {row.created_at:%H:%M:%S}{remark}\n\n"
        yield head + "\n\n".join(parts)


def _block(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind in {"input_text", "output_text"}:
        return str(block["text"])
    if kind == "input_image_url":
        return "*An image.*"
    if kind == "tool_use":
        arguments = _fenced(str(block.get("arguments") or "{}"), "json")
        return f"Called `{call_name(str(block['name']))}`:\n\n{arguments}"
    if kind == "tool_result":
        content = block.get("content", "")
        text = content if isinstance(content, str) else json_values.pretty(content)
        return f"Result:\n\n{_fenced(str(block.get('error') or text))}"
    return ""


def _whiteboard(session: AgentSession) -> Iterator[str]:
    store = Store.objects.filter(kind=Store.Kind.WHITEBOARD, session=session).first()
    entries = list(store.entries.order_by("position")) if store else []
    if entries:
        yield "## Whiteboard"
    for entry in entries:
        yield f"### `{entry.key}`\n\n{entry.description}\n\n{_fenced(source_text(entry.value))}"


def _fenced(text: str, language: str = "") -> str:
    """Return the text in a code block whose fence is longer than any in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
