"""When a compaction starts, and what it aims at (R6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.context.budget import Budget


@dataclass(frozen=True)
class Gate:
    """The gate decides when, the threshold how far.

    Attributes:
        critical: share of the content room at which it opens.
        threshold: share of the content room to end at or under; never above ``critical``.
        safety_factor: what the provider counts for one token of ours, at least 1.
    """

    critical: float
    threshold: float
    safety_factor: float = 1.0

    def is_open(self, budget: Budget) -> bool:
        """Tell whether the content is at or over the critical share."""
        return budget.content_utilization * self.safety_factor >= self.critical and self.excess(budget) > 0

    def target(self, budget: Budget) -> int:
        """Return the content tokens to end at or under."""
        return math.floor(budget.content_max * min(self.threshold, self.critical) / self.safety_factor)

    def excess(self, budget: Budget) -> int:
        """Return the tokens above the target, 0 or less when there are none."""
        return budget.content_used - self.target(budget)
