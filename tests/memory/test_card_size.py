import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context import json_values
from memory.card_size import card_size

SIZES = ("xs", "s", "m", "l", "xl")
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
    max_leaves=30,
)


def size_of(value: json_values.JSON) -> str:
    return card_size(json_values.encode(value))


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (None, "xs"),
        ("", "xs"),
        (42, "xs"),
        ("one short line", "xs"),
        ("a paragraph of text " * 12, "s"),
        ("\n".join(f"- [ ] step {number}" for number in range(8)), "m"),
        ("\n".join(f"| {number} | row |" for number in range(14)), "l"),
        ("\n".join(f"line {number}" for number in range(100)), "xl"),
        ("```mermaid\nflowchart TD\nA --> B\n```", "l"),
        ("Sales:\n\n~~~ vega-lite\n{}\n~~~", "l"),
        ("```mermaid\nA --> B\n```\n\n```vega\n{}\n```", "xl"),
        ("````vega\n" + "```\n" * 90 + "````\nThe end.", "l"),
        ("```python\nprint()\n```", "s"),
        ({"source": "```mermaid\nflowchart TD\nA --> B\n```"}, "s"),
        ({"done": 3, "open": 4}, "xs"),
        ({"files": 1, "lines": 2, "words": 3, "bytes": 4, "steps": 5}, "s"),
        ({f"field {number}": number for number in range(50)}, "xl"),
        ({"rows": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]}, "m"),
    ],
)
def test_longer_values_get_higher_cards(value: json_values.JSON, size: str) -> None:
    assert size_of(value) == size


@given(values)
def test_every_value_gets_a_size(value: json_values.JSON) -> None:
    assert size_of(value) in SIZES


@given(st.text("ab \n", max_size=3000), st.text("ab \n", max_size=200))
def test_more_text_never_makes_a_lower_card(text: str, more: str) -> None:
    assert SIZES.index(size_of(text)) <= SIZES.index(size_of(text + "\n" + more))


def test_it_does_not_count_a_huge_value_to_its_end() -> None:
    assert size_of(["x"] * 100_000) == "xl"
    assert size_of("word " * 1_000_000) == "xl"


def test_nesting_does_not_recurse() -> None:
    assert card_size("[" * 60 + "]" * 60) == "xl"
