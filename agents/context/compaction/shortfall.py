"""Why a prompt ends above its target: what is left in it, and why that may not leave."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.context.compaction.units import is_summary, units_of

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.conversation import Conversation
    from agents.context.json_values import JSON

_SUMMARY = "summary of earlier turns"
_REST = "other messages"


@dataclass(frozen=True)
class Shortfall:
    """The reason for a prompt that is above its target, although it fits.

    Attributes:
        tokens: how far above.
        held: what is left and why, with its tokens, largest first. Other messages are those that a host's
            strategy left, or that could not be kept elsewhere; the log tells which.
    """

    tokens: int
    held: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        held = ", ".join(f"{what} {tokens}" for what, tokens in self.held)
        return f"{self.tokens} more than the target, and nothing else may leave: {held}"

    def as_dict(self) -> dict[str, JSON]:
        """Return it in JSON types."""
        return {
            "tokens": self.tokens,
            "held": [{"what": what, "tokens": tokens} for what, tokens in self.held],
        }


def shortfall_of(
    conversation: Conversation, budget: Budget, target: int, protected_turns: int
) -> Shortfall | None:
    """Return why a prompt of this conversation is above the target, None when it is not.

    Args:
        conversation: as it is sent.
        budget: its count.
        target: content tokens to end at or under.
        protected_turns: how many of the last turns may not leave.
    """
    if budget.content_used <= target:
        return None
    parts = budget.breakdown
    held = Counter(
        {f"content of {name}": tokens for name, tokens in parts.plugin_contents.items()}
        | {
            "system prompt and instructions": parts.system_message - sum(parts.plugin_contents.values()),
            "current input": parts.current_input,
        }
    )
    pieces = conversation.history()
    for unit in units_of(pieces, conversation.pending(), protected_turns):
        why = unit.protection or (_SUMMARY if is_summary(pieces[unit.first].item) else "")
        if why:
            held[why] += sum(pieces[place].tokens or 0 for place in unit.positions)
    held[_REST] = budget.content_used - held.total()
    return Shortfall(
        budget.content_used - target,
        tuple((what, tokens) for what, tokens in held.most_common() if tokens > 0),
    )
