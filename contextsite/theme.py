"""The reader's colour theme, kept in a cookie so that it works without scripts."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

THEMES = ("auto", "light", "dark")
COOKIE = "theme"
COOKIE_SECONDS = 365 * 24 * 3600


def theme(request: HttpRequest) -> dict[str, str]:
    """Return ``theme`` for templates: auto, light or dark; a value nobody offers counts as auto."""
    chosen = request.COOKIES.get(COOKIE, "")
    return {"theme": chosen if chosen in THEMES else "auto"}


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Store the posted ``theme`` and go back to ``next``."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(target if safe else "/")
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(
            COOKIE, chosen, max_age=COOKIE_SECONDS, samesite="Lax", secure=request.is_secure()
        )
    return response
