"""The system message: its sections in the mission's order, each counted once per text (spec 5.5)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from agents.context import json_values
from agents.context.budget import Breakdown
from agents.context.counting import MESSAGE_OVERHEAD
from agents.context.messages import Block, InputText, MessageItem
from agents.context.tokens import count_recurring

if TYPE_CHECKING:
    from agents.context.tokens import TokenEstimator

Placement = Literal["mission", "tail"]
"""``mission``: one system message. ``tail``: what changes often follows the newest input instead."""

# It ends a token in every encoding and the next section begins another, so the counts of sections add up.
SEPARATOR = "\n\n---\n\n"
SYSTEM_ID = "system"
TAIL_ID = "system_tail"
PERSISTENT_INSTRUCTIONS = "persistent_instructions"
# The mission shows these two first and in this order; other plugins follow as registered.
_FIRST_CONTENTS = ("in_context_memory", "working_memory")
# Spelled here, because strftime follows the locale of the process.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# The date line shows no smaller unit.
_MINUTE_MS = 60_000
_VARIABLE = re.compile(r"\{\{([A-Z_]+)\}\}")


@dataclass(frozen=True)
class PluginText:
    """What one plugin says to the model.

    Attributes:
        name: the plugin's name.
        title: heading of its section.
        instructions: how to use it, or None.
        content: its section now, or None.
    """

    name: str
    title: str
    instructions: str | None
    content: str | None


@dataclass(frozen=True)
class Section:
    """One section of the system message.

    Attributes:
        kind: part of the budget it counts to; for ``plugin`` see ``name``.
        name: plugin whose content it is, else the kind.
        text: as sent, without the separator after it.
        tokens: with the separator after it.
    """

    kind: Literal["system_prompt", "persistent_instructions", "plugin_instructions", "plugin", "date"]
    name: str
    text: str
    tokens: int = 0


@dataclass(frozen=True)
class SystemMessage:
    """One message of sections."""

    item: MessageItem
    sections: tuple[Section, ...]

    @property
    def tokens(self) -> int:
        """Tokens with what a provider adds around the message."""
        return MESSAGE_OVERHEAD + sum(each.tokens for each in self.sections)


@dataclass(frozen=True)
class Prompt:
    """The system message and, with tail placement, the message that follows the newest input.

    Attributes:
        system: None when nothing stable is to be said.
        tail: None unless placement is ``tail``.
    """

    system: SystemMessage | None
    tail: SystemMessage | None

    @property
    def messages(self) -> list[SystemMessage]:
        """The messages there are, in the order they are sent."""
        return [each for each in (self.system, self.tail) if each is not None]

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """All sections in the order they are sent."""
        return tuple(section for each in self.messages for section in each.sections)

    def breakdown(self, *, tools: int, conversation: int, current_input: int) -> Breakdown:
        """Return the tokens of the whole prompt by part."""
        totals = defaultdict[str, int](int)
        for each in self.sections:
            totals[each.kind] += each.tokens
        return Breakdown(
            system_prompt=totals["system_prompt"] + totals["date"] + MESSAGE_OVERHEAD * len(self.messages),
            persistent_instructions=totals["persistent_instructions"],
            plugin_instructions=totals["plugin_instructions"],
            plugin_contents={each.name: each.tokens for each in self.sections if each.kind == "plugin"},
            tools=tools,
            conversation=conversation,
            current_input=current_input,
        )


class PromptBuilder:
    """Builds system messages; a section whose text did not change is not counted again."""

    def __init__(self, estimator: TokenEstimator, placement: Placement) -> None:
        self._estimator = estimator
        self._placement = placement
        self._counted: dict[str, int] = {}
        self._used: dict[str, int] = {}
        self._given: tuple[object, ...] = ()
        self._stable: list[Section] = []
        self._contents: list[Section] = []
        self._minute: int | None = None
        self._date = Section("date", "date", "")

    def build(
        self, *, system_prompt: str | None, overview: str, plugins: Sequence[PluginText], now_ms: int
    ) -> Prompt:
        """Return the prompt of this moment.

        Args:
            system_prompt: variables already resolved.
            overview: how the store tools work, empty when there are none.
            plugins: in order of registration.
            now_ms: what the date line shows; kept still during a turn it leaves the prefix cache alone.
        """
        given = (system_prompt, overview, tuple(plugins))
        if given != self._given:
            self._given = given
            self._used = {}
            stable = [
                *_system_prompt(system_prompt),
                *_persistent(plugins),
                *_instructions(overview, plugins),
            ]
            self._stable = self._count(stable, is_last=self._placement == "tail")
            self._contents = self._count(_contents(plugins), is_last=False)
            self._counted = self._used
        minute = int(now_ms // _MINUTE_MS)
        if minute != self._minute:
            date = date_line(now_ms)
            self._minute = minute
            self._date = Section("date", "date", date, count_recurring(date, self._estimator))
        volatile = [*self._contents, self._date]
        if self._placement == "tail":
            return Prompt(_message(SYSTEM_ID, self._stable), _message(TAIL_ID, volatile))
        return Prompt(_message(SYSTEM_ID, self._stable + volatile), None)

    def _count(self, sections: list[Section], *, is_last: bool) -> list[Section]:
        """Return the sections as they can be stored, counted with the separators after them."""
        ends = [SEPARATOR] * len(sections)
        if is_last and ends:
            ends[-1] = ""
        texts = [json_values.repair_text(each.text) for each in sections]
        return [
            Section(each.kind, each.name, text, self._tokens(text + end))
            for each, text, end in zip(sections, texts, ends, strict=True)
        ]

    def _tokens(self, text: str) -> int:
        known = self._counted.get(text)
        self._used[text] = count_recurring(text, self._estimator) if known is None else known
        return self._used[text]


def resolve_variables(text: str, values: Mapping[str, str]) -> str:
    """Return the text with ``{{NAME}}`` replaced; unknown names stay as written."""
    return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)


def date_line(now_ms: int) -> str:
    """Return the current date and time as a sentence in English, in UTC."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    hour = now.hour % 12 or 12
    half = "AM" if now.hour < 12 else "PM"
    day, month = _DAYS[now.weekday()], _MONTHS[now.month - 1]
    return f"Current date and time: {day}, {month} {now.day}, {now.year} at {hour}:{now:%M} {half} UTC"


def _system_prompt(text: str | None) -> list[Section]:
    return [Section("system_prompt", "system_prompt", f"# System Prompt\n\n{text}")] if text else []


def _persistent(plugins: Sequence[PluginText]) -> list[Section]:
    return [
        Section("persistent_instructions", each.name, f"# Persistent Instructions\n\n{each.content}")
        for each in plugins
        if each.name == PERSISTENT_INSTRUCTIONS and each.content
    ]


def _instructions(overview: str, plugins: Sequence[PluginText]) -> list[Section]:
    parts = [f"## Data Stores\n\n{overview}"] if overview else []
    parts += [f"## {each.title}\n\n{each.instructions}" for each in plugins if each.instructions]
    if not parts:
        return []
    text = "\n\n".join(["# Plugin Instructions", *parts])
    return [Section("plugin_instructions", "plugin_instructions", text)]


def _contents(plugins: Sequence[PluginText]) -> list[Section]:
    def rank(each: PluginText) -> int:
        is_first = each.name in _FIRST_CONTENTS
        return _FIRST_CONTENTS.index(each.name) if is_first else len(_FIRST_CONTENTS)

    return [
        Section("plugin", each.name, f"# {each.title}\n\n{each.content}")
        for each in sorted(plugins, key=rank)
        if each.content and each.name != PERSISTENT_INSTRUCTIONS
    ]


def _message(item_id: str, sections: Sequence[Section]) -> SystemMessage | None:
    if not sections:
        return None
    text = SEPARATOR.join(each.text for each in sections)
    content: list[Block] = [InputText(type="input_text", text=text)]
    item = MessageItem(type="message", id=item_id, role="developer", content=content)
    return SystemMessage(item, tuple(sections))
