"""Pictures of cards, from our own origin; only images leave here, whatever was put in."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.access import visible_session
from memory.fetching import FetchRefused
from memory.models import SessionPicture
from memory.pictures import fetched

MOST_ADDRESS_CHARACTERS = 2_000


@require_safe
def show_session_picture(request: HttpRequest, session_id: UUID, key: str) -> HttpResponse:
    """Return a picture that a card or message of the session shows, to those who may see the session."""
    session = visible_session(request.user, session_id)
    picture = SessionPicture.objects.filter(session=session, key=key).first()
    if picture is None:
        raise Http404("No such picture.")
    return _answer(bytes(picture.content), "private, max-age=31536000, immutable")


@require_safe
def show_fetched_picture(request: HttpRequest) -> HttpResponse:
    """Return the picture behind ``url`` when its host is allowed."""
    address = request.GET.get("url", "")
    if not address or len(address) > MOST_ADDRESS_CHARACTERS:
        raise Http404("No such picture.")
    try:
        return _answer(fetched(address), "private, max-age=3600")
    except FetchRefused as refusal:
        return HttpResponse(f"Not shown: {refusal}.", status=404, content_type="text/plain; charset=utf-8")


def _answer(content: bytes, caching: str) -> HttpResponse:
    return HttpResponse(
        content,
        content_type="image/webp",
        headers={
            "Cache-Control": caching,
            "Content-Disposition": "inline",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        },
    )
