from datetime import UTC, datetime, timedelta

import pytest

from agents.context.errors import CallSuspended
from agents.tools.sleeping import LONGEST, sleep_until, wake_time

NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "minutes", "until"),
    [
        ("2026-03-01T09:00:00Z", None, NOW + timedelta(hours=1)),
        ("2026-03-01T10:30:00+02:00", None, NOW + timedelta(minutes=30)),
        ("", 1.5, NOW + timedelta(seconds=90)),
        ("", LONGEST / timedelta(minutes=1), NOW + LONGEST),
    ],
)
def test_a_time_or_minutes_say_when_the_turn_goes_on(
    time: str, minutes: float | None, until: datetime
) -> None:
    assert wake_time(time, minutes, NOW) == until


@pytest.mark.parametrize(
    ("time", "minutes", "says"),
    [
        ("", None, "either"),
        ("2026-03-01T09:00:00Z", 3, "either"),
        ("tomorrow", None, "ISO 8601"),
        ("x" * 10_000, None, "ISO 8601"),
        ("2026-03-01T09:00:00", None, "no offset"),
        ("2026-03-01T08:00:00Z", None, "not in the future. It is 2026-03-01T08:00:00"),
        ("2025-03-01T08:00:00Z", None, "give a later time"),
        ("2026-04-01T09:00:00Z", None, "At most 30 days"),
        ("", 1e300, "At most 30 days"),
        ("0001-01-01T00:00:00+14:00", None, "out of range"),
    ],
)
def test_a_bad_time_is_refused_with_its_remedy(time: str, minutes: float | None, says: str) -> None:
    with pytest.raises(ValueError, match=says) as raised:
        wake_time(time, minutes, NOW)
    assert len(str(raised.value)) < 300


def test_the_call_itself_waits() -> None:
    with pytest.raises(CallSuspended) as raised:
        sleep_until(minutes=5)
    assert timedelta(minutes=4) < raised.value.until - datetime.now(UTC) <= timedelta(minutes=5)
