"""Runs a turn: claim the lease, open the context from rows, drive the loop, checkpoint, release."""

import logging
from collections.abc import Callable
from functools import partial
from itertools import chain, repeat
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents import leases
from agents.bindings import Run, store_revisions
from agents.call_recorder import CallRecorder, close_lost_calls
from agents.checkpoint import Checkpoint, store_input, withdraw_input
from agents.connecting import connector_of, give_connections_back
from agents.connectors.base import ConnectorError, ModelRequest, ProviderMismatch
from agents.context import AgentContext
from agents.context.errors import ContextError, InputTooLarge
from agents.heartbeat import heartbeat
from agents.leases import LeaseLost
from agents.loop.events import ResultsStored, TurnSuspended
from agents.loop.limits import LimitReached, Limits, Pace
from agents.loop.turn import Loop, TooManyCalls, TurnStopped
from agents.models import AgentSession, Turn
from agents.opening import OpenContext, open_context
from agents.order import Step, order
from agents.sessions import announce, poke_next, status_of
from agents.stops import stop_watch
from agents.turn_writer import TurnWriter
from agents.waiting import Decisions, open_calls, suspend

MAX_ATTEMPTS = 3
MAX_MODEL_CALLS = 200
RUNNABLE = frozenset({Turn.Status.QUEUED, Turn.Status.RUNNING})
# How often a turn that waits looks whether somebody stopped it.
STOP_POLL_S = 0.25
ABANDONED = (
    "The worker stopped {attempts} times while it ran this turn. Nothing stored was lost; retry when ready."
)
TOO_LONG = "The turn took longer than {seconds:,} s, its limit. Retry to go on from here, or split the task."
INTERNAL = "Something went wrong inside the server; its log has the details. Nothing stored was lost; retry."

Nothing = Callable[[], None]

logger = logging.getLogger(__name__)


def run(turn_id: UUID) -> None:
    """Run the turn to its end, or do nothing: it is finished, not next in its session, or being run."""
    with order.place(Step.TAKE):
        taken = _take(turn_id)
    if taken is None:
        return
    run, turn = taken
    try:
        with heartbeat.holding(run.session.pk, run.fence), stop_watch.watching(turn_id):
            status, error = _outcome(run, turn)
        if status is not None:
            _finish(run, turn, status, error)
    except LeaseLost:
        logger.warning("Turn %s went to another worker", turn_id)


def _take(turn_id: UUID) -> tuple[Run, Turn] | None:
    """Claim the session and mark the turn as running; None when there is nothing to run."""
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update(of=("self",)).annotate(agent=F("profile__slug"))
        session = locked.filter(turns=turn_id).first()
        granted = leases.grant(session, leases.owner_name()) if session else None
        if session is None or granted is None:
            return None
        turn = session.turns.filter(status__in=Turn.UNFINISHED).order_by("index").first()
        if turn is None or turn.pk != turn_id or turn.status not in RUNNABLE:
            return None
        is_first = turn.started_at is None and turn.attempts == 0
        turn.status, turn.attempts, turn.started_at = Turn.Status.RUNNING, turn.attempts + 1, timezone.now()
        turn.save(update_fields=["status", "attempts", "started_at"])
        if turn.attempts > 1:
            close_lost_calls(turn)
        columns = granted | {"status": AgentSession.Status.RUNNING, "doing": "starting"}
        try:
            columns |= store_input(session, turn) if is_first else {}
        except ContextError as fault:
            announce(session, conversation=True, **_close(turn, session, Turn.Status.FAILED, str(fault)))
            return None
        announce(session, conversation=True, **columns)
    agent = str(vars(session)["agent"])
    return Run(session, turn, session.fence, is_first=is_first, agent=agent), turn


def _outcome(run: Run, turn: Turn) -> tuple[Turn.Status | None, str]:
    """Play the turn; the task's boundary, where every fault becomes a status and a text for people.

    The status is None when the rows have it already and the lease is given back.
    """
    if turn.attempts > MAX_ATTEMPTS:
        return Turn.Status.FAILED, ABANDONED.format(attempts=MAX_ATTEMPTS)
    try:
        return _play(run, turn), ""
    except LeaseLost:
        raise
    except TurnStopped:
        return Turn.Status.CANCELLED, ""
    except InputTooLarge as fault:
        withdraw_input(run, turn)
        return Turn.Status.FAILED, str(fault)
    except (ConnectorError, ContextError, TooManyCalls, LimitReached) as fault:
        if isinstance(fault, ProviderMismatch):
            turn.transfer = {"to": fault.asked, "found": list(fault.found), "count": fault.count}
        too_long = TOO_LONG.format(seconds=settings.TURN_SECONDS)
        return Turn.Status.FAILED, too_long if isinstance(fault, LimitReached) else str(fault)
    except Exception:
        logger.exception("Turn %s failed", turn.pk)
        return Turn.Status.FAILED, INTERNAL


def _play(run: Run, turn: Turn) -> Turn.Status | None:
    """Return SUCCEEDED, or None when the rows have the turn's status already; see ``_outcome``."""
    with order.place(Step.OPEN):
        opened = open_context(run)
    try:
        with order.place(Step.OPEN):
            record = Checkpoint(run, turn, opened.context)
            resumed = record.resume()
            if resumed.has_answer:
                return Turn.Status.SUCCEEDED
            reply = resumed.open_reply
            decisions = Decisions(reply)
            connector, model = connector_of(run.session)
        recorder = CallRecorder(run, opened.context, opened.stored_plugins)
        # The first time, what was read when the turn was taken up and opened is as good as new.
        once_more = _always if reply or turn.cancel_requested else _after_first
        loop = Loop(
            context=opened.context,
            connector=connector,
            model=model,
            max_calls=MAX_MODEL_CALLS if resumed.is_new else _calls_left(turn),
            limits=Limits(max_time_ms=max(1, round(settings.TURN_SECONDS * 1000))),
            pace=Pace(poll_s=STOP_POLL_S),
            before_call=once_more(partial(_refresh, run, opened)),
            before_request=partial(_before_request, recorder),
            check_stop=once_more(partial(_check_stop, turn)),
            watch_stop=partial(_watch_stop, turn),
            after_parallel=give_connections_back,
            approve=decisions.answer,
            can_wait=True,
            open_calls=open_calls(turn, reply) if reply else None,
        )
        end = partial(_end, turn, opened.context)
        with TurnWriter(run, record, recorder, opened.context.tools, end) as writer:
            suspended = _drive(loop, writer, decisions)
        if suspended:
            suspend(run, turn, suspended, opened.context.tools)
        if suspended or writer.has_ended:
            return None
        if writer.silence:
            raise ConnectorError(writer.silence)
        _consolidate(run, opened)
        return Turn.Status.SUCCEEDED
    finally:
        opened.context.destroy()


def _drive(loop: Loop, writer: TurnWriter, decisions: Decisions) -> TurnSuspended | None:
    """Return how the turn was left, None when it is over."""
    for event in loop.run():
        writer.write(event)
        if isinstance(event, TurnSuspended):
            return event
        if isinstance(event, ResultsStored):
            decisions.forget()
    return None


def _before_request(recorder: CallRecorder, request: ModelRequest) -> None:
    recorder.expect(request)
    give_connections_back()


def _calls_left(turn: Turn) -> int:
    """Return how often the turn may still ask the model, whatever it waited for in between."""
    return max(0, MAX_MODEL_CALLS - turn.messages.filter(role="assistant").count())


def _consolidate(run: Run, opened: OpenContext) -> None:
    """Tidy up after the answer; a fault here must not cost the answer, which is stored."""
    _refresh(run, opened)
    try:
        opened.context.consolidate()
    except ContextError:
        logger.exception("Tidying up after a turn failed; the context is as it was")


def _refresh(run: Run, opened: OpenContext) -> None:
    stores = store_revisions(run.session.pk)
    for plugin in opened.stored_plugins:
        plugin.refresh(stores)


def _check_stop(turn: Turn) -> None:
    is_wanted = Turn.objects.filter(pk=turn.pk, cancel_requested=True).exists()
    give_connections_back()
    if is_wanted:
        raise TurnStopped


def _watch_stop(turn: Turn) -> None:
    if stop_watch.is_wanted(turn.pk):
        raise TurnStopped


def _always(look: Nothing) -> Nothing:
    return look


def _after_first(look: Nothing) -> Nothing:
    """Return what looks each time but the first."""
    looks = chain([None], repeat(look))

    def maybe_look() -> None:
        once = next(looks)
        if once:
            once()

    return maybe_look


def _finish(run: Run, turn: Turn, status: Turn.Status, error: str) -> None:
    """Write the outcome, give the lease back and wake the next turn, all in one transaction."""
    with transaction.atomic():
        session = leases.hold(run.session.pk, run.fence)
        announce(session, conversation=True, **_close(turn, session, status, error))


def _end(turn: Turn, context: AgentContext, session: AgentSession) -> dict[str, Any] | None:
    """Let the turn succeed together with its answer, unless there is something to tidy up first.

    See ``TurnWriter``. What others wrote since the last call was prepared is looked at with the next one.
    """
    return None if context.is_over_threshold() else _close(turn, session, Turn.Status.SUCCEEDED, "")


def _close(turn: Turn, session: AgentSession, status: Turn.Status, error: str) -> dict[str, Any]:
    """Write how the turn ended; return the columns of the locked session that free it."""
    Turn.objects.filter(pk=turn.pk).update(
        status=status, error=error, transfer=turn.transfer, finished_at=timezone.now(), draft=None
    )
    following = status_of(session, turn)
    if following == AgentSession.Status.QUEUED:
        poke_next(session)
    return {"status": following, "doing": "", "lease_owner": "", "lease_until": None}
