"""Browsers report here what the content policy stopped: logged, counted, and bounded in size and number."""

import json
import logging
import re
from collections.abc import Mapping
from datetime import date

from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

MOST_BYTES = 16 * 1024
MOST_LOGGED_A_MINUTE = 30
# What may be named; anything else counts as "other".
DIRECTIVES = (
    *(f"{kind}-src" for kind in ("default", "script", "style", "img", "font", "connect", "frame", "worker")),
    *("object-src", "media-src", "script-src-elem", "script-src-attr", "style-src-elem", "style-src-attr"),
    *("form-action", "base-uri", "frame-ancestors", "other"),
)
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")
_KEEP_SECONDS = 2 * 86_400

logger = logging.getLogger(__name__)


@csrf_exempt
@login_not_required
@require_http_methods(["GET", "POST"])
def csp_report(request: HttpRequest) -> HttpResponse:
    """Take a report (204), or tell staff how many came today, by directive."""
    if request.method == "GET":
        return _counts(request)
    size = request.headers.get("content-length", "")
    if not size.isdecimal() or int(size[:9]) > MOST_BYTES:
        return HttpResponse("A report has at most 16 kB.", status=413, content_type="text/plain")
    report = _report(request.body)
    if report is None:
        return HttpResponse("Not a report.", status=400, content_type="text/plain")
    directive = _directive(report)
    number = _count(f"csp:{timezone.now().date()}:{directive}", _KEEP_SECONDS)
    if _count(f"csp:{timezone.now():%H:%M}", 120) <= MOST_LOGGED_A_MINUTE:
        # No path and no query: a page's address may name what only its watchers know.
        logger.warning(
            "content policy: %s stopped %s in %s (report %d of the day)",
            directive,
            _origin(report.get("blocked-uri", report.get("blockedURL"))),
            _origin(report.get("source-file", report.get("sourceFile"))),
            number,
        )
    return HttpResponse(status=204)


def counts(day: date) -> dict[str, int]:
    """Return how many reports came that day, by directive."""
    known: dict[str, int] = cache.get_many([f"csp:{day}:{name}" for name in DIRECTIVES])
    return {key.rpartition(":")[2]: number for key, number in known.items()}


def _counts(request: HttpRequest) -> HttpResponse:
    if not request.user.is_staff:
        return HttpResponse("Not found.", status=404, content_type="text/plain")
    return JsonResponse(counts(timezone.now().date()))


def _report(body: bytes) -> Mapping[str, object] | None:
    """Return the report of either format: report-uri's, or the first of the Reporting API's."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return None
    report = value.get("csp-report", value.get("body"))
    return report if isinstance(report, dict) else None


def _directive(report: Mapping[str, object]) -> str:
    names = ("effective-directive", "effectiveDirective", "violated-directive")
    return next((str(report[name]) for name in names if report.get(name) in DIRECTIVES), "other")


def _origin(address: object) -> str:
    text = _UNPRINTABLE.sub("?", address) if isinstance(address, str) else ""
    found = re.match(r"[a-z-]{1,20}://[^/?#]{1,100}", text)
    return found[0] if found else text[:20] or "nothing"


def _count(key: str, seconds: int) -> int:
    cache.add(key, 0, seconds)
    try:
        return int(cache.incr(key))
    except ValueError:  # It expired in between.
        return 1
