"""Actions on the conversation of a session: send, stop, withdraw and retry."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from agents import sessions
from agents.access import operable_session
from agents.answers import done, refused, wants_json
from agents.attachments import image_blocks
from agents.people import signed_in
from agents.refusals import RefusedInput


@require_POST
def send_message(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Queue the posted ``message`` and ``images``; ``idempotency_key`` makes a repeated post harmless."""
    session = operable_session(request.user, session_id)
    text = request.POST.get("message", "").replace("\r\n", "\n")
    try:
        sessions.submit_turn(
            session,
            text,
            signed_in(request),
            images=image_blocks(request.FILES.getlist("images")),
            idempotency_key=request.POST.get("idempotency_key", "")[:100],
        )
    except RefusedInput as refusal:
        if wants_json(request):
            return refused(request, session_id, str(refusal), field="message")
        context = {"session": session, "message": text, "error": str(refusal)}
        return render(request, "agents/message_refused.html", context, status=400)
    return done(request, session_id)


@require_POST
def stop(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Ask the session's unfinished turn to stop."""
    session = operable_session(request.user, session_id)
    try:
        sessions.stop_turn(session)
    except sessions.NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id, notice="The agent stops at its next step.")


@require_POST
def withdraw(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Take back the message whose ``turn`` waits."""
    session = operable_session(request.user, session_id)
    try:
        sessions.withdraw_turn(session, request.POST.get("turn", ""))
    except sessions.NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)


@require_POST
def retry(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Queue the last turn again after it failed or was stopped."""
    session = operable_session(request.user, session_id)
    try:
        sessions.retry_turn(session)
    except sessions.NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)
