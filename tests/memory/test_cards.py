from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.cards import (
    BoardView,
    Place,
    age,
    card,
    dom_id,
    hidden_entry,
    in_board_order,
    in_tray_order,
    moment,
    priority_of,
)
from memory.models import Entry
from memory.rendering.cards import CardHTML
from memory.rendering.sanitize import SafeHTML

NOW = datetime(2026, 5, 6, 14, 0, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
BODY = CardHTML(SafeHTML("<p>body</p>"))
keys = st.text(min_size=1, max_size=128)


def entry(key: str = "plan", *, shown: bool = True, priority: str = "normal", **columns: Any) -> Entry:
    defaults: dict[str, Any] = {
        "description": f"About {key}",
        "value": '"x"',
        "attributes": {"priority": priority, "showInUI": shown},
        "tokens": 12,
        "version": 3,
        "updated_at": NOW_MS,
        "changed_by": "agent",
        "card_size": "m",
    }
    return Entry(key=key, **(defaults | columns))


def names(entries: Any) -> list[str]:
    return [each.key for each in entries]


@given(keys, keys)
def test_the_id_of_a_card_is_plain_and_belongs_to_its_key(one: str, two: str) -> None:
    assert dom_id(one).removeprefix("card-").isalnum()
    assert len(dom_id(one)) == len("card-") + 12
    assert (dom_id(one) == dom_id(two)) is (one == two)


@pytest.mark.parametrize(
    ("shown", "pins", "sees"),
    [(True, (), True), (True, ("plan",), True), (False, ("plan",), True), (False, (), False)],
)
def test_a_person_sees_what_the_agent_shows_or_they_pinned(
    pins: tuple[str, ...], *, shown: bool, sees: bool
) -> None:
    assert BoardView(pins=pins).shows(entry(shown=shown)) is sees


@given(st.lists(keys, unique=True, max_size=5), st.lists(keys, unique=True, max_size=5), st.booleans())
def test_the_token_tells_views_apart(one: list[str], two: list[str], may_act: bool) -> None:
    here, there = BoardView(tuple(sorted(one)), may_act), BoardView(tuple(sorted(two)), may_act)
    assert (here.token == there.token) is (here == there)
    assert BoardView(here.pins, not may_act).token != here.token


def test_a_card_tells_what_a_person_needs() -> None:
    made = card(entry(), BoardView(pins=("plan",)), BODY, NOW + timedelta(seconds=3))
    assert (made.key, made.dom_id, made.description) == ("plan", dom_id("plan"), "About plan")
    assert (made.priority, made.show_in_ui, made.pinned) == ("normal", True, True)
    assert (made.version, made.tokens, made.size, made.changed_by) == (3, 12, "m", "agent")
    assert (made.updated_at, made.age) == (NOW, "3 s ago")
    assert (made.body, made.gone) == (BODY, "")


@pytest.mark.parametrize(
    ("place", "size"),
    [
        (Place("plan", None, "", is_collapsed=False), "m"),
        (Place("plan", None, "xl", is_collapsed=False), "xl"),
        (Place("plan", None, "xl", is_collapsed=True), "c"),
        (Place("other", None, "xl", is_collapsed=True), "m"),
    ],
)
def test_the_persons_own_size_of_a_card_wins(place: Place, size: str) -> None:
    assert card(entry(), BoardView(places=(place,)), BODY, NOW).size == size


def test_the_tray_knows_no_values() -> None:
    hidden = hidden_entry(entry(value='"a secret"', shown=False), NOW)
    assert "secret" not in repr(hidden)
    assert (hidden.key, hidden.priority, hidden.tokens, hidden.age) == ("plan", "normal", 12, "now")


def test_pinned_come_first_then_the_important_then_the_new() -> None:
    entries = [
        entry("low", priority="low"),
        entry("old", updated_at=NOW_MS - 10),
        entry("new"),
        entry("critical", priority="critical"),
        entry("high", priority="high"),
        entry("pinned", priority="low"),
    ]
    order = ["pinned", "critical", "high", "new", "old", "low"]
    assert names(in_board_order(entries, BoardView(pins=("pinned",)))) == order


def test_the_persons_own_order_comes_before_everything() -> None:
    places = (
        Place("b", 1, "", is_collapsed=False),
        Place("c", 0, "", is_collapsed=False),
        Place("d", None, "xl", is_collapsed=False),
    )
    entries = [entry("a", priority="critical"), entry("b"), entry("c", priority="low"), entry("d")]
    assert names(in_board_order(entries, BoardView(pins=("a",), places=places))) == ["c", "b", "a", "d"]


@given(st.permutations(["a", "b", "c", "d", "e"]))
def test_the_order_does_not_depend_on_the_order_of_rows(order: list[str]) -> None:
    assert names(in_board_order([entry(key) for key in order], BoardView())) == ["a", "b", "c", "d", "e"]


def test_the_tray_lists_the_important_first() -> None:
    entries = [entry("z"), entry("a"), entry("low", priority="low"), entry("top", priority="critical")]
    assert names(in_tray_order(entries)) == ["top", "a", "z", "low"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (0.9, "now"),
        (1, "1 s ago"),
        (59.9, "59 s ago"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86_399, "23 h ago"),
        (86_400, "1 d ago"),
        (864_000, "10 d ago"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(seconds: float, words: str) -> None:
    assert age(NOW_MS, NOW + timedelta(seconds=seconds)) == words


def test_moments_keep_milliseconds() -> None:
    assert moment(NOW_MS + 7) - NOW == timedelta(milliseconds=7)


@pytest.mark.parametrize(
    ("attributes", "priority"),
    [
        ({"priority": "critical"}, "critical"),
        ({}, "normal"),
        ({"priority": "urgent"}, "normal"),
        ({"priority": None}, "normal"),
        ({"priority": ["high"]}, "normal"),
    ],
)
def test_an_unknown_priority_counts_as_normal(attributes: dict[str, object], priority: str) -> None:
    assert priority_of(attributes) == priority
