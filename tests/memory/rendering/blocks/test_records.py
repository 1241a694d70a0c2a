"""Plain records read at a glance."""

import pytest

from agents.context.json_values import JSON
from memory.rendering.blocks.records import definition_grid, is_record, is_table, record_table
from tests.memory.rendering import markup


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1},
        {"a": None, "b": True, "c": 1.5, "d": "text"},
        {"a": [], "b": {}, "c": ["x", 1, None]},
        {"a": "x" * 200},
    ],
)
def test_objects_of_short_fields_are_records(value: JSON) -> None:
    assert is_record(value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        "text",
        {"a": {"b": 1}},
        {"a": [[1]]},
        {"a": [{}]},
        {"a": list(range(9))},
        {"a": "x" * 201},
        {"a": ["two\nlines"]},
    ],
)
def test_other_values_are_not(value: JSON) -> None:
    assert not is_record(value)


@pytest.mark.parametrize(
    "value",
    [
        [{"a": 1}, {"a": 2}],
        [{"a": 1, "b": 2}, {"a": 2, "b": None}, {"a": 3}],
        [{str(n): n for n in range(12)}] * 2,
    ],
)
def test_arrays_of_similar_records_are_tables(value: JSON) -> None:
    assert is_table(value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [{"a": 1}],
        [1, 2],
        [{"a": 1}, 2],
        [{"a": 1}, {}],
        [{"a": 1}, {"b": 1}, {"c": 1}],
        [{str(n): n for n in range(13)}] * 2,
        [{"a": {"b": 1}}, {"a": {"b": 2}}],
    ],
)
def test_other_arrays_are_not(value: JSON) -> None:
    assert not is_table(value)


def test_a_grid_shows_names_and_values_as_json() -> None:
    html = definition_grid(
        {"auto_approve_eur": 500, "currency": "EUR", "frozen": ["Castell & Co"], "ok": None}
    )
    assert html == (
        '<dl class="kv"><div><dt>auto_approve_eur</dt><dd><span class="num">500</span></dd></div>'
        "<div><dt>currency</dt><dd>&quot;EUR&quot;</dd></div>"
        "<div><dt>frozen</dt><dd>[&quot;Castell &amp; Co&quot;]</dd></div>"
        "<div><dt>ok</dt><dd><span class='muted'>null</span></dd></div></dl>\n".replace("'", '"')
    )


def test_a_table_has_a_column_per_field_in_order_of_appearance() -> None:
    html = record_table([{"name": "<Nordwind>", "open": 1}, {"name": "Halden", "open": 164, "done": False}])
    cells = [markup.text(f"<table>{row}</table>").strip() for row in html.split("<tr>")[1:]]
    assert cells == ["nameopendone", "<Nordwind>1", "Halden164false"]


def test_columns_of_numbers_are_aligned_to_the_end() -> None:
    html = record_table([{"n": 1, "s": "x", "b": True}, {"n": 2.5, "s": "2", "b": 1}, {"s": "y", "b": 1}])
    aligned = [attributes.get("class") for tag, attributes in markup.elements(html) if tag in ("th", "td")]
    assert aligned == ["md-ar", None, None] * 4
    markup.check(html)


def test_texts_keep_their_line_breaks() -> None:
    value: JSON = {"summary": "# H\n\n- a\\n", "n": 1}
    assert is_record(value)
    assert '<dd><span class="md-lines">&quot;# H\n\n- a\\\\n&quot;</span></dd>' in definition_grid(value)
    assert '<td><span class="md-lines"># H\n\n- a\\n</span></td>' in record_table([value, value])
