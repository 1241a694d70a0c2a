"""What the model received on a call, or would receive now, part by part and as people read it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agents.bindings import Run
from agents.call_spans import Kind, Span
from agents.context import AgentContext, json_values
from agents.model_calls import spans
from agents.models import AgentSession, ModelCall
from agents.opening import open_context

# Colour and name of each kind of part; plugins have their own.
_KINDS = {
    "system_prompt": ("system", "System prompt"),
    "persistent_instructions": ("plugin", "Standing instructions"),
    "plugin_instructions": ("plugin", "Plugin instructions"),
    "date": ("plugin", "Date"),
    "tools": ("tools", "Tool definitions"),
    "conversation": ("conv", "Conversation"),
    "current_input": ("input", "Current input"),
}
_PLUGINS = {"in_context_memory": ("board", "Whiteboard"), "working_memory": ("notes", "Notes index")}
_NOTES = {
    "system": "Never compacted",
    "board": "Low first, oldest first",
    "conv": "Compacted first",
    "input": "Never compacted",
}

_CALLS = {"tool_use", "tool_result", "function_call", "function_call_output"}
# Types of blocks in which providers take an image, and Google's name of its field.
_IMAGES = {"image", "image_url", "input_image", "input_image_url", "inlineData"}

# A piece of a text, and the number of the search hit that it is, or 0.
Piece = tuple[str, int]


@dataclass(frozen=True)
class ItemView:
    """One message or tool definition.

    Attributes:
        role: who speaks, as the wire says; css colours it: you, agent, tool or maint.
    """

    role: str
    css: str
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class PartView:
    """One part of the prompt.

    Attributes:
        id: of its element.
        percent: of all tokens of the prompt.
        y, height: of its layer in the drawing of all parts, in percent.
        pieces: of a text; a list of messages or tools has ``items`` instead.
    """

    id: str
    css: str
    name: str
    tokens: int
    percent: float
    note: str
    pieces: Sequence[Piece] = ()
    items: Sequence[ItemView] = ()
    y: float = 0.0
    height: float = 0.0


@dataclass(frozen=True)
class Insight:
    """A whole prompt.

    Attributes:
        hits: how often the search found its text.
        is_complete: False once the request itself was dropped and only its measures are left.
    """

    parts: Sequence[PartView]
    tokens: int
    hits: int
    is_complete: bool = True


@dataclass(frozen=True)
class _Part:
    css: str
    name: str
    tokens: int
    text: str = ""
    items: Sequence[tuple[str, str, str]] = ()


def of_call(call: ModelCall, search: str) -> Insight:
    """Return the prompt of a call, exactly as it left.

    Raises:
        agents.parts.DamagedBody: the stored parts do not give the bytes that left.
    """
    views = spans(call)
    parts = []
    for view in views:
        css, name = _named(view.span.kind, view.span.name)
        read = _tool if view.span.kind == "tools" else _message
        parts.append(_Part(css, name, view.span.tokens, view.text, [read(item) for item in view.items]))
    return _insight(parts, search, is_complete=bool(call.body_parts))


def of_now(session: AgentSession, search: str) -> Insight:
    """Return the prompt that the model would get now; nothing is changed.

    Raises:
        agents.context.errors.ContextError: the context cannot be opened, as when a tool is missing.
    """
    opened = open_context(Run(session, None, session.fence))
    context = opened.context
    try:
        view: Any = context.get_view_context()
        parts = list(_sections(context))
        tools = [_tool(json.dumps(each)) for each in context.tools.definitions()]
        if tools:
            parts.append(_Part("tools", "Tool definitions", context.tools_tokens, items=tools))
    finally:
        context.destroy()
    said = [each for each in view["components"] if each["name"] != "System Message"]
    items = [(each["name"], _css_of(each["name"]), each["content"]) for each in said]
    if items:
        parts.append(_Part("conv", "Conversation", sum(each["tokenEstimate"] for each in said), items=items))
    return _insight(parts, search)


def _sections(context: AgentContext) -> Iterator[_Part]:
    """Yield the parts of the system message; the first one has what a provider adds around it."""
    sections = context.get_sections()
    around = context.calculate_budget().breakdown.system_message - sum(each.tokens for each in sections)
    for each in sections:
        yield _Part(*_named(each.kind, each.name), each.tokens + around, each.text)
        around = 0


def call_of(session: AgentSession, call_id: UUID) -> ModelCall | None:
    """Return a call of the session with its turn."""
    return session.calls.select_related("turn", "session").filter(pk=call_id).first()


def part_name(span: Span) -> str:
    """Return what people call a part of a prompt."""
    return _named(span.kind, span.name)[1]


def _named(kind: Kind, name: str) -> tuple[str, str]:
    """Return the colour and the name of a part."""
    if kind == "plugin":
        return _PLUGINS.get(name, ("plugin", name.replace("_", " ").capitalize()))
    return _KINDS[kind]


def _insight(parts: Sequence[_Part], search: str, *, is_complete: bool = True) -> Insight:
    total = max(1, sum(part.tokens for part in parts))
    marker = _Marker(search)
    views = []
    y = 0.0
    for number, part in enumerate(parts, start=1):
        height = 100 * part.tokens / total
        views.append(
            PartView(
                id=f"part-{number}",
                css=part.css,
                name=part.name,
                tokens=part.tokens,
                percent=height,
                note=_NOTES.get(part.css, ""),
                pieces=list(marker.pieces(part.text)) if part.text else (),
                items=[ItemView(role, css, list(marker.pieces(text))) for role, css, text in part.items],
                y=y,
                height=height,
            )
        )
        y += height
    return Insight(views, sum(part.tokens for part in parts), marker.count, is_complete)


class _Marker:
    """Cuts texts at the places where a search finds its words, and numbers them."""

    def __init__(self, search: str) -> None:
        self._search = search.lower()
        self.count = 0

    def pieces(self, text: str) -> Iterator[Piece]:
        lowered, start = text.lower(), 0
        # A text that changes its length in lower case has no such places.
        if not self._search or len(lowered) != len(text):
            yield text, 0
            return
        while (place := lowered.find(self._search, start)) >= 0:
            if place > start:
                yield text[start:place], 0
            self.count += 1
            start = place + len(self._search)
            yield text[place:start], self.count
        if start < len(text):
            yield text[start:], 0


def _tool(text: str) -> tuple[str, str, str]:
    tool = _parsed(text)
    inner = tool.get("function", tool) if isinstance(tool, dict) else {}
    name = str(inner.get("name", "tool")) if isinstance(inner, dict) else "tool"
    return name, "tool", json_values.shown(tool, indent=2)


def _message(text: str) -> tuple[str, str, str]:
    """Return role, colour and readable text of a message in any provider's format."""
    message = _parsed(text)
    if not isinstance(message, dict):
        return "message", "maint", text
    role = str(message.get("role") or message.get("type") or "message")
    said = "\n\n".join(filter(None, _texts(message)))
    return role, _css_of(role), said or json_values.shown(message, indent=2)


def _texts(value: Any) -> Iterator[str]:
    """Yield what a message says, and its calls and results as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, Mapping) and value.get("type") in _CALLS:
        yield json_values.shown(dict(value), indent=2)
    elif isinstance(value, Mapping) and _IMAGES & {value.get("type"), *value}:
        yield "[image]"
    elif isinstance(value, Mapping):
        for name in [each for each in ("text", "content", "parts") if each in value]:
            yield from _texts(value[name])
        calls = [value.get(name) for name in ("tool_calls", "functionCall", "functionResponse")]
        yield from (json_values.shown(each, indent=2) for each in calls if each)


def _css_of(role: str) -> str:
    lowered = role.lower()
    if "tool" in lowered or "function" in lowered:
        return "tool"
    if lowered.startswith(("user", "input")):
        return "you"
    return "agent" if lowered.startswith(("assistant", "model", "output")) else "maint"


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
