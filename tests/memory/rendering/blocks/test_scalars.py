"""One-line values are legible, and copied they are still the value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.json_values import JSON
from memory.rendering.blocks.scalars import json_line, scalar
from tests.memory.rendering import markup


@pytest.mark.parametrize(
    ("value", "groups"),
    [(12345, ["345"]), (1234567, ["234", "567"]), (-100000.25, ["000"]), (2026, []), (1e30, [])],
)
def test_digits_are_set_apart_in_threes(value: JSON, groups: list[str]) -> None:
    html = scalar(value)
    assert [part.split("<")[0] for part in html.split('"md-digits">')[1:]] == groups
    assert markup.text(html) == json.dumps(value)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_copied_number_is_the_number(value: float) -> None:
    assert json.loads(markup.text(scalar(value))) == value


def test_truth_and_null_are_told_apart_from_words() -> None:
    assert scalar(value=True) == '<span class="md-yes">true</span>'
    assert scalar(value=False) == '<span class="md-no">false</span>'
    assert scalar(None) == '<span class="muted">null</span>'
    assert scalar("true") == "&quot;true&quot;"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-11-29", "29 Nov 2026"),
        ("2026-11-29T23:34:00Z", "29 Nov 2026, 23:34 UTC"),
        ("2026-11-29 23:34:07.25", "29 Nov 2026, 23:34:07"),
        ("2026-11-29T23:34+02:00", "29 Nov 2026, 23:34 UTC+0200"),
    ],
)
def test_dates_are_written_out_and_keep_their_source(text: str, shown: str) -> None:
    html = scalar(text)
    markup.check(html)
    assert html == f'<time datetime="{text}" title="{text}">{shown}</time>'


@pytest.mark.parametrize("text", ["2026-13-01", "2026-11-29T99:00Z", "2026-11", "20261129", "v2026-11-29"])
def test_what_is_no_date_stays_text(text: str) -> None:
    assert scalar(text, quoted=False) == text


@given(st.text())
def test_a_value_is_one_line(text: str) -> None:
    assert "\n" not in json_line(text)
