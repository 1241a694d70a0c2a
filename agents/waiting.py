"""Turns that wait for people or for a time: how far their calls are, and how they are left."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents import leases, queue
from agents.bindings import Run
from agents.context import json_values
from agents.context.json_values import JSON
from agents.context.toolbox import ToolManager
from agents.loop.events import TurnSuspended, WaitingCall
from agents.loop.suspension import LATER, Later, OpenCalls
from agents.loop.tool_calls import ToolCall
from agents.models import AgentSession, Message, ToolApproval, Turn
from agents.people import name_of
from agents.sessions import announce, status_of

LOST_RESULT = (
    "The worker stopped before the result of this call was stored, so whether it took effect is unknown. "
    "Check before you repeat it."
)
OTHER_ARGUMENTS = "The arguments are not those that were approved, so the call was not carried out."

Status = ToolApproval.Status


def begin(turn_id: Any, place: int) -> None:
    """Note that a call of the last reply is about to be carried out; the session is locked.

    A worker that takes the turn up carries out what was not begun, and nothing twice.
    """
    turn = Turn.objects.get(pk=turn_id)
    reply = last_reply(turn)
    if reply is not None:
        progress = _progress(turn, reply) or {"reply": reply.item_id}
        progress["begun"] = [*progress.get("begun", ()), place]
        Turn.objects.filter(pk=turn_id).update(progress=progress)


def last_reply(turn: Turn) -> Message | None:
    """Return the newest message of the model in the turn."""
    return turn.messages.filter(role="assistant").order_by("-sequence").first()


def open_calls(turn: Turn, reply: Message) -> OpenCalls:
    """Return the calls of the turn's last reply, whose results are not in the conversation, as they are now.

    Calls whose result died with a worker are answered with a note, and sleeping ones whose time has come.
    """
    progress = _progress(turn, reply)
    results: dict[int, JSON] = {int(place): each for place, each in progress.get("results", {}).items()}
    times = {int(place): datetime.fromisoformat(each) for place, each in progress.get("sleeping", {}).items()}
    now = timezone.now()
    over: dict[int, JSON] = {
        place: _woken(now, progress.get("wokenBy", "")) for place, until in times.items() if until <= now
    }
    lost: dict[int, JSON] = {
        place: {"success": False, "error": LOST_RESULT, "errorType": "ResultLost"}
        for place in progress.get("begun", ())
        if place not in results and place not in times
    }
    return OpenCalls(
        blocks=[block for block in reply.blocks if block["type"] == "tool_use"],
        results=lost | results | over,
        sleeping={place: until for place, until in times.items() if until > now},
        is_cut=reply.cut == Message.Cut.PROVIDER,
    )


class Decisions:
    """What people decided about the calls of one reply, for the loop that carries them out."""

    def __init__(self, reply: Message | None) -> None:
        rows = reply.approvals.select_related("decided_by") if reply else ()
        self._rows = {row.place: row for row in rows}

    def forget(self) -> None:
        """Know nothing from now on: another reply's calls are asked about anew."""
        self._rows = {}

    def answer(self, call: ToolCall) -> str | Later | None:
        """Return None for an approved call, why it may not be carried out, or LATER."""
        row = self._rows.get(call.place)
        if row is None or row.status not in {Status.APPROVED, Status.DENIED}:
            return LATER
        if row.status == Status.DENIED:
            return _denial(row)
        return None if row.digest == digest(exact(call.arguments)) else OTHER_ARGUMENTS


def exact(arguments: Mapping[str, JSON]) -> str:
    """Return the arguments as the text that people approve."""
    return json_values.shown(dict(arguments))


def digest(text: str) -> str:
    """Return what an approval is bound to."""
    return hashlib.sha256(text.encode()).hexdigest()


def suspend(run: Run, turn: Turn, event: TurnSuspended, tools: ToolManager) -> None:
    """Leave the turn in one transaction: results are kept, people are asked, the lease is given back.

    What was decided or asked for while the turn still ran queues it again at once.

    Raises:
        agents.leases.LeaseLost: the session went to another worker; nothing was written.
    """
    with transaction.atomic():
        session = leases.hold(run.session.pk, run.fence)
        now = Turn.objects.get(pk=turn.pk)
        reply = turn.messages.filter(role="assistant").latest("sequence")
        asked = [call for call in event.waiting if call.until is None]
        open_questions = [_ask(now, reply, call, tools) for call in asked if not now.cancel_requested]
        goes_on = now.cancel_requested or not all(open_questions)
        times = {call.place: call.until for call in event.waiting if call.until is not None}
        now.status = Turn.Status.QUEUED if goes_on else Turn.Status.WAITING
        now.wake_at = min(times.values(), default=None)
        now.progress = {
            "reply": reply.item_id,
            "results": {str(place): result for place, result in event.results.items()},
            "sleeping": {str(place): until.isoformat() for place, until in times.items()},
        }
        now.attempts, now.draft = 0, ""
        now.save(update_fields=["status", "wake_at", "progress", "attempts", "draft"])
        touch(session, reply)
        announce(
            session,
            conversation=True,
            status=status_of(session),
            doing=_doing(next(iter(asked), event.waiting[0]), tools),
            lease_owner="",
            lease_until=None,
        )
        if goes_on:
            transaction.on_commit(lambda: queue.poke_turn(turn.pk))


def touch(session: AgentSession, message: Message) -> None:
    """Let watchers get the message again with the change that is about to be announced."""
    Message.objects.filter(pk=message.pk).update(revision=session.revision + 1)


def _ask(turn: Turn, reply: Message, call: WaitingCall, tools: ToolManager) -> bool:
    """Return whether the question is open; it may have been answered while the turn still ran."""
    decided = reply.approvals.filter(place=call.place, status__in=[Status.APPROVED, Status.DENIED])
    if decided.exists():
        return False
    found, arguments = tools.get(call.name), exact(call.arguments)
    reply.approvals.update_or_create(
        place=call.place,
        defaults={
            "turn": turn,
            "tool": call.name,
            "risk": found.risk if found else "low",
            "arguments": arguments,
            "digest": digest(arguments),
            "status": Status.PENDING,
            "decided_at": None,
        },
    )
    return True


def _progress(turn: Turn, reply: Message) -> dict[str, Any]:
    is_of_reply = turn.progress.get("reply") == reply.item_id
    return dict(turn.progress) if is_of_reply else {}


def _woken(now: datetime, by: str) -> JSON:
    note = f"{by} woke you before the time." if by else "The time has come."
    return {"success": True, "now": now.isoformat(timespec="seconds"), "note": note}


def _denial(row: ToolApproval) -> str:
    who = name_of(row.decided_by) if row.decided_by else "The operator"
    reason = f" Reason: {row.reason}" if row.reason else " No reason was given."
    return f"{who} denied this call, so it was not carried out.{reason}"


def _doing(call: WaitingCall, tools: ToolManager) -> str:
    found = tools.get(call.name)
    line = found.describe_call(dict(call.arguments)) if found else call.name
    if call.until is not None:
        return f"waits until {call.until:%Y-%m-%d %H:%M %Z}"
    return " ".join(f"needs approval: {line}".split())[:200]
