import pytest

from agents.context.blank import is_blank


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\t",
        "\u200b",
        "\u200b \ufeff\u2060\u200d",
        "\u00a0\u2003",
        "\u3164\u2800",
        "\x00\x07",
        "\u202e",
    ],
)
def test_text_without_ink_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "\u200ba", ".", "0", "é", "漢", "😀", "\u0301", "\ue000", "\u200b-"])
def test_one_visible_character_is_enough(text: str) -> None:
    assert not is_blank(text)
