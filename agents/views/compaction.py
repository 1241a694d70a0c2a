"""The page about a session's compactions: what one would do now, what the earlier ones did, and undoing."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from agents import maintenance
from agents.access import may_act, operable_session, visible_session
from agents.answers import done, refused, whole_number
from agents.context.compaction.plan import CompactionPlan
from agents.context.errors import ContextError
from agents.markers import cause, describe, title
from agents.models import AgentSession, CompactionRecord
from agents.people import signed_in
from agents.sessions import NothingToDo

SHOWN_RECORDS = 30
MOST = 1_000_000


def compaction_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show what a compaction would do now and what earlier ones did; a post asks for one."""
    if request.method == "POST":
        return _ask(request, session_id)
    session = visible_session(request.user, session_id)
    plan, error = _preview(session)
    context = {
        "session": session,
        "plan": plan,
        "error": error,
        "records": _records(session),
        "may_act": may_act(request.user, session),
    }
    return render(request, "agents/compaction.html", context)


@require_POST
def roll_over(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Ask for a rollover with the posted ``preserve_recent_turns``, ``max_summary_tokens`` and ``reason``."""
    session = operable_session(request.user, session_id)
    try:
        maintenance.request_rollover(
            session,
            signed_in(request),
            preserve_recent_turns=_number(request, "preserve_recent_turns", "8"),
            max_summary_tokens=_number(request, "max_summary_tokens", "2048"),
            reason=request.POST.get("reason", "").strip()[:200] or "manual",
        )
    except ValueError as fault:
        return refused(request, session_id, f"Not rolled over: {fault}")
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)


@require_POST
def restore(request: HttpRequest, session_id: UUID, record_id: UUID) -> HttpResponse:
    """Undo the session's last compaction."""
    session = operable_session(request.user, session_id)
    record = get_object_or_404(session.compactions.select_related("session__profile"), pk=record_id)
    try:
        maintenance.restore(record, signed_in(request))
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id, notice="The model sees again what the compaction had taken.")


def _number(request: HttpRequest, name: str, default: str) -> int:
    number = whole_number(request.POST.get(name, default))
    if number is None or number > MOST:
        raise ValueError(f"{name.replace('_', ' ')} is a whole number of at most {MOST:,}.")
    return number


def _ask(request: HttpRequest, session_id: UUID) -> HttpResponse:
    session = operable_session(request.user, session_id)
    try:
        maintenance.request_compaction(session, signed_in(request))
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)


def _preview(session: AgentSession) -> tuple[dict[str, Any] | None, str]:
    try:
        plan = maintenance.preview_compaction(session)
    except ContextError as fault:
        return None, str(fault)
    return (None, maintenance.why_nothing(plan)) if plan.is_empty else (_shown(plan, session), "")


def _shown(plan: CompactionPlan, session: AgentSession) -> dict[str, Any]:
    shown = plan.as_dict()
    numbers = dict(session.messages.values_list("item_id", "sequence"))
    items: Any = shown["items"]
    return shown | {"items": [item | {"number": numbers.get(item["itemId"])} for item in items]}


def _records(session: AgentSession) -> list[dict[str, Any]]:
    records = list(session.compactions.order_by("-created_at")[:SHOWN_RECORDS])
    last_done = next((each.pk for each in records if each.status == CompactionRecord.Status.DONE), None)
    return [
        {
            "record": record,
            "title": title(record),
            "text": describe(record),
            "cause": cause(record),
            "can_restore": record.pk == last_done,
        }
        for record in records
    ]
