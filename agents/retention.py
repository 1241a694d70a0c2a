"""Drops the bodies of old requests; their spans and numbers stay."""

import time
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.models import ModelCall, Part
from agents.parts import GIVEN_UP

HOUR_S = 3600.0
# Calls whose bodies one look drops, so that no look takes long.
MOST_DROPPED = 1000


def drop_old_bodies() -> int:
    """Drop request bodies older than ``settings.REQUEST_DAYS`` and the parts that none uses any more.

    Returns how many requests lost their body. Harmless at any time and from any number of processes.
    """
    oldest = timezone.now() - timedelta(days=settings.REQUEST_DAYS)
    old = ModelCall.objects.filter(started_at__lt=oldest).exclude(body_parts=b"")
    dropped = ModelCall.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:MOST_DROPPED])).update(
        body_parts=b""
    )
    # A day longer, because a part is marked with the day on which a request last held it.
    old_parts = Part.objects.filter(used_on__lt=(oldest - timedelta(days=1)).date())
    old_parts.exclude(used_on=GIVEN_UP).delete()
    return dropped


class Hourly:
    """A chore that is done at most once an hour, however often it is asked for."""

    def __init__(self, work: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._work, self._clock = work, clock
        self._next = 0.0

    def do(self) -> None:
        """Do the work when it is time."""
        if self._clock() >= self._next:
            self._next = self._clock() + HOUR_S
            self._work()
