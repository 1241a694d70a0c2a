"""Answers to posted actions: JSON for scripts, a redirect with a notice for plain forms."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

# More than any row is numbered.
MOST_DIGITS = 18


def wants_json(request: HttpRequest) -> bool:
    """Tell whether the caller is a script that asked for JSON."""
    return request.headers.get("accept", "").startswith("application/json")


def whole_number(text: str) -> int | None:
    """Return a number that a request names, None for anything that is no sensible one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def done(request: HttpRequest, session_id: UUID, *, notice: str = "") -> HttpResponse:
    """Answer that it worked: ``{"ok": true}``, or back to ``next`` with the notice."""
    if wants_json(request):
        return JsonResponse({"ok": True})
    if notice:
        messages.success(request, notice)
    return _back(request, session_id)


def refused(
    request: HttpRequest, session_id: UUID, error: str, *, status: int = 400, field: str = ""
) -> HttpResponse:
    """Answer that it was not done and why: ``{"error", "field"}`` with the status, or back with the text."""
    if wants_json(request):
        return JsonResponse({"error": error, "field": field}, status=status)
    messages.error(request, error)
    return _back(request, session_id)


def _back(request: HttpRequest, session_id: UUID) -> HttpResponse:
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    response = redirect(target if safe else reverse("session", args=[session_id]))
    response.status_code = 303
    return response
