"""Answers to a turn that waits: approve or deny a call, and wake the agent."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agents import approvals
from agents.access import operable_session
from agents.answers import done, refused
from agents.models import ToolApproval
from agents.people import signed_in
from agents.refusals import RefusedInput
from agents.sessions import NothingToDo


@require_POST
def decide(request: HttpRequest, session_id: UUID, approval_id: UUID) -> HttpResponse:
    """Answer the approval: ``approve`` or ``deny`` holds the digest of the arguments that were shown."""
    session = operable_session(request.user, session_id)
    is_approved = "approve" in request.POST
    if is_approved == ("deny" in request.POST):
        return refused(request, session_id, "Choose one of Approve and Deny.")
    try:
        approvals.decide(
            session,
            approval_id,
            signed_in(request),
            is_approved=is_approved,
            digest=request.POST["approve" if is_approved else "deny"],
            reason=request.POST.get(f"reason-{approval_id}", "").replace("\r\n", "\n"),
        )
    except ToolApproval.DoesNotExist:
        raise Http404("No such approval.") from None
    except RefusedInput as refusal:
        return refused(request, session_id, str(refusal))
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)


@require_POST
def wake(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Wake the session's sleeping turn before its time."""
    session = operable_session(request.user, session_id)
    try:
        approvals.wake(session, signed_in(request))
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)
