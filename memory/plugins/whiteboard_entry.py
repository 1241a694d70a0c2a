"""One entry of the whiteboard: its value, its wire form, and the block the model reads."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agents.context import json_values
from agents.context.json_values import JSON
from agents.context.tokens import TokenEstimator
from memory.plugins.priorities import PRIORITIES

# Blocks are joined by one blank line; every entry pays for its own.
SEPARATOR = "\n\n"

_BACKTICKS = re.compile("`+")
_MIN_FENCE = 3


@dataclass(frozen=True, slots=True)
class WhiteboardEntry:
    """A key with its value, as stored."""

    key: str
    description: str
    value_json: str
    """The value as compact JSON text."""
    priority: str
    """One of low, normal, high, critical."""
    show_in_ui: bool
    updated_at: int
    """Epoch milliseconds of the last real change."""
    tokens: int
    """Cost of the block in the prompt, its separator included."""
    recency: int
    """Order of the last write, also of one that changed nothing; larger is later."""

    @property
    def value(self) -> JSON:
        """A fresh copy of the value."""
        return json_values.decode(self.value_json)

    @property
    def rank(self) -> int:
        """The priority as a number, 0 for low to 3 for critical."""
        return PRIORITIES.index(self.priority)

    @property
    def is_evictable(self) -> bool:
        """Whether the entry may be dropped to make room."""
        return self.priority != "critical"

    def says_the_same_as(self, other: "WhiteboardEntry") -> bool:
        """Return whether both have equal key, description, value, priority and flag."""
        there = replace(other, updated_at=self.updated_at, tokens=self.tokens, recency=self.recency)
        return self == there

    def metadata(self) -> dict[str, JSON]:
        """Return the wire form without the value."""
        return {
            "key": self.key,
            "description": self.description,
            "priority": self.priority,
            "showInUI": self.show_in_ui,
            "updatedAt": self.updated_at,
        }

    def wire(self) -> dict[str, JSON]:
        """Return the full wire form: key, description, value, priority, showInUI, updatedAt."""
        return {"key": self.key, "description": self.description, "value": self.value, **self.metadata()}

    def block(self, *, show_timestamp: bool) -> str:
        """Return what the model reads: a header line and the value in a fence that the value cannot close."""
        value = self.value
        text = value if isinstance(value, str) else json_values.pretty(value)
        fence = "`" * max(_MIN_FENCE, _longest_run(text) + 1)
        stamp = f" [{_iso(self.updated_at)}]" if show_timestamp else ""
        return f"**{self.key}** ({self.priority}): {self.description}{stamp}\n{fence}\n{text}\n{fence}"

    def cost(self, estimator: TokenEstimator, *, show_timestamp: bool) -> int:
        """Return the tokens of the block and its separator; see ``tokens`` for the stored number."""
        return estimator.estimate_tokens(self.block(show_timestamp=show_timestamp) + SEPARATOR)


@dataclass(frozen=True, slots=True)
class SetResult:
    """What a write did."""

    evicted: list[str] = field(default_factory=list)
    """Keys dropped to make room, first dropped first."""
    changed: bool = True
    """False when the entry was already exactly so; then only its recency moved."""
    warnings: list[str] = field(default_factory=list)
    """What the writer should know, in sentences."""


def render(entries: Iterable[WhiteboardEntry], *, show_timestamps: bool) -> str:
    """Return all blocks, highest priority first, in order of insertion within a priority."""
    ordered = sorted(entries, key=lambda entry: -entry.rank)
    return SEPARATOR.join(entry.block(show_timestamp=show_timestamps) for entry in ordered)


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _iso(epoch_ms: int) -> str:
    # Not fromtimestamp(ms / 1000): the division would round some milliseconds.
    seconds, milliseconds = divmod(epoch_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03d}Z"
