"""Where compactions and rollovers stand among the steps of a history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.markers import title
from agents.models import AgentSession, CompactionRecord
from memory.history import Step

# More lines than this say no more.
MOST_CUTS = 20

Status = CompactionRecord.Status


@dataclass(frozen=True)
class Cut:
    """A compaction or a rollover.

    Attributes:
        x: of its line, in the units of the steps' bars.
    """

    name: str
    at: datetime
    x: float


def cuts(session: AgentSession, steps: Sequence[Step]) -> Sequence[Cut]:
    """Return what was carried out since the first of the steps, the last ones when there are many.

    ``steps`` are the newest first, as a history has them.
    """
    carried_out = session.compactions.filter(status__in=(Status.DONE, Status.RESTORED))
    since = carried_out.filter(created_at__gte=steps[-1].at).order_by("-created_at")
    return [
        Cut(title(record), record.created_at, _place(record.created_at, steps))
        for record in reversed(since[:MOST_CUTS])
    ]


def _place(at: datetime, steps: Sequence[Step]) -> float:
    """Return the middle between the last step before that time and the one after it."""
    before = next(place for place, step in enumerate(steps) if step.at <= at)
    if before == 0:
        return 100.0
    return (steps[before].x + steps[before - 1].x) / 2
