"""The clock: what time it is, in any time zone."""

from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from difflib import get_close_matches
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field

from agents.context.json_values import JSON
from agents.context.tools import tool


def time_in(zone: str, now: datetime) -> dict[str, JSON]:
    """Return the time in a zone: ISO 8601, the day of the week, the zone and seconds since 1970.

    Raises:
        ValueError: no such zone; the text names similar ones.
    """
    local = now.astimezone(_zone(zone))
    return {
        "time": local.isoformat(timespec="seconds"),
        "weekday": f"{local:%A}",
        "timeZone": zone,
        "epochSeconds": int(now.timestamp()),
    }


def now(
    time_zone: Annotated[str, Field(description="IANA name such as Europe/Berlin, or UTC.")] = "UTC",
) -> dict[str, JSON]:
    """Return the current time with its offset, and the day of the week, in a time zone."""
    return time_in(time_zone, datetime.now(UTC))


current_time = replace(
    tool(name="current_time", parallel=True)(now),
    call_description=lambda arguments: f"look at the clock in {str(arguments.get('time_zone', 'UTC'))[:60]}",
)


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    # Its own error is a KeyError; odd names reach the file system.
    except (KeyError, ValueError, OSError):
        known = available_timezones()
        near = get_close_matches(name[:60], known, n=3, cutoff=0.5)
        near += [each for each in sorted(known) if each.rpartition("/")[2].lower() == name[:60].lower()]
        hint = f" Did you mean {' or '.join(near[:3])}?" if near else ""
        raise ValueError(
            f"There is no time zone {name[:60]!r}; use an IANA name such as Europe/Berlin, or UTC.{hint}"
        ) from None
