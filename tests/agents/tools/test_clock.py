from datetime import UTC, datetime

import pytest

from agents.tools.clock import current_time, time_in

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_the_time_in_a_zone_has_its_offset_and_weekday() -> None:
    assert time_in("Europe/Berlin", NOW) == {
        "time": "2026-07-01T14:00:00+02:00",
        "weekday": "Wednesday",
        "timeZone": "Europe/Berlin",
        "epochSeconds": 1782907200,
    }


@pytest.mark.parametrize(
    "zone", ["", "Atlantis", "../../etc/passwd", "/etc/passwd", "a\0b", "x" * 10_000, "Europe"]
)
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="There is no time zone"):
        time_in(zone, NOW)


@pytest.mark.parametrize(("zone", "meant"), [("Europe/Berln", "Europe/Berlin"), ("Berlin", "Europe/Berlin")])
def test_similar_zones_are_named(zone: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"Did you mean .*{meant}"):
        time_in(zone, NOW)


def test_without_a_zone_it_is_utc() -> None:
    assert current_time()["timeZone"] == "UTC"  # type: ignore[index]
    assert current_time.describe_call({}) == "look at the clock in UTC"
