"""What a request is made of: named parts with their tokens and their places in the body."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agents.connectors.body import MESSAGE_LISTS, TOOL_LISTS, Outline, Place, find_text
from agents.context.messages import InputItem
from agents.context.preparation import Preparation

_SYSTEM_ROLE = re.compile(rb'"role":\s*"(?:system|developer)"')
# Bytes of a message in which its role stands.
_HEAD = 200

Kind = Literal[
    "system_prompt",
    "persistent_instructions",
    "plugin_instructions",
    "plugin",
    "date",
    "tools",
    "conversation",
    "current_input",
]


@dataclass(frozen=True)
class Span:
    """One part of a request; the tokens of all parts add up to the whole prompt as we count it.

    Attributes:
        name: the plugin whose section it is, else the kind.
        start: first byte in the body; None when the provider's format holds the part in another form.
    """

    kind: Kind
    name: str
    tokens: int
    start: int | None = None
    end: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the span for a JSON column."""
        return asdict(self)


def spans_of(prepared: Preparation, pending: Sequence[InputItem], body: bytes, found: Outline) -> list[Span]:
    """Return the parts of a request in the order of the prompt.

    Args:
        prepared: what was asked.
        pending: the input to be answered.
        body: what left.
        found: the body's outline.
    """
    parts = prepared.budget.breakdown
    sections = _sections(prepared, body, found)
    conversation, current = _messages(body, found, pending)
    return [
        *sections,
        _span("tools", parts.tools, found.value(TOOL_LISTS)),
        _span("conversation", parts.conversation, conversation),
        _span("current_input", parts.current_input, current),
    ]


def _sections(prepared: Preparation, body: bytes, found: Outline) -> list[Span]:
    sections: list[Span] = []
    start = 0
    for each in prepared.sections:
        place = find_text(body, each.text, start) or find_text(body, each.text)
        start = place.end if place else start
        sections.append(Span(each.kind, each.name, each.tokens, *(place or (None, None))))
    counted = sum(each.tokens for each in sections)
    # What a provider adds around the system message.
    around = prepared.budget.breakdown.system_message - counted
    if not around:
        return sections
    first = next((each for each in sections if each.kind == "system_prompt"), None)
    if first is None:
        return [Span("system_prompt", "system_prompt", around), *sections]
    whole = Span(first.kind, first.name, first.tokens + around, first.start, first.end)
    return [whole if each is first else each for each in sections]


def _messages(body: bytes, found: Outline, pending: Sequence[InputItem]) -> tuple[Place | None, Place | None]:
    """Return the places of the conversation and of the current input, which follows it."""
    messages = found.messages()
    history = [place for place in messages if not _is_system(body, place)]
    if not history:
        return None, None
    marker = _marker(pending[0]) if pending else ""
    at = _last(body, marker, found.value(MESSAGE_LISTS)) if marker else None
    begin = next((n for n, place in enumerate(history) if at and place.start <= at < place.end), len(history))
    before, after = history[:begin], history[begin:]
    return (
        Place(before[0].start, before[-1].end) if before else None,
        Place(after[0].start, after[-1].end) if after else None,
    )


def _span(kind: Kind, tokens: int, place: Place | None) -> Span:
    return Span(kind, kind, tokens, *(place or (None, None)))


def _is_system(body: bytes, place: Place) -> bool:
    return _SYSTEM_ROLE.search(body, place.start, place.start + _HEAD) is not None


def _marker(item: InputItem) -> str:
    """Return a text of the item that its wire form holds too."""
    content: Any = item.get("content", ())
    for block in content:
        for name in ("text", "tool_use_id"):
            if isinstance(block.get(name), str) and block[name]:
                return str(block[name])
    return ""


def _last(body: bytes, text: str, within: Place | None) -> int | None:
    """Return where the text stands for the last time."""
    place = find_text(body, text, within.start if within else 0)
    at = None
    while place is not None:
        at = place.start
        place = find_text(body, text, place.end)
    return at
