"""How far our counts are from what the provider reports, learned from its answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Calibration:
    """Sums over the calls of one context.

    Attributes:
        estimated: tokens counted here.
        reported: input tokens the provider reported for the same calls.
    """

    estimated: int = 0
    reported: int = 0

    def observe(self, *, estimated: int, reported: int) -> Calibration:
        """Return the calibration with one more call; a call without figures changes nothing."""
        if estimated <= 0 or reported <= 0:
            return self
        return Calibration(self.estimated + estimated, self.reported + reported)

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
