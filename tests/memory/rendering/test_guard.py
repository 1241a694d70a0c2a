"""Limits are named, and unsafe characters become visible."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context.json_values import JSON
from memory.rendering.guard import (
    DEFAULT_SETTINGS,
    RenderRefused,
    RenderSettings,
    admit_json,
    admit_text,
    visible,
)


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\x08",
        "\x0b",
        "\x1b",
        "\x7f",
        "\x85",
        "\x9f",
        "\u202a",
        "\u202e",
        "\u2066",
        "\ud800",
    ],
)
def test_it_shows_characters_that_could_deceive_or_break_a_page(character: str) -> None:
    assert visible(f"a{character}b") == "a\ufffdb"


@pytest.mark.parametrize(
    "text", ["", "tab\tline\nreturn\r", "ä € 漢字 😀 عربى", "zero\u200dwidth\u00a0space"]
)
def test_it_leaves_ordinary_text_alone(text: str) -> None:
    assert visible(text) == text


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_visible_text_can_be_encoded_and_keeps_its_length(text: str) -> None:
    assert len(visible(text).encode().decode()) == len(text)


def test_text_up_to_the_limit_is_admitted_and_made_visible() -> None:
    assert admit_text("ab\x00", RenderSettings(max_chars=3)) == "ab\ufffd"


def test_text_over_the_limit_is_refused_with_the_limit() -> None:
    with pytest.raises(RenderRefused, match="longer than 64,000 characters"):
        admit_text("x" * 64_001, DEFAULT_SETTINGS)


def test_json_over_the_text_limit_is_refused() -> None:
    with pytest.raises(RenderRefused, match="longer than 3 characters"):
        admit_json(1000, "1000", RenderSettings(max_json_chars=3))


@pytest.mark.parametrize("value", [None, [], {}, [[2]], {"a": {"b": "text is one value"}}])
def test_json_within_the_limits_is_admitted(value: JSON) -> None:
    assert 1 <= admit_json(value, "", RenderSettings(max_json_depth=3, max_json_parts=3)) <= 3


def test_json_with_too_many_values_is_refused() -> None:
    with pytest.raises(RenderRefused, match="more than 3 values"):
        admit_json([1, 2, 3], "", RenderSettings(max_json_parts=3))


def test_json_shown_earlier_counts_too() -> None:
    assert admit_json([1], "", RenderSettings(max_json_parts=3), earlier_parts=1) == 2
    with pytest.raises(RenderRefused, match="more than 3 values"):
        admit_json([1], "", RenderSettings(max_json_parts=3), earlier_parts=2)


def test_json_nested_too_deeply_is_refused_without_recursion() -> None:
    value: JSON = "core"
    for _ in range(50_000):
        value = [value]
    with pytest.raises(RenderRefused, match="nested deeper than 40 levels"):
        admit_json(value, "", DEFAULT_SETTINGS)
    while isinstance(value, list):  # taken apart level by level, which a deep value needs
        value = value.pop()


def test_settings_can_be_a_key() -> None:
    assert hash(RenderSettings()) == hash(DEFAULT_SETTINGS)
    assert RenderSettings(max_chars=1) != DEFAULT_SETTINGS
