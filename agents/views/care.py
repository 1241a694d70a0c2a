"""The page about a session as a whole, and its actions."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from agents import session_care
from agents.access import may_act, operable_session, visible_session
from agents.answers import done, refused
from agents.models import AgentSession
from agents.sessions import NothingToDo


def manage(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show the title, the settings and the end of a session to whoever may see it."""
    session = visible_session(request.user, session_id)
    context = {
        "session": session,
        "may_act": may_act(request.user, session),
        "has_newer_settings": session.settings != session.profile.snapshot(),
    }
    return render(request, "agents/manage.html", context)


@require_POST
def rename(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Give the session the posted ``title``."""
    session = operable_session(request.user, session_id)
    try:
        session_care.rename(session, request.POST.get("title", ""))
    except session_care.InvalidTitle as reason:
        return refused(request, session_id, str(reason), field="title")
    return done(request, session_id, notice="Renamed.")


@require_POST
def archive(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Put the session away."""
    return _act(request, session_id, session_care.archive, "Put into the archive.")


@require_POST
def unarchive(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Take the session out of the archive."""
    return _act(request, session_id, session_care.unarchive, "Back from the archive.")


@require_POST
def apply_settings(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Let the session run with its agent's settings of now."""
    return _act(
        request, session_id, session_care.apply_settings, "The next turn runs with the agent's settings."
    )


@require_POST
def delete(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Delete the session when ``confirm`` repeats its title; otherwise ask for it."""
    session = operable_session(request.user, session_id)
    if request.POST.get("confirm", "").strip() != session.title:
        return refused(request, session_id, "Not deleted: the title was not repeated.", field="confirm")
    try:
        session_care.delete(session)
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return redirect("fleet")


def _act(
    request: HttpRequest, session_id: UUID, act: Callable[[AgentSession], None], notice: str
) -> HttpResponse:
    session = operable_session(request.user, session_id)
    try:
        act(session)
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id, notice=notice)
