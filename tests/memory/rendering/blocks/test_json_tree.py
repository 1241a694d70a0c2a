"""JSON folds, keeps every value, and says when it is none."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context.json_values import JSON
from memory.rendering.blocks.json_tree import json_block, json_tree
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderSettings, visible
from memory.rendering.sanitize import seal
from tests.memory.rendering import markup

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _block(source: str, info: str = "json", settings: RenderSettings = DEFAULT_SETTINGS) -> str:
    draft = Draft("card", settings)
    return seal(json_block(source, info, draft), draft)


def test_the_first_two_levels_are_open() -> None:
    html = _block('{"a": {"b": {"c": {"d": 1}}}}')
    folds = [attributes for tag, attributes in markup.elements(html) if tag == "details"]
    assert folds == [{"open": ""}, {"open": ""}, {}, {}]


def test_every_kind_of_value_is_told_apart() -> None:
    html = _block('{"s": "<b>", "n": 1.5, "t": true, "z": null, "o": {}, "l": []}')
    for shown in (
        '<span class="tk-f">&quot;s&quot;</span>: <span class="tk-s">&quot;&lt;b&gt;&quot;</span>',
        '<span class="tk-n">1.5</span>',
        '<span class="tk-k">true</span>',
        '<span class="tk-k">null</span>',
        '<span class="tk-p">{}</span>',
        '<span class="tk-p">[]</span>',
    ):
        assert shown in html


def test_a_fold_says_how_much_it_holds() -> None:
    shown = markup.text(_block('{"one": [1], "two": [1, 2]}'))
    assert "{ 2 keys }" in shown
    assert '"one": [ 1 item ]' in shown
    assert '"two": [ 2 items ]' in shown
    assert "{ 1 key }" in markup.text(_block('{"a": 1}'))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("[1, 2", "not valid JSON: Expecting"),
        ("", "not valid JSON: Expecting value"),
        ('{"a": NaN}', "not valid JSON: NaN is not a JSON number"),
        ("[-Infinity]", "not valid JSON: -Infinity is not a JSON number"),
        ("1e999", "not valid JSON: 1e999 is too large a number"),
        ("9" * 5000, "not valid JSON: a number of 5,000 digits"),
        ('{"a": 1, "a": 2}', "not valid JSON: a key appears twice in one object"),
        ("[" * 400 + "]" * 400, "JSON nested deeper than 40 levels, shown as text"),
        ("[" * 90_000, "not valid JSON: "),
    ],
)
def test_what_is_no_tree_is_shown_as_source_with_the_reason(source: str, reason: str) -> None:
    html = _block(source)
    assert reason in markup.text(html)
    assert source in markup.text(html)
    assert "details" not in markup.tags(html)


def test_json_over_the_limits_is_shown_as_source() -> None:
    html = _block("[1, 2, 3]", settings=RenderSettings(max_json_parts=3))
    assert "JSON more than 3 values, shown as text" in markup.text(html)
    assert "[1, 2, 3]" in markup.text(html)


def test_the_blocks_of_one_card_share_the_limit() -> None:
    draft = Draft("card", RenderSettings(max_json_parts=3))
    first, second = (json_block("[1]", "json", draft) for _ in range(2))
    assert "details" in first
    assert "JSON more than 3 values, shown as text" in second


def test_further_words_of_the_info_string_are_kept() -> None:
    assert markup.text(_block("1", 'json title="limits"')).startswith('json title="limits"')
    assert markup.text(_block("1", "JSON")).strip() == "1"


@settings(deadline=None)
@given(VALUES)
def test_a_tree_keeps_every_leaf_and_key(value: JSON) -> None:
    draft = Draft("card", DEFAULT_SETTINGS)
    html = seal(json_tree(value, draft), draft)
    markup.check(html)
    shown = markup.text(html)
    assert all(any(visible(form) in shown for form in _forms(part)) for part in _parts(value))


def _forms(part: JSON) -> tuple[str, str]:
    """A leaf or key as one line of JSON, and with its line breaks as they are."""
    lines = part.split("\n") if isinstance(part, str) else []
    return json.dumps(part, ensure_ascii=False), "\n".join(
        json.dumps(line, ensure_ascii=False)[1:-1] for line in lines
    ).join('""')


def _parts(value: JSON) -> list[JSON]:
    if isinstance(value, dict):
        return [*value, *(part for child in value.values() for part in _parts(child))]
    if isinstance(value, list):
        return [part for child in value for part in _parts(child)]
    return [value]


def test_texts_keep_their_line_breaks() -> None:
    html = json_tree({"a": "one\n\ttwo", "b": {}}, Draft("card", DEFAULT_SETTINGS))
    assert '<span class="tk-s"><span class="md-lines">&quot;one\n\\ttwo&quot;</span></span>' in html
