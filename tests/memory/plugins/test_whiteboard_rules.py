import math
import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context import json_values
from memory.plugins.whiteboard import InContextMemory, InvalidEntry
from memory.plugins.whiteboard_rules import MAX_EPOCH_MS, check_key, check_time, clean_description
from tests.memory.plugins.whiteboard_cast import filled, picture


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def cyclic() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


GOOD: dict[str, object] = {"key": "new", "description": "d", "value": 1}

# What is wrong, and the words of the remedy.
BAD = {
    "a key of 200 characters": ({"key": "k" * 200}, "has 200 characters: use at most 128"),
    "a key with a newline": ({"key": "two\nlines"}, "use one plain line"),
    "a key with a paragraph separator": ({"key": "two\u2029lines"}, "use one plain line"),
    "a key that reverses the text after it": ({"key": "a\u202egpj"}, "use one plain line"),
    "a key with a lone surrogate": ({"key": "a\ud800"}, "use one plain line"),
    "a key with a zero-width space": ({"key": "a\u200bb"}, "invisible character, U+200B: leave it out"),
    "a key with a soft hyphen": ({"key": "a\xadb"}, "U+00AD: leave it out"),
    "a key with a word joiner": ({"key": "a\u2060"}, "U+2060: leave it out"),
    "a key with a byte order mark": ({"key": "\ufeffa"}, "U+FEFF: leave it out"),
    "a key with a blank letter": ({"key": "a\u3164"}, "U+3164: leave it out"),
    "a key with a tag": ({"key": "a\U000e0061"}, "U+E0061: leave it out"),
    "a key with a joiner between Latin letters": ({"key": "a\u200db"}, "U+200D: leave it out"),
    "a key that ends with a joiner": ({"key": "\u0646\u200c"}, "U+200C: leave it out"),
    "a key with a selector on a letter": ({"key": "a\ufe0f"}, "U+FE0F: leave it out"),
    "an empty key": ({"key": ""}, 'needs a "key"'),
    "a key of spaces": ({"key": "   "}, 'needs a "key"'),
    "a missing key": ({"key": None}, 'needs a "key"'),
    "a number as key": ({"key": 7}, 'needs a "key"'),
    "an empty description": ({"description": " \n "}, "required: describe the entry in one line"),
    "a number as description": ({"description": 7}, "required: describe the entry in one line"),
    "a long description": ({"description": "d" * 201}, "at most 200 and put details into the value"),
    "a description with control characters": ({"description": "bell\x07"}, "use plain text on one line"),
    "NaN": ({"value": {"ratio": math.nan}}, "value.ratio: nan is not JSON; use null or a string"),
    "a NUL": ({"value": ["a\x00"]}, "value[0]: text with a NUL or a lone surrogate; remove the character"),
    "a lone surrogate": ({"value": "\ud800"}, "remove the character"),
    "10,000 levels": ({"value": nested(10_000)}, "nested deeper than 64 levels; flatten the value"),
    "50 MB": ({"value": "x" * 50_000_000}, "larger than 1,000,000 bytes; store less, or a summary"),
    "a cycle": ({"value": cyclic()}, "send a value without cycles"),
    "a large integer": ({"value": 2**60}, "send it as a string"),
    "a function": ({"value": print}, "send text, numbers, lists or objects"),
    "an unknown priority": ({"priority": "urgent"}, "'urgent': use one of low, normal, high, critical"),
    "a priority in capitals": ({"priority": "High"}, "use one of low, normal, high, critical"),
    "a list as priority": ({"priority": ["high"]}, "list: use one of low, normal, high, critical"),
    "a word as flag": ({"show_in_ui": "yes"}, "showInUI is 'yes': use true or false"),
    "a number as flag": ({"show_in_ui": 1}, "showInUI is 1: use true or false"),
    "a value larger than the token limit": ({"value": "x " * 90_000}, "Delete entries, shorten the value"),
}


@pytest.mark.trap("W1.5", "W1.6", "W1.7")
@pytest.mark.parametrize(("fault", "remedy"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_with_a_remedy_and_changes_nothing(
    fault: dict[str, object], remedy: str
) -> None:
    board = filled(InContextMemory(), ("kept", "low"), ("other", "critical"))
    before = picture(board)
    fields = {**GOOD, **fault}
    data = {("showInUI" if name == "show_in_ui" else name): field for name, field in fields.items()}
    key = cast("str", data.pop("key"))

    with pytest.raises(Exception, match=re.escape(remedy)):
        board.set(**fields)  # type: ignore[arg-type]
    answer = board.store_set(key, cast("dict[str, json_values.JSON]", data))

    assert picture(board) == before
    assert answer["success"] is False
    assert remedy in str(answer["error"])
    assert len(json_values.encode(answer)) < 2_000


@pytest.mark.trap("W1.6")
def test_a_value_that_was_refused_does_not_spoil_the_next_prompt() -> None:
    board = filled(InContextMemory(), ("kept", "low"))

    with pytest.raises(InvalidEntry):
        board.set("bad", "d", cyclic())

    assert board.get_content() is not None
    assert board.get_state() == {"entries": [board.get_contents()["kept"]]}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("two\nlines", "two lines"),
        ("  a\r\n\r\nb\tc\u2028d  ", "a b c d"),
        ("d" * 200, "d" * 200),
        ("# heading **bold** ```", "# heading **bold** ```"),
    ],
)
def test_descriptions_become_one_line(sent: str, stored: str) -> None:
    board = InContextMemory()
    board.set("key", sent, 1)

    assert board.list()[0]["description"] == stored


@pytest.mark.parametrize("key", ["k" * 128, "a key with spaces", "漢字", "👩‍💻", "user.name-1_x/y"])
def test_keys_may_be_any_plain_line(key: str) -> None:
    board = InContextMemory()
    board.set(key, "d", 1)

    assert board.get(key) == 1


@given(st.text(), st.text())
def test_accepted_keys_and_descriptions_are_always_one_line(key: str, description: str) -> None:
    try:
        stored = [check_key(key), clean_description(description)]
    except InvalidEntry:
        return
    assert all(len(text.splitlines()) == 1 for text in stored)
    assert all(json_values.encode(text) for text in stored)


@pytest.mark.parametrize("value", [{}, [], "", 0, False, None, 1.5, {"": [[]]}, "a\u0007b", 2**53])
def test_any_json_is_a_value(value: object) -> None:
    board = InContextMemory()
    board.set("key", "d", value)

    assert repr(board.get("key")) == repr(value)


@pytest.mark.parametrize("moment", [0, 1_769_798_400_000, MAX_EPOCH_MS])
def test_times_from_1970_to_9999_are_accepted(moment: int) -> None:
    assert check_time(moment) == moment


@pytest.mark.parametrize("moment", [-1, MAX_EPOCH_MS + 1, 1.5, "now", True])
def test_other_times_are_refused(moment: object) -> None:
    with pytest.raises(InvalidEntry, match="use epoch milliseconds"):
        check_time(moment)


def test_a_refusal_repeats_long_input_only_in_part() -> None:
    with pytest.raises(InvalidEntry) as refusal:
        InContextMemory().set("key", "d", 1, "p" * 10_000)

    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    "key",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\U0001f469\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525",
        "1\ufe0f\u20e3",
    ],
    ids=["Persian", "Hindi", "emoji", "emoji with selector", "keycap"],
)
def test_joiners_and_selectors_may_stand_where_a_script_needs_them(key: str) -> None:
    board = InContextMemory()
    board.set(key, "d", 1)

    assert board.get(key) == 1


def test_a_saved_board_keeps_keys_of_earlier_rules() -> None:
    board = InContextMemory()
    board.restore_state({"entries": [{"key": "a\u200bb", "description": "d", "value": 1}]})
    board.set("a\u200bb", "d", 2)

    assert board.get("a\u200bb") == 2
