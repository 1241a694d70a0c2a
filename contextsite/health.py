"""Whether this process lives, and whether it can serve; for load balancers, without a login."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@never_cache
@require_safe
def alive(request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as the process answers at all."""
    return JsonResponse({"status": "ok"})


@login_not_required
@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers and is migrated, else 503 with the name of what is missing."""
    for name, is_fine in CHECKS.items():
        if not is_fine():
            return JsonResponse({"status": "unavailable", "missing": name}, status=503)
    return JsonResponse({"status": "ok"})


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _is_migrated() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


CHECKS: dict[str, Callable[[], bool]] = {"database": _database_answers, "migrations": _is_migrated}
