"""How a reader wants pages, in cookies so that no script is needed: theme, density, single-key shortcuts."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

# Cookie to its values; the first one counts for everybody who did not choose.
CHOICES = {
    "theme": ("auto", "light", "dark"),
    "density": ("compact", "comfortable"),
    "shortcuts": ("on", "off"),
}
COOKIE_SECONDS = 365 * 24 * 3600


def look(request: HttpRequest) -> dict[str, dict[str, str]]:
    """Return ``look`` for templates: a value for each choice; one that nobody offers counts as not chosen."""
    chosen = {name: request.COOKIES.get(name, "") for name in CHOICES}
    return {
        "look": {
            name: chosen[name] if chosen[name] in values else values[0] for name, values in CHOICES.items()
        }
    }


@require_POST
def choose_look(request: HttpRequest) -> HttpResponse:
    """Store the posted choices and go back to ``next``."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(target if safe else "/")
    for name, values in CHOICES.items():
        chosen = request.POST.get(name, "")
        if chosen in values:
            response.set_cookie(
                name, chosen, max_age=COOKIE_SECONDS, samesite="Lax", secure=request.is_secure()
            )
    return response
