"""What people ask of a session's context between turns: compact it, look at what that would do, undo it."""

import logging
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from agents import leases, queue
from agents.bindings import Run
from agents.compaction import restore_compaction
from agents.context.compaction.plan import CompactionPlan
from agents.context.errors import ContextError
from agents.heartbeat import heartbeat
from agents.leases import LeaseLost
from agents.models import AgentSession, CompactionRecord, Turn
from agents.opening import open_context
from agents.sessions import NothingToDo, announce, status_of

BUSY = "The agent is working. Wait for the turn to end, or stop it."
NOTHING = "Nothing can be taken out: the context is already at or under its target."
NOT_LAST = "A newer compaction follows this one. Restore that first."

logger = logging.getLogger(__name__)
Status = CompactionRecord.Status


def preview_compaction(session: AgentSession) -> CompactionPlan:
    """Return what a compaction would do now; nothing is changed.

    Raises:
        ContextError: the context cannot be opened, for example because a tool is missing.
    """
    opened = open_context(Run(session, None, session.fence))
    try:
        return opened.context.preview_compaction()
    finally:
        opened.context.destroy()


def request_compaction(session: AgentSession, person: User) -> CompactionRecord:
    """Return the queued compaction of the session; one that is queued already is returned again.

    Raises:
        NothingToDo: a turn is unfinished.
    """
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        _refuse_while_busy(locked)
        queued = locked.compactions.filter(status=Status.QUEUED).first()
        record = queued or CompactionRecord.objects.create(
            session=locked,
            requested_by=person,
            trigger=CompactionRecord.Trigger.MANUAL,
            status=Status.QUEUED,
            after_sequence=locked.message_count,
            revision=locked.revision + 1,
        )
        announce(locked, conversation=True, status=AgentSession.Status.COMPACTING)
        transaction.on_commit(lambda: queue.poke_compaction(record.pk))
    return record


def run_compaction(record_id: UUID) -> None:
    """Carry out a queued compaction, or do nothing: it is done, or somebody else holds the session."""
    record = CompactionRecord.objects.select_related("session__profile", "requested_by").get(pk=record_id)
    if record.status != Status.QUEUED:
        return
    fence = leases.claim(record.session_id, leases.owner_name())
    if fence is None:
        return
    run = Run(record.session, None, fence, person=record.requested_by)
    try:
        with heartbeat.holding(run.session.pk, fence):
            error = _compact(run, record)
        _finish(run, record, error)
    except LeaseLost:
        logger.warning("Compaction %s went to another worker", record_id)


def restore(record: CompactionRecord, person: User) -> None:
    """Undo the session's last compaction.

    Raises:
        NothingToDo: it is not the last, was undone already, or a turn is unfinished.
    """
    last = record.session.compactions.filter(status=Status.DONE).order_by("-created_at").first()
    if last is None or last.pk != record.pk:
        raise NothingToDo(NOT_LAST)
    fence = leases.claim(record.session_id, leases.owner_name())
    if fence is None:
        raise NothingToDo(BUSY)
    try:
        _refuse_while_busy(record.session)
        restore_compaction(Run(record.session, None, fence, person=person), record)
    finally:
        leases.release(record.session_id, fence)


def wake_waiting_compactions() -> int:
    """Poke every queued compaction again; return how many. Harmless at any time."""
    waiting = list(CompactionRecord.objects.filter(status=Status.QUEUED).values_list("pk", flat=True))
    for record_id in waiting:
        queue.poke_compaction(record_id)
    return len(waiting)


def _refuse_while_busy(session: AgentSession) -> None:
    if session.turns.filter(status__in=Turn.UNFINISHED).exists():
        raise NothingToDo(BUSY)


def _compact(run: Run, record: CompactionRecord) -> str:
    """Return why it could not be done; the task's boundary, where every fault becomes a text."""
    try:
        opened = open_context(run, record)
        try:
            done = opened.context.compact()
        finally:
            opened.context.destroy()
    except LeaseLost:
        raise
    except ContextError as fault:
        return str(fault)
    except Exception:
        logger.exception("Compaction %s failed", record.pk)
        return "Something went wrong inside the server; its log has the details. Nothing was changed."
    return NOTHING if done.is_empty else ""


def _finish(run: Run, record: CompactionRecord, error: str) -> None:
    with transaction.atomic():
        session = AgentSession.objects.select_for_update().get(pk=run.session.pk)
        leases.check(session, run.fence)
        if error:
            CompactionRecord.objects.filter(pk=record.pk).update(
                status=Status.FAILED, error=error, revision=session.revision + 1
            )
        announce(session, conversation=True, status=status_of(session), lease_owner="", lease_until=None)
        following = session.turns.filter(status=Turn.Status.QUEUED).order_by("index").first()
        if following:
            transaction.on_commit(lambda: queue.poke_turn(following.pk))
