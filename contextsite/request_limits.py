"""Refuses requests that no view could serve: too large, or with characters that no database keeps."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from agents.answers import wants_json
from agents.attachments import MOST_BYTES

NUL = "\x00"
# Addresses to which people send images with a message.
TAKE_IMAGES = frozenset({"message-send", "session-new"})
# Texts that people write; their forms say themselves what cannot be stored, and keep what was typed.
CHECKED_BY_FORMS = frozenset({"value", "description", "message", "title"})

GetResponse = Callable[[HttpRequest], HttpResponse]


class RequestLimitsMiddleware:
    """Stands before every view, right behind the sessions."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 413 or 400 with the remedy, or pass the request on."""
        size = request.headers.get("content-length", "")
        if size.isdecimal() and _is_over(size, settings.DATA_UPLOAD_MAX_MEMORY_SIZE):
            most = _most_bytes(request)
            if _is_over(size, most):
                text = f"Too large: at most {most // 1024**2} MB fit. Nothing was stored; send less."
                return _refusal(request, text, 413)
        if _has_nul(request):
            text = "The request holds a NUL character, which no name can have. Remove it; nothing was stored."
            return _refusal(request, text, 400)
        return self._get_response(request)


def _is_over(size: str, most: int) -> bool:
    # Longer numbers are not worth reading.
    return len(size) > 18 or int(size) > most


def _most_bytes(request: HttpRequest) -> int:
    """Return what fits into the request; only people who are signed in send images."""
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    try:
        takes_images = resolve(request.path_info).url_name in TAKE_IMAGES
    except Resolver404:
        return most
    return most + MOST_BYTES if takes_images and SESSION_KEY in request.session else most


def _has_nul(request: HttpRequest) -> bool:
    if NUL in request.path_info:
        return True
    fields = [*request.GET.lists(), *request.POST.lists()]
    return any(
        NUL in name or (name not in CHECKED_BY_FORMS and any(NUL in each for each in values))
        for name, values in fields
    )


def _refusal(request: HttpRequest, error: str, status: int) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": error}, status=status)
    return render(request, "refused.html", {"error": error}, status=status)
