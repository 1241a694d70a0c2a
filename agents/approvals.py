"""What people do with a turn that waits: allow a call or not, once, and wake one that sleeps."""

from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from agents.context import json_values
from agents.models import AgentSession, ToolApproval, Turn
from agents.people import name_of
from agents.refusals import RefusedInput
from agents.sessions import NothingToDo, announce, queue_turn
from agents.waiting import touch

MOST_REASON_CHARACTERS = 2000

Status = ToolApproval.Status

_OVER = {
    Turn.Status.SUCCEEDED: "The turn is over; nothing is left to decide.",
    Turn.Status.FAILED: "The turn has failed before this was decided. Retry it to be asked again.",
    Turn.Status.CANCELLED: "The turn was stopped before this was decided; nothing is left to decide.",
}


def decide(
    session: AgentSession,
    approval_id: UUID,
    person: User,
    *,
    is_approved: bool,
    digest: str,
    reason: str = "",
) -> ToolApproval:
    """Return the answered approval; the turn goes on.

    ``digest`` is that of the arguments the person saw.

    Raises:
        ToolApproval.DoesNotExist: the session has no such approval.
        NothingToDo: it was answered before, or the turn is over.
        RefusedInput: the digest is another, or the reason is too long.
    """
    if len(reason) > MOST_REASON_CHARACTERS:
        raise RefusedInput(f"The reason is too long; at most {MOST_REASON_CHARACTERS:,} characters fit.")
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        known = ToolApproval.objects.select_related("turn", "message", "decided_by")
        approval = known.get(pk=approval_id, turn__session=locked)
        _refuse_unless_open(approval)
        if approval.digest != digest:
            raise RefusedInput("The arguments are not those you saw. Reload the page and look at them again.")
        approval.status = Status.APPROVED if is_approved else Status.DENIED
        approval.decided_by, approval.decided_at = person, timezone.now()
        approval.reason = "" if is_approved else json_values.repair_text(reason).strip()
        approval.save(update_fields=["status", "decided_by", "decided_at", "reason"])
        touch(locked, approval.message)
        _go_on(locked, approval.turn)
    return approval


def wake(session: AgentSession, person: User) -> Turn:
    """Return the sleeping turn, queued before its time.

    Raises:
        NothingToDo: no turn of the session sleeps.
    """
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        turn = locked.turns.filter(status=Turn.Status.WAITING, wake_at__isnull=False).first()
        if turn is None:
            raise NothingToDo("The agent does not sleep, so there is nobody to wake.")
        now = timezone.now().isoformat()
        turn.progress["sleeping"] = dict.fromkeys(turn.progress["sleeping"], now)
        turn.progress["wokenBy"] = name_of(person)
        turn.save(update_fields=["progress"])
        _go_on(locked, turn)
    return turn


def wake_sleepers() -> int:
    """Queue every waiting turn whose time has come; return how many. Harmless at any time."""
    due = Turn.objects.filter(status=Turn.Status.WAITING, wake_at__lte=timezone.now())
    woken = 0
    for turn_id, session_id in due.values_list("pk", "session_id"):
        with transaction.atomic():
            locked = AgentSession.objects.select_for_update().get(pk=session_id)
            turn = locked.turns.filter(pk=turn_id, status=Turn.Status.WAITING).first()
            if turn is not None:
                _go_on(locked, turn)
                woken += 1
    return woken


def _refuse_unless_open(approval: ToolApproval) -> None:
    if approval.status in {Status.APPROVED, Status.DENIED}:
        who = name_of(approval.decided_by) if approval.decided_by else "Somebody"
        raise NothingToDo(f"{who} has already {approval.status} this call. The first answer counts.")
    is_withdrawn = approval.status == Status.WITHDRAWN
    ended = Turn.Status.CANCELLED if is_withdrawn else Turn.Status(approval.turn.status)
    if ended not in Turn.UNFINISHED:
        raise NothingToDo(_OVER[ended])


def _go_on(locked: AgentSession, turn: Turn) -> None:
    if turn.status != Turn.Status.WAITING:
        # A worker is still leaving it, and finds the answer then.
        announce(locked, conversation=True)
        return
    turn.status, turn.wake_at = Turn.Status.QUEUED, None
    turn.save(update_fields=["status", "wake_at"])
    queue_turn(locked, turn)
