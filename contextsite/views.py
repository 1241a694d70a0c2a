"""Pages that show agents and memory together: the fleet and one session."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify

from agents import sessions
from agents.access import visible_session, watched_session
from agents.answers import whole_number
from agents.attachments import MOST_BYTES, MOST_IMAGES, image_blocks
from agents.budget_view import SEGMENTS, budget_view
from agents.conversation import conversation_page, turn_view
from agents.models import AgentProfile
from agents.people import signed_in
from agents.queue_places import place_in_queue
from agents.refusals import RefusedInput
from contextsite.exports import as_json, as_markdown
from contextsite.fleet import columns, fleet_page, fleet_summary, rail
from contextsite.fleet_query import ORDERS, FleetQuery
from memory.board import board_page


def fleet(request: HttpRequest) -> HttpResponse:
    """Show the sessions that the person may see and the address asks for; the socket keeps them current."""
    person, query = signed_in(request), FleetQuery.asked(request.GET.dict())
    context = {
        "query": query,
        "order": ORDERS[query.sort],
        "is_filtered": query.is_filtered,
        "page": fleet_page(query, person),
        "summary": fleet_summary(query, person),
        "columns": columns(query),
        "orders": [(name, order.label) for name, order in ORDERS.items()],
        "legend": SEGMENTS,
        "agents_total": AgentProfile.objects.visible_to(person).count(),
        "agents": _agents(request),
    }
    return render(request, "contextsite/fleet.html", context)


def session_page(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show a session's conversation and whiteboard as they are now; the socket keeps them current."""
    person = signed_in(request)
    session, acts = watched_session(person, session_id)
    conversation = conversation_page(session, before=whole_number(request.GET.get("before", "")))
    board = board_page(session, person, acts=acts)
    context = {
        "session": {
            "id": session.pk,
            "title": session.title,
            "agent": session.profile.name,
            "agent_slug": session.profile.slug,
            "status": session.status,
            "model": session.settings["model"],
            "turn_number": conversation.turn.number if conversation.turn else None,
            "place": place_in_queue(session),
            "archived": session.archived_at is not None,
        },
        "conversation": conversation.messages,
        "earlier": conversation.earlier,
        "turn": conversation.turn,
        "draft": conversation.draft,
        "waiting": conversation.waiting,
        "cards": board.cards,
        "tray": board.tray,
        "summary": board.summary,
        "dock": board.dock,
        "budget": budget_view(session),
        "may_act": acts,
        "attach": {"images": MOST_IMAGES, "bytes": MOST_BYTES},
        "rail": rail(person, session.pk, session),
        "cursors": {"board": board.cursor, "conversation": conversation.cursor, "view": board.view},
    }
    return render(request, "contextsite/session.html", context)


def wall(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show a session's whiteboard for a screen on the wall: nothing to press, everything live."""
    person = signed_in(request)
    session = visible_session(person, session_id)
    turn = turn_view(session.pk)
    context = {
        "session": {
            "id": session.pk,
            "title": session.title,
            "agent": session.profile.name,
            "status": session.status,
            "model": session.model,
            "turn_number": turn.number if turn else None,
            "place": place_in_queue(session),
            "archived": session.archived_at is not None,
        },
        "board": board_page(session, person, acts=False, keeps_gone=False),
        "budget": budget_view(session),
    }
    return render(request, "contextsite/wall.html", context)


def new_session(request: HttpRequest) -> HttpResponse:
    """Show the form of a new session, or start it with its first message."""
    if request.method != "POST":
        return _new_session_form(request, {}, {})
    values = {name: request.POST.get(name, "") for name in ("agent", "title", "message")}
    person = signed_in(request)
    profile = AgentProfile.objects.operable_by(person).filter(slug=values["agent"]).first()
    if profile is None:
        return _new_session_form(request, values, {"agent": "Choose one of the agents in the list."})
    try:
        text = values["message"].replace("\r\n", "\n")
        images = image_blocks(request.FILES.getlist("images"))
        session = sessions.start_with_message(profile, person, values["title"], text, images)
    except RefusedInput as refusal:
        return _new_session_form(request, values, {"message": str(refusal)})
    return redirect("session", session.pk)


def _new_session_form(request: HttpRequest, values: dict[str, str], errors: dict[str, str]) -> HttpResponse:
    context = {"agents": _agents(request), "values": values, "errors": errors}
    return render(request, "contextsite/session_new.html", context, status=400 if errors else 200)


def _agents(request: HttpRequest) -> list[tuple[str, str]]:
    # A recording answers nothing new: sessions of it begin with an import.
    operable = AgentProfile.objects.operable_by(signed_in(request)).exclude(model__startswith="replay:")
    operable = operable.order_by("name").distinct()
    return list(operable.values_list("slug", "name"))


def export(request: HttpRequest, session_id: UUID, form: str) -> HttpResponse:
    """Return the whole session as a file: ``md`` or ``json``."""
    session = visible_session(signed_in(request), session_id)
    made, kind = {"md": (as_markdown, "text/markdown"), "json": (as_json, "application/json")}[form]
    name = f"{slugify(session.title)[:60] or 'session'}.{form}"
    response = HttpResponse(made(session), content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
