"""Images of a conversation, from our own origin, for those who may watch it."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.access import visible_session
from agents.attachments import image_of


@require_safe
def show_image(request: HttpRequest, session_id: UUID, message_id: UUID, place: int) -> HttpResponse:
    """Return the image that stands at a place of a message."""
    session = visible_session(request.user, session_id)
    found = image_of(session, message_id, place)
    if found is None:
        raise Http404("No such image.")
    kind, content = found
    return HttpResponse(
        content,
        content_type=kind,
        headers={
            # A message never changes.
            "Cache-Control": "private, max-age=31536000, immutable",
            "Content-Disposition": "inline",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        },
    )
