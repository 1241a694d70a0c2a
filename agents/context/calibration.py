"""How far our counts are from what the provider reports, learned from its answers."""

from __future__ import annotations

from dataclasses import dataclass

# Our coarsest count takes 3.5 characters for a token, and the densest scripts cost about one token for each:
# what is reported beyond is no difference between vocabularies.
MAX_RATIO = 4


@dataclass(frozen=True)
class Calibration:
    """Sums over the calls of one context.

    Attributes:
        estimated: tokens counted here.
        reported: what the provider reported for the same calls, each at most ``MAX_RATIO`` times ours.
    """

    estimated: int = 0
    reported: int = 0

    def observe(self, *, estimated: int, reported: int) -> Calibration:
        """Return the calibration with one more call; a call without figures changes nothing.

        A report of more than ``MAX_RATIO`` times our count is taken for that much: one wrong figure, or what
        a provider adds to a tiny prompt, must not open the gate for good.
        """
        if estimated <= 0 or reported <= 0:
            return self
        return Calibration(self.estimated + estimated, self.reported + min(reported, MAX_RATIO * estimated))

    @property
    def ratio(self) -> float:
        """Reported over estimated, 1.0 before the first call."""
        return self.reported / self.estimated if self.estimated else 1.0

    @property
    def error(self) -> float:
        """The part by which reported figures exceed ours; negative when we count too much."""
        return self.ratio - 1.0

    @property
    def safety_factor(self) -> float:
        """Factor for the compaction gate alone: budgets stay what was counted (DECISIONS D1)."""
        return max(1.0, self.ratio)
