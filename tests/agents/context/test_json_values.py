import json
import math
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.json_values import (
    JSON,
    MAX_BYTES,
    InvalidJSON,
    check,
    compact,
    decode,
    encode,
    fingerprint,
    from_fingerprint,
    pretty,
    repair,
    repair_text,
    shown,
)

clean_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
json_values: st.SearchStrategy[JSON] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | clean_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(clean_text, inner, max_size=4),
    max_leaves=20,
)


def nested(levels: int) -> JSON:
    value: JSON = 1
    for _ in range(levels):
        value = [value]
    return value


@given(json_values)
def test_what_is_encoded_decodes_to_the_same_value_and_types(value: JSON) -> None:
    text = encode(value)

    assert repr(decode(text)) == repr(value)
    assert decode(pretty(value)) == value


def test_the_text_is_compact_and_keeps_order_and_letters() -> None:
    assert encode({"b": [1, 2], "a": "é漢😀", "": None}) == '{"b":[1,2],"a":"é漢😀","":null}'


@given(json_values)
def test_a_fingerprint_gives_the_same_value_and_types_as_a_new_copy(value: JSON) -> None:
    key = fingerprint(value)
    copy = from_fingerprint(key)

    assert repr(copy) == repr(value)
    assert fingerprint(copy) == key
    assert copy is not value or not isinstance(value, list | dict)


def test_values_that_only_look_equal_have_different_fingerprints() -> None:
    assert len({fingerprint(value) for value in ({"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"})}) == 4
    assert fingerprint({"a": 1, "b": 2}) != fingerprint({"b": 2, "a": 1})


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


def test_classes_derived_from_those_of_json_have_the_fingerprint_of_what_they_are_sent_as() -> None:
    assert fingerprint({"enum": [Colour.RED, Level.HIGH]}) == fingerprint({"enum": ["red", 3]})
    with pytest.raises(TypeError):
        fingerprint({"enum": [object()]})


def test_numbers_keep_their_type() -> None:
    assert encode([1.0, 1, -0.0, 1e22, True]) == "[1.0,1,-0.0,1e+22,true]"


def test_compact_text_is_that_of_encode() -> None:
    assert compact({"a": [1, {}], "é": 1.0}) == encode({"a": [1, {}], "é": 1.0}) == '{"a":[1,{}],"é":1.0}'


def test_pretty_text_has_an_indent_of_two_and_short_empty_containers() -> None:
    assert pretty({"a": [1, {}], "é": []}) == '{\n  "a": [\n    1,\n    {}\n  ],\n  "é": []\n}'


def test_tuples_become_arrays() -> None:
    assert encode(("a", (1,))) == '["a",[1]]'


@pytest.mark.parametrize(
    ("value", "path", "remedy"),
    [
        ({"a": [0, math.nan]}, "value.a[1]", "null or a string"),
        (math.inf, "value", "null or a string"),
        (-math.inf, "value", "null or a string"),
        ({"a": {"b": "x\x00y"}}, "value.a.b", "remove the character"),
        (["\ud800"], "value[0]", "remove the character"),
        ({"a\x00": 1}, "value", "remove the character"),
        ({"n": 2**53 + 1}, "value.n", "as a string"),
        ({"n": -(2**53) - 1}, "value.n", "as a string"),
        ({"a": {1: 2}}, "value.a", "use string keys"),
        ({"a": {1, 2}}, "value.a", "set is not JSON"),
        (b"bytes", "value", "bytes is not JSON"),
        ([object()], "value[0]", "object is not JSON"),
    ],
)
def test_it_refuses_what_json_cannot_hold_and_names_place_and_remedy(
    value: object, path: str, remedy: str
) -> None:
    with pytest.raises(InvalidJSON) as refusal:
        encode(value)

    assert refusal.value.path == path
    assert remedy in str(refusal.value)
    assert str(refusal.value).startswith(path)


def test_the_largest_exact_integers_are_accepted() -> None:
    assert encode([2**53, -(2**53)]) == "[9007199254740992,-9007199254740992]"


def test_sixty_four_levels_are_accepted_and_one_more_is_not() -> None:
    assert decode(encode(nested(64))) == nested(64)
    with pytest.raises(InvalidJSON, match="deeper than 64 levels; flatten"):
        encode(nested(65))


def test_ten_thousand_levels_are_refused_without_recursion() -> None:
    with pytest.raises(InvalidJSON, match="flatten"):
        encode(nested(10_000))


def test_the_depth_limit_can_be_lowered() -> None:
    with pytest.raises(InvalidJSON, match="deeper than 2 levels"):
        encode(nested(3), max_depth=2)


def test_a_cycle_is_named_and_a_shared_part_is_not_a_cycle() -> None:
    cycle: dict[str, object] = {"a": []}
    cycle["a"] = [cycle]
    shared = ["x"]

    with pytest.raises(InvalidJSON, match=r"value\.a\[0\]: it contains itself"):
        encode(cycle)
    assert encode([shared, shared]) == '[["x"],["x"]]'


def test_values_that_double_at_every_level_are_refused_by_size() -> None:
    value: list[object] = ["x"]
    for _ in range(50):
        value = [value, value]

    with pytest.raises(InvalidJSON, match="larger than 10,000 bytes"):
        encode(value, max_bytes=10_000)


def test_fifty_megabytes_are_refused() -> None:
    with pytest.raises(InvalidJSON, match="store less, or a summary"):
        encode({"text": "x" * 50_000_000})


def test_the_size_limit_counts_bytes_of_the_text() -> None:
    assert encode("éé", max_bytes=6) == '"éé"'
    with pytest.raises(InvalidJSON, match="larger than 5 bytes"):
        encode("éé", max_bytes=5)


@pytest.mark.parametrize("text", ["", "{", "{'a':1}", "[1,]", "nul", "1" * 5000])
def test_text_that_is_not_json_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(InvalidJSON, match=r"not valid JSON .*; send one JSON value"):
        decode(text)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "[-Infinity]"])
def test_constants_that_are_not_json_are_refused(text: str) -> None:
    with pytest.raises(InvalidJSON, match="use null or a string"):
        decode(text)


@pytest.mark.parametrize("text", ["1e999", '{"a":[-1e309]}', "9" * 400 + ".0"])
def test_numbers_that_would_become_infinite_are_refused(text: str) -> None:
    with pytest.raises(InvalidJSON, match=r"too large for a number; send it as a string"):
        decode(text)


def test_the_largest_and_the_smallest_floats_are_read() -> None:
    assert decode("[1.7976931348623157e308,-1e-999,1.5]") == [1.7976931348623157e308, 0.0, 1.5]


def test_text_that_nests_too_deeply_to_parse_is_refused() -> None:
    with pytest.raises(InvalidJSON, match="nested too deeply"):
        decode("[" * 100_000)


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("plain é", "plain é"),
        ("a\x00b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("end\ud83d", "end\ufffd"),
        ("\ufeff\ud83d\ude00", "\ufeff😀"),
    ],
)
def test_repair_joins_pairs_and_replaces_what_cannot_be_stored(dirty: str, clean: str) -> None:
    assert repair_text(dirty) == clean


@given(st.text())
def test_repaired_text_can_always_be_encoded(text: str) -> None:
    assert json.loads(encode(repair_text(text))) == repair_text(text)


def test_repair_reaches_keys_and_every_level_and_keeps_order() -> None:
    dirty: JSON = {"b\x00": [1, {"x": "\ud800"}, "ok"], "a": None}

    assert encode(repair(dirty)) == '{"b\ufffd":[1,{"x":"\ufffd"},"ok"],"a":null}'
    assert encode(dirty["a"] if isinstance(dirty, dict) else dirty) == "null"


def test_repair_leaves_what_json_does_not_have_to_the_check() -> None:
    odd: Any = {"\ud800": (object, {1j: "\x00"})}
    assert repair(odd) == {"\ufffd": [object, {1j: "\ufffd"}]}


def test_repair_refuses_what_contains_itself() -> None:
    value: list[Any] = []
    value += [value, value]
    with pytest.raises(InvalidJSON, match="contains itself"):
        repair(value)


def test_repair_does_not_recurse() -> None:
    repaired = repair(nested(10_000))

    for _ in range(10_000):
        assert isinstance(repaired, list)
        repaired = repaired[0]
    assert repaired == 1


@given(json_values)
def test_repair_leaves_clean_values_as_they_are(value: JSON) -> None:
    assert repr(repair(value)) == repr(value)


def test_what_is_only_looked_at_is_never_refused() -> None:
    assert (
        shown({"n": 2**60, "x": float("inf"), "s": "\ud800"})
        == '{"n":1152921504606846976,"x":Infinity,"s":"\ufffd"}'
    )
    assert shown([1], indent=2) == "[\n  1\n]"


def test_what_is_nested_too_deeply_to_show_is_said() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert shown(value) == "(nested too deeply to show)"


@given(json_values)
def test_a_check_passes_what_encode_takes(value: JSON) -> None:
    check(value)


@pytest.mark.parametrize(
    "value", ["\x00", "\ud800", math.nan, 2**60, {1: 2}, nested(80), "é" * (MAX_BYTES // 2), "a" * MAX_BYTES]
)
def test_a_check_refuses_what_encode_refuses(value: object) -> None:
    with pytest.raises(InvalidJSON) as of_encode:
        encode(value)
    with pytest.raises(InvalidJSON) as of_check:
        check(value)

    assert str(of_check.value) == str(of_encode.value)
