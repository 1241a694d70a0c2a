"""What people and programs do with sessions: start one, send a message, stop, retry."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents import bus, leases, queue
from agents.budget_view import context_use
from agents.context import json_values
from agents.context.blank import is_blank
from agents.context.json_values import JSON
from agents.context.messages import Block, InputImage, InputText
from agents.models import AgentProfile, AgentSession, Message, ToolApproval, Turn
from agents.refusals import RefusedInput

Status = Turn.Status

MAX_INPUT_CHARACTERS = 200_000
# A turn that nobody took up for this long is poked again.
STALLED_AFTER = timedelta(seconds=10)
MOST_WOKEN = 20
KEY_USED = "This key was used for another message. Send it with a new key."
TAKEN_UP = "The agent has taken up this message, so it cannot be withdrawn. Stop the turn."
NOT_WAITING = "There is no such message waiting; it was withdrawn or never sent."


class NothingToDo(Exception):
    """The action does not apply to the session as it is now; the text says why."""


def start_session(profile: AgentProfile, user: User | None, title: str) -> AgentSession:
    """Return a new idle session that froze the profile's settings of this moment."""
    clean = " ".join(json_values.repair_text(title).split())[:200] or f"New session of {profile.name}"
    session = AgentSession(profile=profile, user=user, title=clean)
    session.freeze(profile.snapshot())
    session.save(force_insert=True)
    return session


def start_with_message(
    profile: AgentProfile, user: User, title: str, text: str, images: Sequence[InputImage] = ()
) -> AgentSession:
    """Return a new session whose first turn is queued; nothing is stored when the message is refused.

    Raises:
        RefusedInput: see ``submit_turn``.
    """
    with transaction.atomic():
        session = start_session(profile, user, title)
        submit_turn(session, text, user, images=images)
    return session


def submit_turn(
    session: AgentSession,
    text: str,
    author: User | None,
    *,
    images: Sequence[InputImage] = (),
    idempotency_key: str = "",
) -> Turn:
    """Return the queued turn of this message; a repeated ``idempotency_key`` returns the turn it made.

    Args:
        session: where it is said.
        text: may be blank when there are images.
        author: who says it.
        images: what `attachments.image_blocks` made of files.
        idempotency_key: chosen by the client.

    Raises:
        RefusedInput: the message is empty, too long, or holds characters that cannot be stored; or the key
            made a turn of another message.
    """
    given = _checked_input(text, images)
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        if idempotency_key:
            known = locked.turns.filter(idempotency_key=idempotency_key).first()
            if known:
                if known.input != given:
                    raise RefusedInput(KEY_USED)
                return known
        last = locked.turns.order_by("-index").values_list("index", flat=True).first() or 0
        turn = Turn.objects.create(
            session=locked, index=last + 1, author=author, input=given, idempotency_key=idempotency_key
        )
        queue_turn(locked, turn)
    return turn


def stop_turn(session: AgentSession) -> Turn:
    """Return the turn that was asked to stop: the running one, which ends at its next step, or the next one.

    Raises:
        NothingToDo: no turn is unfinished.
    """
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        turn = locked.turns.filter(status__in=Turn.UNFINISHED).order_by("index").first()
        if turn is None:
            raise NothingToDo("The agent is not working, so there is nothing to stop.")
        turn.cancel_requested = True
        turn.approvals.filter(status=ToolApproval.Status.PENDING).update(
            status=ToolApproval.Status.WITHDRAWN, decided_at=timezone.now()
        )
        if turn.status != Turn.Status.RUNNING:
            # A worker answers what it has left open, so that no call stays without a result.
            is_open = bool(turn.progress)
            turn.status = Turn.Status.QUEUED if is_open else Turn.Status.CANCELLED
            turn.finished_at = None if is_open else timezone.now()
        turn.save(update_fields=["cancel_requested", "status", "finished_at"])
        if turn.status == Turn.Status.QUEUED:
            queue_turn(locked, turn)
        else:
            announce(locked, conversation=True, status=status_of(locked))
    return turn


def withdraw_turn(session: AgentSession, turn_id: str) -> None:
    """Remove a turn that nobody has taken up yet.

    Raises:
        NothingToDo: it began already, or there is no such turn.
    """
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        waiting = locked.turns.filter(status=Turn.Status.QUEUED, messages=None)
        turn = next((each for each in waiting if str(each.pk) == turn_id), None)
        if turn is None:
            raise NothingToDo(TAKEN_UP if _has_begun(locked, turn_id) else NOT_WAITING)
        turn.delete()
        announce(locked, conversation=True, status=status_of(locked))


def _has_begun(session: AgentSession, turn_id: str) -> bool:
    begun = session.turns.filter(Q(messages__isnull=False) | ~Q(status__in=[Status.QUEUED, Status.CANCELLED]))
    return turn_id in {str(each) for each in begun.values_list("pk", flat=True)}


def retry_turn(session: AgentSession) -> Turn:
    """Return the last turn, queued again to go on from what it had stored.

    Raises:
        NothingToDo: the last turn did not fail and was not stopped.
    """
    with transaction.atomic():
        locked = AgentSession.objects.select_for_update().get(pk=session.pk)
        turn = locked.turns.order_by("-index").first()
        if turn is None or turn.status not in {Turn.Status.FAILED, Turn.Status.CANCELLED}:
            raise NothingToDo("The last turn did not fail, so there is nothing to retry. Send a message.")
        turn.status, turn.error, turn.attempts, turn.transfer = Turn.Status.QUEUED, "", 0, {}
        turn.cancel_requested, turn.finished_at = False, None
        turn.save(
            update_fields=["status", "error", "attempts", "transfer", "cancel_requested", "finished_at"]
        )
        # The model answers anew; people still see what it had said.
        turn.messages.exclude(cut__in=["", Message.Cut.PROVIDER]).update(
            in_context=False, is_replaced=True, revision=locked.revision + 1
        )
        queue_turn(locked, turn)
    return turn


def wake_stalled_turns() -> int:
    """Poke turns that wait for too long or whose worker died, the oldest few of them; return how many.

    Harmless at any time and from any number of processes: a turn that runs is protected by its lease. Few at
    a time, because most of them only wait for a worker that is busy, and each poke costs a worker a look.
    """
    now = timezone.now()
    free = Q(session__lease_owner="") | Q(session__lease_until__isnull=True) | Q(session__lease_until__lt=now)
    earlier = Turn.objects.filter(
        session=OuterRef("session"), index__lt=OuterRef("index"), status__in=Turn.UNFINISHED
    )
    waiting = Turn.objects.filter(free, ~Exists(earlier), status__in=[Status.QUEUED, Status.RUNNING])
    stalled = waiting.filter(poked_at__lt=now - STALLED_AFTER).order_by("poked_at")
    turns = list(stalled.values_list("pk", flat=True)[:MOST_WOKEN])
    Turn.objects.filter(pk__in=turns).update(poked_at=now)
    for turn_id in turns:
        queue.poke_turn(turn_id)
    return len(turns)


def wake_orphaned_turns() -> int:
    """Poke the turns of workers that died on this machine, for the start of another; return how many.

    Without it they would wait for their lease to expire.
    """
    orphaned = Turn.objects.filter(session__in=leases.release_dead(), status=Status.RUNNING)
    return _poke_all(orphaned)


def wake_all_turns() -> int:
    """Poke every unfinished turn, for the start of a process whose broker lost its messages.

    Sessions of workers that died on this machine are freed first, so that their turns need not wait for the
    lease to expire.
    """
    leases.release_dead()
    return _poke_all(Turn.objects.filter(status__in=[Status.QUEUED, Status.RUNNING]))


def _poke_all(turns: QuerySet[Turn]) -> int:
    poked = list(turns.order_by("index").values_list("pk", flat=True))
    for turn_id in poked:
        queue.poke_turn(turn_id)
    return len(poked)


def announce(session: AgentSession, *, conversation: bool = False, **columns: Any) -> None:
    """Raise the revision of a locked session, write ``columns`` with it, and poke watchers after the commit.

    ``conversation`` says that messages or turns changed too.
    """
    session.revision += 1
    columns |= {"revision": session.revision, "changed_at": timezone.now()}
    if conversation:
        columns["conversation_revision"] = session.revision
    if "last_budget" in columns:
        columns["context_use"] = context_use(columns["last_budget"])
    for name, value in columns.items():
        setattr(session, name, value)
    session.save(update_fields=list(columns))
    revision = session.revision
    transaction.on_commit(lambda: bus.poke_session(session.pk, revision))


def poke_next(session: AgentSession) -> None:
    """Tell a worker about the session's next turn, if there is one, after the commit."""
    following = session.turns.filter(status=Turn.Status.QUEUED).order_by("index").first()
    if following:
        transaction.on_commit(lambda: queue.poke_turn(following.pk))


def status_of(session: AgentSession, turn: Turn | None = None) -> AgentSession.Status:
    """Return what the session's turns say it is doing.

    Any ``turn`` of the session that is at hand spares looking for the last one.
    """
    turns = session.turns.order_by("index")
    last = turn.index if turn else turns.values_list("index", flat=True).last() or 0
    telling = turns.filter(Q(status__in=Turn.UNFINISHED) | Q(index__gte=last))
    found = list(telling.values_list("status", flat=True))
    for status in (Turn.Status.RUNNING, Turn.Status.WAITING, Turn.Status.QUEUED):
        if status in found:
            is_asleep = status == Turn.Status.WAITING and not _waits_for_people(session)
            return AgentSession.Status.SLEEPING if is_asleep else AgentSession.Status(status)
    has_failed = found[-1:] == [Turn.Status.FAILED]
    return AgentSession.Status.FAILED if has_failed else AgentSession.Status.IDLE


def _waits_for_people(session: AgentSession) -> bool:
    pending = ToolApproval.Status.PENDING
    waiting = session.turns.filter(status=Turn.Status.WAITING)
    return waiting.filter(Q(wake_at=None) | Q(approvals__status=pending)).exists()


def queue_turn(session: AgentSession, turn: Turn) -> None:
    """Tell workers and watchers about a turn of a locked session that is queued now."""
    # A message brings a session back from the archive.
    announce(session, conversation=True, status=status_of(session, turn), archived_at=None)
    transaction.on_commit(lambda: queue.poke_turn(turn.pk))


def _checked_input(text: JSON, images: Sequence[InputImage]) -> str | list[Block]:
    """Return what the turn keeps as its input; models read images best in front of the text about them."""
    if not isinstance(text, str) or (is_blank(text) and not images):
        raise RefusedInput("The message is empty. Write what the agent shall do.")
    if len(text) > MAX_INPUT_CHARACTERS:
        raise RefusedInput(
            f"The message has {len(text):,} characters; at most {MAX_INPUT_CHARACTERS:,} fit. "
            "Put long material into a file the agent can read."
        )
    try:
        json_values.encode(text)
    except json_values.InvalidJSON as fault:
        raise RefusedInput(f"The message cannot be stored: {fault}.") from None
    if not images:
        return text
    said: list[Block] = [] if is_blank(text) else [InputText(type="input_text", text=text)]
    return [*images, *said]
