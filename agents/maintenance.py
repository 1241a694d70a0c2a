"""What people ask of a session's context between turns: compact it, roll it over, preview, undo."""

import logging
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from agents import leases, queue
from agents.bindings import Run
from agents.compaction import restore_compaction
from agents.connectors.base import ConnectorError
from agents.context.compaction.plan import CompactionPlan
from agents.context.errors import ContextError
from agents.context.rollover import RolloverOptions
from agents.heartbeat import heartbeat
from agents.leases import LeaseLost
from agents.models import AgentSession, CompactionRecord, Turn
from agents.opening import open_context
from agents.rollover import roll_over_session
from agents.sessions import NothingToDo, announce, poke_next, status_of

BUSY = "The agent is working. Wait for the turn to end, or stop it."
NOTHING = "Nothing can be taken out: the context is already at or under its target."
NOTHING_MORE = (
    "Nothing can be taken out: what is left is the newest turn and what may not leave. "
    "Roll over with 0 turns that stay, or give the agent a larger context window."
)
NOT_LAST = "A newer compaction follows this one. Restore that first."

logger = logging.getLogger(__name__)
Status, Trigger = CompactionRecord.Status, CompactionRecord.Trigger


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


def why_nothing(plan: CompactionPlan) -> str:
    """Return why an empty plan does nothing, and what helps where the context is too large all the same."""
    return NOTHING if plan.reaches_target else NOTHING_MORE


def request_compaction(session: AgentSession, person: User) -> CompactionRecord:
    """Return the queued compaction of the session; what is queued already is returned instead.

    Raises:
        NothingToDo: a turn is unfinished.
    """
    return _request(session, person, Trigger.MANUAL, {})


def request_rollover(
    session: AgentSession,
    person: User,
    *,
    preserve_recent_turns: int = 8,
    max_summary_tokens: int = 2048,
    reason: str = "manual",
) -> CompactionRecord:
    """Return the queued rollover of the session; what is queued already is returned instead.

    Raises:
        NothingToDo: a turn is unfinished.
        ValueError: an option is out of range; the text names it.
    """
    options = RolloverOptions(preserve_recent_turns, max_summary_tokens, reason)
    return _request(
        session,
        person,
        Trigger.ROLLOVER,
        {
            "preserve_recent_turns": options.preserve_recent_turns,
            "max_summary_tokens": options.max_summary_tokens,
            "reason": options.reason,
        },
    )


def carry_out(record_id: UUID) -> None:
    """Carry out a queued request, or do nothing: it is done, or somebody else holds the session."""
    record = CompactionRecord.objects.select_related("session__profile", "requested_by").get(pk=record_id)
    if record.status != Status.QUEUED:
        return
    fence = leases.claim(record.session_id, leases.owner_name())
    if fence is None:
        return
    run = Run(record.session, None, fence, person=record.requested_by)
    try:
        with heartbeat.holding(run.session.pk, fence):
            error = _attempt(run, record)
        _finish(run, record, error)
    except LeaseLost:
        logger.warning("Request %s went to another worker", record_id)


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


def wake_waiting_requests() -> int:
    """Poke every queued request again; return how many. Harmless at any time."""
    waiting = list(CompactionRecord.objects.filter(status=Status.QUEUED).only("trigger"))
    for record in waiting:
        _poke(record)
    return len(waiting)


def _refuse_while_busy(session: AgentSession) -> None:
    if session.turns.filter(status__in=Turn.UNFINISHED).exists():
        raise NothingToDo(BUSY)


def _request(
    session: AgentSession, person: User, trigger: CompactionRecord.Trigger, options: dict[str, Any]
) -> CompactionRecord:
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        _refuse_while_busy(locked)
        queued = locked.compactions.filter(status=Status.QUEUED).first()
        record = queued or CompactionRecord.objects.create(
            session=locked,
            requested_by=person,
            trigger=trigger,
            options=options,
            status=Status.QUEUED,
            after_sequence=locked.message_count,
            revision=locked.revision + 1,
        )
        announce(locked, conversation=True, status=AgentSession.Status.COMPACTING)
        transaction.on_commit(lambda: _poke(record))
    return record


def _poke(record: CompactionRecord) -> None:
    poke = queue.poke_rollover if record.trigger == Trigger.ROLLOVER else queue.poke_compaction
    poke(record.pk)


def _attempt(run: Run, record: CompactionRecord) -> str:
    """Return why it could not be done; the task's boundary, where every fault becomes a text."""
    try:
        return roll_over_session(run, record) if record.trigger == Trigger.ROLLOVER else _compact(run, record)
    except LeaseLost:
        raise
    except (ContextError, ConnectorError) as fault:
        return str(fault)
    except Exception:
        logger.exception("Request %s failed", record.pk)
        return "Something went wrong inside the server; its log has the details. Nothing was changed."


def _compact(run: Run, record: CompactionRecord) -> str:
    opened = open_context(run, record)
    try:
        done = opened.context.compact()
        return why_nothing(done) if done.is_empty else ""
    finally:
        opened.context.destroy()


def _finish(run: Run, record: CompactionRecord, error: str) -> None:
    with transaction.atomic():
        session = AgentSession.objects.select_for_update().get(pk=run.session.pk)
        leases.check(session, run.fence)
        if error:
            CompactionRecord.objects.filter(pk=record.pk).update(
                status=Status.FAILED, error=error, revision=session.revision + 1
            )
        announce(session, conversation=True, status=status_of(session), lease_owner="", lease_until=None)
        poke_next(session)
