import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.connectors.base import ModelRequest
from agents.connectors.body import Outline, Place, canonical, cut, find_text, outline, read_text

TEXT = st.text(max_size=6)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(TEXT, children, max_size=4),
    max_leaves=10,
)
BODIES = st.dictionaries(st.text(min_size=1, max_size=6), JSON_VALUES, max_size=5)


def wire(value: object, *, compact: bool = True, ascii_only: bool = False) -> bytes:
    separators = (",", ":") if compact else (", ", ": ")
    return json.dumps(value, ensure_ascii=ascii_only, separators=separators).encode()


def elements(body: bytes, places: list[Place]) -> list[object]:
    return [json.loads(body[at.start : at.end]) for at in places]


@pytest.mark.parametrize("compact", [True, False])
@given(value=BODIES)
def test_the_outline_gives_every_field_and_every_element(compact: bool, value: dict[str, object]) -> None:
    body = wire(value, compact=compact)
    found = outline(body)
    assert {name: json.loads(body[at.start : at.end]) for name, at in found.values.items()} == value
    lists = {name: each for name, each in value.items() if isinstance(each, list) and each}
    assert {name: elements(body, places) for name, places in found.items.items()} == lists


def test_a_body_that_is_no_longer_kept_has_an_empty_outline() -> None:
    assert outline(b"") == Outline()


def test_numbers_of_any_length_are_passed_over() -> None:
    body = b'{"n":' + b"9" * 10_000 + b',"list":[1e999,-0.0,' + b"1" * 5_000 + b"]}"
    found = outline(body)
    assert [len(body[at.start : at.end]) for at in found.items["list"]] == [5, 4, 5_000]


@given(value=BODIES)
def test_the_parts_of_a_body_give_the_body(value: dict[str, object]) -> None:
    assert b"".join(cut(wire(value))) == wire(value)


def test_bodies_that_share_messages_share_parts() -> None:
    messages = [{"role": "user", "content": f"message {number} " + "x" * 200} for number in range(200)]
    first = cut(wire({"model": "m", "messages": messages, "tools": []}))
    more = [*messages, {"role": "user", "content": "one more"}]
    second = cut(wire({"model": "m", "messages": more, "tools": []}))
    assert len(set(second) - set(first)) <= 2


def test_a_changed_section_of_the_system_message_leaves_the_other_parts_alone() -> None:
    sections = [f"# Section {number}\n\n" + "y" * 300 for number in range(40)]
    changed = [*sections[:20], "# Other", *sections[21:]]
    first = cut(wire({"messages": [{"role": "system", "content": "\n\n---\n\n".join(sections)}]}))
    second = cut(wire({"messages": [{"role": "system", "content": "\n\n---\n\n".join(changed)}]}))
    new = set(second) - set(first)
    assert 0 < sum(map(len, new)) < 0.5 * sum(map(len, second))


@pytest.mark.parametrize("ascii_only", [True, False])
def test_text_is_found_however_it_is_escaped(ascii_only: bool) -> None:
    text = 'Ähre "quoted"\n\\ \U0001f600'
    body = wire({"messages": [{"content": f"before {text} after"}]}, ascii_only=ascii_only)
    place = find_text(body, text)
    assert place is not None
    assert read_text(body, place) == text


def test_text_that_is_not_there_has_no_place() -> None:
    assert find_text(b'{"a":"b"}', "c") is None


def test_the_messages_are_found_under_the_names_of_each_format() -> None:
    for name in ("messages", "input", "contents"):
        body = wire({"model": "m", name: [{"a": 1}, {"b": 2}]})
        assert elements(body, outline(body).messages()) == [{"a": 1}, {"b": 2}]
    assert outline(b"{}").messages() == []


def test_a_body_of_no_wire_is_the_request_as_json() -> None:
    body = canonical(ModelRequest([{"role": "user"}], [{"name": "t"}], "m"))
    assert json.loads(body) == {"model": "m", "tools": [{"name": "t"}], "input": [{"role": "user"}]}


def test_a_field_may_be_looked_for_under_several_names() -> None:
    body = b'{"system":"s"}'
    assert outline(body).value(("instructions", "system")) == Place(10, 13)
    assert outline(body).value(("tools",)) is None
