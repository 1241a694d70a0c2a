import enum
from types import SimpleNamespace

import pytest

from agents.context.errors import InvalidOption
from agents.context.kinds import (
    FLAG,
    FUNCTION,
    MAPPING,
    TEXT,
    WHOLE,
    Kind,
    check_kind,
    check_kinds,
    having,
    maybe,
    number,
    one_of,
    shown,
    some_of,
    whole,
)


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("kind", "fitting", "others"),
    [
        (one_of("red", "blue"), ["red", Colour.RED], ["Red", "", None, 1, ["red"]]),
        (whole(0), [0, 7, 10**30], [-1, 1.0, True, "1", None]),
        (maybe(whole(1)), [None, 1], [0, False]),
        (FLAG, [True, False], [1, 0, "yes", None]),
        (TEXT, ["", "a"], [b"a", None, 1]),
        (FUNCTION, [print, dict], ["print", None]),
        (number(0.5, 1), [0.5, 1], [0.4, 2, True, "1", None, float("nan")]),
        (WHOLE, [-1, 0], [1.0, True]),
        (MAPPING, [{}], [[], None]),
        (some_of("a", "b"), [[], ["a", "b"], {"a"}, ("b",)], ["a", ["c"], [1], None, 5]),
        (
            having("a box", "open"),
            [SimpleNamespace(open=1)],
            [SimpleNamespace(), type("Box", (), {"open": 1})],
        ),
    ],
)
def test_a_kind_knows_its_values(kind: Kind, fitting: list[object], others: list[object]) -> None:
    assert all(map(kind.fits, fitting))
    assert not any(map(kind.fits, others))


def test_a_refusal_names_the_option_its_kind_and_what_was_given() -> None:
    with pytest.raises(InvalidOption, match=r"^risk is one of low, high, not 'hgih'\.$"):
        check_kind("risk", "hgih", one_of("low", "high"))
    with pytest.raises(InvalidOption, match=r"^limit is a whole number of at least 1, or None, not 0\.$"):
        check_kinds({"limit": 0}, {"limit": maybe(whole(1))})


def test_options_that_were_not_given_are_passed_over() -> None:
    check_kinds({"a": True, "unknown": 1}, {"a": FLAG, "b": TEXT})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a\ud800\n", r"'a\ud800\n'"),
        ("x" * 100, f"'{'x' * 39}…"),
        (None, "None"),
        (1.5, "1.5"),
        (True, "True"),
        (2**100, "a value of type int"),
        ([1], "a value of type list"),
        (dict, "the class dict"),
    ],
)
def test_what_was_given_is_shown_shortly(value: object, words: str) -> None:
    assert shown(value) == words
