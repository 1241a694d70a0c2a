"""The documents in which diagrams are drawn: without origin, network, or anything of ours but one script."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from memory.bundles import KINDS, bundle_url

PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{}</title><script src="{}" defer></script>'
)


@require_safe
@xframe_options_sameorigin
def show_frame(request: HttpRequest, kind: str) -> HttpResponse:
    """Return the document that draws one kind of diagram; only a page of ours may frame it."""
    script = bundle_url(f"{kind}.js") if kind in KINDS else ""
    if not script:
        raise Http404("No such drawing frame.")
    response = HttpResponse(format_html(PAGE, f"Draws {kind}", script))
    # The libraries set styles; everything else stays closed, whatever a diagram talks them into.
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {request.build_absolute_uri(script)}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts; "
        f"report-uri {request.build_absolute_uri(reverse('csp-report'))}"
    )
    return response
