"""Sample objects for partials: what the views and the feed give them, and nothing more."""

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from memory.rendering.sanitize import SafeHTML

SESSION_ID = UUID("01970000-0000-7000-8000-000000000001")
NOON = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)
HOSTILE = "\"'><script>alert(1)</script>&{{ 7 }}{% now 'Y' %}\n"


def card(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "key": "progress",
        "dom_id": "card-0123456789ab",
        "description": "Where the work stands",
        "priority": "high",
        "show_in_ui": True,
        "pinned": False,
        "version": 15,
        "tokens": 1412,
        "updated_at": NOON,
        "age": "3 s ago",
        "size": "m",
        "body": SafeHTML("<p>Half <strong>done</strong></p>"),
        "changed_by": "agent",
        "receipt": None,
        "gone": "",
    }
    return SimpleNamespace(**(given | changes))


def hidden(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "key": "cursor",
        "dom_id": "card-987654321098",
        "description": "Last line read",
        "priority": "low",
        "tokens": 31,
        "age": "9 s ago",
    }
    return SimpleNamespace(**(given | changes))


def call(**changes: Any) -> SimpleNamespace:
    given = {
        "id": "call-1",
        "name": "store_set",
        "summary": "whiteboard/progress",
        "arguments": '{\n  "key": "progress"\n}',
        "result": '{\n  "success": true\n}',
        "state": "done",
        "effect": "",
        "duration": "41 ms",
    }
    return SimpleNamespace(**(given | changes))


def message(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "id": UUID("01970000-0000-7000-8000-000000000002"),
        "role": "assistant",
        "who": "survey",
        "time": NOON,
        "tokens": 214,
        "html": SafeHTML("<p>Eleven lines are left.</p>"),
        "images": [],
        "calls": [],
        "thinking": "",
        "remark": "",
        "is_replaced": False,
        "waits": False,
        "place": 0,
    }
    return SimpleNamespace(**(given | changes))


def budget(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "used": 71204,
        "max": 128000,
        "percent": 55.64,
        "level": "ok",
        "label": "71,204 of 128,000 tokens used.",
        "segments": [
            ("system", "System prompt", 1840, 0.0, 1.4375),
            ("reserve", "Reserve", 4096, 1.4375, 3.2),
        ],
        "marks": [("reclaim 75 %", 75.125), ("compact 90 %", 90.0)],
        "mark_places": [75.125, 90.0],
    }
    return SimpleNamespace(**(given | changes))


def fleet_row(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "id": SESSION_ID,
        "title": "Survey of the house",
        "agent": "survey",
        "status": "running",
        "now": "store_set whiteboard/progress",
        "model": "scripted:demo",
        "budget": budget(),
        "tokens": 1_204_331,
        "entries": 13,
        "turns": 18,
        "owner": "Olga Berg",
        "version": 7,
        "trend": SimpleNamespace(tokens=1204, points="0,19 100,1"),
        "cost": Decimal("1.2345"),
        "updated_at": NOON,
        "age": "3 s ago",
        "percent": 55.6,
        "level": "ok",
    }
    return SimpleNamespace(**(given | changes))


def fleet(**changes: Any) -> dict[str, Any]:
    """Return the context of the fleet page."""
    heading = {"name": "Needs attention first", "address": "?", "is_sorted": False, "direction": "ascending"}
    names = ("attention", "agent", "title", "model", "use", "tokens", "entries", "changed")
    bar = {"x": 10.0, "y": 1.0, "height": 34.0, "level": "warn"}
    facet = {"name": "Failed", "status": "failed", "count": 18, "address": "?show=failed", "is_current": True}
    given: dict[str, Any] = {
        "query": {"search": "", "show": "", "sort": "attention", "view": "list"},
        "order": {"label": "Needs attention first"},
        "is_filtered": False,
        "page": {"rows": [fleet_row()], "previous_url": "", "next_url": "?after=abc"},
        "summary": {
            "total": 1000,
            "archived": 0,
            "archive_url": "?show=archived",
            "is_searched": False,
            "high": 67,
            "facets": [facet],
            "histogram": [bar],
            "label": "Context use",
        },
        "columns": dict.fromkeys(names, heading) | {"attention": heading | {"is_sorted": True}},
        "orders": [("attention", "Needs attention first"), ("changed", "Last change")],
        "legend": [("system", "System prompt")],
        "agents_total": 14,
        "agents": [("survey", "Survey"), ("mail", HOSTILE)],
    }
    return given | changes


def session(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "id": SESSION_ID,
        "title": "Survey of the house",
        "agent": "survey",
        "agent_slug": "survey",
        "status": "running",
        "model": "scripted:demo",
        "turn_number": 18,
    }
    return SimpleNamespace(**(given | changes))


def turn(**changes: Any) -> SimpleNamespace:
    return SimpleNamespace(
        **(
            {"session_id": SESSION_ID, "number": 18, "status": "running", "error": "", "wake_at": None}
            | {"transfer": {}}
            | changes
        )
    )


def summary(**changes: Any) -> SimpleNamespace:
    given = {"entries": 13, "max_entries": 20, "tokens": 2412, "max_tokens": 40000}
    return SimpleNamespace(**(given | changes))


def eviction(**changes: Any) -> SimpleNamespace:
    given: dict[str, Any] = {
        "key": "scratch",
        "priority": "low",
        "tokens": 1204,
        "at": NOON,
        "age": "1 min ago",
    }
    return SimpleNamespace(**(given | changes))
