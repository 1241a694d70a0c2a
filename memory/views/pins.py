"""Pin and unpin a key for the person who asks."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from agents.access import visible_session
from agents.answers import done, refused
from agents.people import signed_in
from memory import pins


@require_POST
def change_pin(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Change one pin: the button's name says how (pin, unpin or toggle) and its value names the key."""
    session = visible_session(request.user, session_id)
    actions = {"pin": pins.pin, "unpin": pins.unpin, "toggle": pins.toggle}
    asked = [(action, request.POST[name]) for name, action in actions.items() if name in request.POST]
    if len(asked) != 1:
        return refused(
            request, session_id, "Send exactly one of pin, unpin or toggle with the key as its value."
        )
    (action, key), *_ = asked
    try:
        action(signed_in(request), session.profile, key)
    except pins.InvalidPin as reason:
        return refused(request, session_id, str(reason), field="key")
    return done(request, session_id)
