"""Actions on the conversation of a session: send, stop, withdraw and retry."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agents import sessions
from agents.access import operable_session
from agents.answers import done, refused
from agents.people import signed_in


@require_POST
def send_message(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Queue the posted ``message`` as a turn; ``idempotency_key`` makes a repeated post harmless."""
    session = operable_session(request.user, session_id)
    try:
        sessions.submit_turn(
            session,
            request.POST.get("message", "").replace("\r\n", "\n"),
            signed_in(request),
            idempotency_key=request.POST.get("idempotency_key", "")[:100],
        )
    except sessions.RefusedInput as refusal:
        return refused(request, session_id, str(refusal), field="message")
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
