import pytest

from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_entry import (
    NotesEntry,
    check_description,
    check_flag,
    check_priority,
    encode_value,
)


def test_the_value_is_a_fresh_copy_every_time() -> None:
    entry = NotesEntry("k", "d", '{"a":[1]}', 9)
    first = entry.value
    assert first == {"a": [1]}
    assert first is not entry.value


def test_a_note_without_value_has_none() -> None:
    assert NotesEntry("k", "d", "", 0).value is None


def test_a_note_is_as_small_as_its_text() -> None:
    assert not hasattr(NotesEntry("k", "d", "1", 1), "__dict__")


@pytest.mark.parametrize("text", ["one\ntwo", "one\r\ntwo", "one\ttwo", "one\u2028two", "one\x85two"])
def test_a_description_is_put_on_one_line(text: str) -> None:
    assert check_description(text, 150).split() == ["one", "two"]
    assert len(check_description(text, 150).splitlines()) == 1


def test_spaces_around_a_description_go() -> None:
    assert check_description("  what it is \n", 10) == "what it is"


@pytest.mark.parametrize("text", ["", "   ", "\n", None, 5, ["a"]])
def test_a_description_is_required(text: object) -> None:
    with pytest.raises(InvalidEntry, match="required"):
        check_description(text, 150)


def test_a_description_may_be_as_long_as_the_limit() -> None:
    assert check_description("é" * 150, 150) == "é" * 150


def test_a_description_too_long_is_refused_with_both_numbers() -> None:
    with pytest.raises(InvalidEntry, match=r"151 characters; the maximum is 150"):
        check_description("x" * 151, 150)


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\ud800", "\x7f", "\u202e", "\u2066"])
def test_control_characters_and_half_surrogates_are_refused(character: str) -> None:
    with pytest.raises(InvalidEntry, match="remove it"):
        check_description(f"a{character}b", 150)


@pytest.mark.parametrize("priority", ["low", "normal", "high", "critical"])
def test_the_four_priorities_are_accepted(priority: str) -> None:
    assert check_priority(priority) == priority


@pytest.mark.parametrize("priority", ["urgent", "", None, 1, ["low"]])
def test_any_other_priority_is_refused(priority: object) -> None:
    with pytest.raises(InvalidEntry, match="low, normal, high or critical"):
        check_priority(priority)


def test_flags_are_booleans() -> None:
    assert check_flag(True, "pinned") is True
    assert check_flag(False, "pinned") is False


@pytest.mark.parametrize("value", [0, 1, "true", None, []])
def test_what_only_looks_like_a_flag_is_refused(value: object) -> None:
    with pytest.raises(InvalidEntry, match="pinned must be true or false"):
        check_flag(value, "pinned")


def test_values_become_compact_json() -> None:
    assert encode_value({"b": [1, 2.0, None], "a": "é"}, 100) == '{"b":[1,2.0,null],"a":"é"}'


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, object(), 2**60, "\ud800", b"bytes"])
def test_what_json_cannot_hold_is_refused_in_the_words_of_the_encoder(value: object) -> None:
    with pytest.raises(InvalidEntry, match="value"):
        encode_value(value, 100)
