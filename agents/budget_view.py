"""The context budget of a session as people see it: percent, level, bar segments and marks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.models import AgentSession

# Segments of the bar in their fixed order: class of the style sheet, and name.
SEGMENTS = (
    ("system", "System prompt"),
    ("plugin", "Plugin instructions"),
    ("board", "Whiteboard"),
    ("notes", "Notes index"),
    ("tools", "Tools"),
    ("conv", "Conversation"),
    ("input", "Current input"),
    ("reserve", "Response reserve"),
)
Segment = tuple[str, str, int, float, float]


@dataclass(frozen=True)
class BudgetView:
    """One session's budget at its last model call.

    Attributes:
        percent: use of the room for content (window less reserve less tools), which decides on compaction.
        level: ok, warn from the strategy's threshold, critical from the gate.
        segments: class, name, tokens, and start and width in percent of the window.
        marks: name and place in percent of the window.
        label: the same in words.
    """

    used: int
    max: int
    percent: float
    level: str
    segments: list[Segment]
    marks: list[tuple[str, float]]
    label: str

    @property
    def free(self) -> int:
        """Tokens of the window that nothing takes."""
        return max(0, self.max - sum(segment[2] for segment in self.segments))

    @property
    def mark_places(self) -> list[float]:
        """The places alone, for bars without words."""
        return [place for _, place in self.marks]


def context_use(budget: Mapping[str, Any] | None) -> float:
    """Return the percentage of the room for content (window less reserve less tools) that is used."""
    if not budget:
        return 0.0
    tools = budget["breakdown"]["tools"]
    return 100 * float(budget["totalUsed"] - tools) / _content_max(budget)


def _content_max(budget: Mapping[str, Any]) -> int:
    room: int = max(1, budget["maxTokens"]) - budget["responseReserve"] - budget["breakdown"]["tools"]
    return max(1, room)


def budget_view(session: AgentSession) -> BudgetView | None:
    """Return the budget of the session's last model call, or None before the first one."""
    budget = session.last_budget
    if not budget:
        return None
    window, tools = max(1, budget["maxTokens"]), budget["breakdown"]["tools"]
    content_max, use = _content_max(budget), context_use(budget) / 100
    threshold, gate = session.settings["threshold"], session.settings["criticalGate"]
    level = "critical" if use >= gate else "warn" if use >= threshold else "ok"
    marks = [("reclaim", threshold), ("compact", gate)]
    return BudgetView(
        used=budget["totalUsed"],
        max=window,
        percent=100 * use,
        level=level,
        segments=_segments(budget, window),
        marks=[
            (f"{name} {100 * share:.0f} %", 100 * (tools + share * content_max) / window)
            for name, share in marks
        ],
        label=(
            f"{budget['totalUsed']:,} of {window:,} tokens used. Reclaim starts at {100 * threshold:.0f} "
            f"percent, compaction at {100 * gate:.0f}."
        ),
    )


def _segments(budget: dict[str, Any], window: int) -> list[Segment]:
    parts = budget["breakdown"]
    contents = dict(parts["pluginContents"])
    tokens = {
        "system": parts["systemPrompt"],
        "board": contents.pop("in_context_memory", 0),
        "notes": contents.pop("working_memory", 0),
        "tools": parts["tools"],
        "conv": parts["conversation"],
        "input": parts["currentInput"],
        "reserve": budget["responseReserve"],
    }
    tokens["plugin"] = parts["persistentInstructions"] + parts["pluginInstructions"] + sum(contents.values())
    segments: list[Segment] = []
    start = 0.0
    for css, name in SEGMENTS:
        if tokens[css]:
            width = 100 * tokens[css] / window
            segments.append((css, name, tokens[css], start, width))
            start += width
    return segments
