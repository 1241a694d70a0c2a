"""The answer to a turn that met another provider's encrypted items: go on without them."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agents.access import operable_session
from agents.answers import done, refused
from agents.people import signed_in
from agents.sessions import NothingToDo
from agents.transfers import confirm_transfer


@require_POST
def confirm(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Let the failed turn go on with the posted provider, ``to``."""
    session = operable_session(request.user, session_id)
    try:
        confirm_transfer(session, signed_in(request), request.POST.get("to", ""))
    except NothingToDo as reason:
        return refused(request, session_id, str(reason), status=409)
    return done(request, session_id)
