"""Where sessions stand among all that wait for a worker."""

from django.db.models import Exists, OuterRef, Q

from agents.models import AgentSession, Turn


def place_in_queue(session: AgentSession) -> int | None:
    """Return the session's place among all whose next turn waits for a worker, 1 being the first.

    None unless it waits. Workers take turns about in this order: retried and woken ones keep their old place.
    """
    if session.status != AgentSession.Status.QUEUED:
        return None
    earlier = Turn.objects.filter(
        session=OuterRef("session"), index__lt=OuterRef("index"), status__in=Turn.UNFINISHED
    )
    waiting = Turn.objects.filter(~Exists(earlier), status=Turn.Status.QUEUED)
    mine = waiting.filter(session=session).values_list("created_at", "pk").first()
    if mine is None:
        return None
    created_at, pk = mine
    before = waiting.filter(Q(created_at__lt=created_at) | Q(created_at=created_at, pk__lt=pk))
    return before.count() + 1
