"""The page that shows what the model receives, and the exact request as a file."""

from collections.abc import Sequence
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import slugify

from agents import insight
from agents.access import visible_session
from agents.context.errors import ContextError
from agents.insight import Insight
from agents.markers import describe, title
from agents.model_calls import SharedPrefix, calls_page, previous_call, request_text, shared_prefix
from agents.models import AgentSession, ModelCall
from agents.parts import DamagedBody

MOST_SEARCH_CHARACTERS = 200
SHOWN_RECORDS = 20


def look_inside(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show a ``call``, by default the last one, or ``now``; find ``q``; ``format=txt`` gives a file."""
    session = visible_session(request.user, session_id)
    calls = calls_page(session)
    call = _chosen(session, request.GET.get("call", ""), calls)
    if call is not None and request.GET.get("format") == "txt":
        return _file(session, call)
    search = request.GET.get("q", "")[:MOST_SEARCH_CHARACTERS].strip()
    shown, fault = _shown(session, call, search)
    shared = _shared(call) if call and not fault else None
    context = {
        "session": session,
        "calls": calls,
        "call": call,
        "insight": shown,
        "fault": fault,
        "search": search,
        "shared": shared,
        "ends_in": insight.part_name(shared.ends_in) if shared and shared.ends_in else "",
        "records": [
            {"record": record, "title": title(record), "text": describe(record)}
            for record in session.compactions.order_by("-created_at")[:SHOWN_RECORDS]
        ],
    }
    return render(request, "agents/insight.html", context)


def _chosen(session: AgentSession, asked: str, calls: Sequence[ModelCall]) -> ModelCall | None:
    if asked == "now":
        return None
    if not asked:
        return insight.call_of(session, calls[0].pk) if calls else None
    try:
        call = insight.call_of(session, UUID(asked))
    except ValueError:
        call = None
    if call is None:
        raise Http404("No such call.")
    return call


def _shown(session: AgentSession, call: ModelCall | None, search: str) -> tuple[Insight | None, str]:
    try:
        return (insight.of_call(call, search) if call else insight.of_now(session, search)), ""
    except (ContextError, DamagedBody) as fault:
        return None, str(fault)


def _shared(call: ModelCall) -> SharedPrefix | None:
    before = previous_call(call)
    try:
        return shared_prefix(call, before) if before else None
    except DamagedBody:
        return None


def _file(session: AgentSession, call: ModelCall) -> HttpResponse:
    try:
        text = request_text(call)
    except DamagedBody as fault:
        raise Http404(str(fault)) from None
    if text is None:
        raise Http404("The request was dropped; its measures are still on the page.")
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    name = f"{slugify(call.title())}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
