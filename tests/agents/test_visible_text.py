import pytest

from agents.visible_text import NO_NAME, call_name, unhidden


@pytest.mark.parametrize("text", ["plain", "two\nlines", "größer 数"])
def test_what_can_be_seen_stays(text: str) -> None:
    assert unhidden(text) == text


def test_what_cannot_be_seen_becomes_an_escape() -> None:
    assert unhidden("a\u202eb\u00a0c\n") == "a\\u202eb\\u00a0c\n"


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u3164\t"])
def test_a_call_without_a_name_says_so(name: str) -> None:
    assert call_name(name) == NO_NAME
