"""The tool with which an agent waits: the turn is left, and goes on at the time."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from agents.context.errors import CallSuspended
from agents.context.tools import tool

LONGEST = timedelta(days=30)


def wake_time(time: str, minutes: float | None, now: datetime) -> datetime:
    """Return when a call that was given a time, or a number of minutes, goes on.

    Raises:
        ValueError: both or neither was given, or the time is no time, past, or more than 30 days away.
    """
    if bool(time) == (minutes is not None):
        raise ValueError("Give either `time` or `minutes`.")
    until = _parsed(time) if minutes is None else now + timedelta(minutes=min(minutes, 10**6))
    shown = f"It is {now.isoformat(timespec='seconds')} now"
    if until <= now:
        raise ValueError(f"{until.isoformat()} is not in the future. {shown}; give a later time.")
    if until > now + LONGEST:
        raise ValueError(f"At most {LONGEST.days} days can be waited. {shown}; give an earlier time.")
    return until


@tool
def sleep_until(
    time: Annotated[
        str, Field(description="ISO 8601 with an offset, for example 2026-03-01T09:00:00+01:00.")
    ] = "",
    minutes: Annotated[float | None, Field(gt=0, description="Minutes from now, instead of `time`.")] = None,
) -> str:
    """Wait until a time, or for some minutes; at most 30 days. The turn goes on then with the time it is.

    People can wake you earlier. Other calls of the same reply that come after this one wait too.
    """
    raise CallSuspended(wake_time(time, minutes, datetime.now(UTC)))


def _parsed(time: str) -> datetime:
    try:
        until = datetime.fromisoformat(time)
    except ValueError:
        raise ValueError(
            f"{time[:60]!r} is no time. Write it in ISO 8601 with an offset, as 2026-03-01T09:00:00+01:00."
        ) from None
    if until.tzinfo is None:
        raise ValueError(f"{time[:60]} has no offset. Add one, for example Z for UTC or +01:00.")
    try:
        return until.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{time[:60]} is out of range; give a time within {LONGEST.days} days.") from None
