"""What the sessions of a fleet page used: tokens of the last hour as a line, and what their calls cost."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db.models import F, Sum
from django.db.models.functions import Coalesce, TruncMinute

from agents.models import ModelCall

SPAN = timedelta(hours=1)
STEP = timedelta(minutes=5)
_STEPS = SPAN // STEP
_HEIGHT = 18.0


@dataclass(frozen=True)
class Trend:
    """Tokens of the last hour, sent and received.

    Attributes:
        points: of a line in a drawing of 100 by 20 units.
    """

    tokens: int
    points: str


def trends(session_ids: Sequence[UUID], now: datetime) -> Mapping[UUID, Trend]:
    """Return the trend of each session that called its model in the last hour."""
    tokens = Coalesce("input_tokens", F("estimated_tokens")) + Coalesce("output_tokens", 0)
    recent = (
        ModelCall.objects.filter(session__in=session_ids, started_at__gt=now - SPAN)
        .order_by()
        .annotate(minute=TruncMinute("started_at"))
        .values_list("session", "minute")
        .annotate(tokens=Sum(tokens))
    )
    steps: dict[UUID, list[int]] = defaultdict(lambda: [0] * _STEPS)
    for session_id, minute, count in recent:
        steps[session_id][_STEPS - 1 - min(_STEPS - 1, max(timedelta(), now - minute) // STEP)] += count
    return {session_id: Trend(sum(counts), _points(counts)) for session_id, counts in steps.items()}


def costs(session_ids: Sequence[UUID]) -> Mapping[UUID, Decimal | None]:
    """Return the US dollars that each session cost; None where no price is known."""
    calls = ModelCall.objects.filter(session__in=session_ids).order_by()
    return dict(calls.values_list("session").annotate(Sum("cost")))


def _points(counts: Sequence[int]) -> str:
    most = max(1, *counts)
    width = 100 / (_STEPS - 1)
    return " ".join(
        f"{place * width:.1f},{19 - _HEIGHT * count / most:.1f}" for place, count in enumerate(counts)
    )
