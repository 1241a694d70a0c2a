from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.rendering.cards import render_markdown
from memory.rendering.growing import QUIET_MS, GrowingText, split_finished
from tests.memory.rendering import markup

PIECES = st.lists(
    st.sampled_from(
        [
            "# a",
            "para",
            "para",
            "- b",
            "  - c",
            "1. d",
            "> q",
            "```",
            "    code",
            "| a | b |",
            "|--|--|",
            "---",
            "=",
            "#",
            "\r",
            "\n",
            "\n",
            "\n\n",
            "$$",
            "\\[",
            "\\]",
            "\u2028",
            " ",
            "[x]: y",
            "[^1]: z",
        ]
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    ("text", "blocks", "tail"),
    [
        ("", [], ""),
        ("one", [], "one"),
        ("one\n", [], "one\n"),
        ("one\n\n", [], "one\n\n"),
        ("one\n\ntwo", [], "one\n\ntwo"),
        ("one\n\ntwo\n", ["one\n\n"], "two\n"),
        ("# one\ntwo\n- three\n", ["# one\n", "two\n"], "- three\n"),
        ("- a\n\n- b\n\nend\n", ["- a\n\n- b\n\n"], "end\n"),
        ("```\na\n\n# b\n", [], "```\na\n\n# b\n"),
        ("```\na\n```\nb\n", ["```\na\n```\n"], "b\n"),
        ("one\n\n[a]: b\n\ntwo\n", ["one\n\n[a]: b\n\n"], "two\n"),
        ("\n\none\r\n\r\ntwo\r\n", ["\n\none\r\n\r\n"], "two\r\n"),
    ],
)
def test_all_blocks_but_the_last_are_finished(text: str, blocks: list[str], tail: str) -> None:
    assert split_finished(text) == (blocks, tail)


def test_a_line_that_may_still_change_its_meaning_finishes_nothing() -> None:
    """``#`` alone is a heading, ``#1`` goes on with the paragraph."""
    assert split_finished("para\n#") == ([], "para\n#")
    assert split_finished("para\n#1 of them\n") == ([], "para\n#1 of them\n")


def test_a_text_over_the_limit_has_no_finished_blocks() -> None:
    text = "one\n\n" * 13_000
    assert split_finished(text) == ([], text)


@given(PIECES)
def test_nothing_is_lost_or_moved(pieces: list[str]) -> None:
    text = "".join(pieces)
    blocks, tail = split_finished(text)
    assert "".join(blocks) + tail == text


@given(PIECES, st.integers(1, 7))
def test_blocks_do_not_depend_on_when_one_looks(pieces: list[str], step: int) -> None:
    text = "".join(pieces)
    growing = GrowingText()
    seen: list[str] = []
    for number, part in enumerate(_parts(text, step)):
        seen += growing.add(part, number * 1_000_000)
    # What was finished early stays finished in the whole, whatever came behind it.
    whole, _ = split_finished(text)
    assert seen == whole


def test_finished_blocks_look_as_in_the_whole() -> None:
    text = "# a\n\n- b\n- c\n\n| x | y |\n|--|--|\n| 1 | 2 |\n\n> q\n\nend\n\nlast\n"
    blocks, tail = split_finished(text)
    parts = "".join(render_markdown(block, "m").html for block in [*blocks, tail])
    assert markup.text(parts) == markup.text(render_markdown(text, "m").html)


def test_it_looks_at_most_every_150_ms() -> None:
    looks: list[str] = []

    def split(text: str) -> tuple[list[str], str]:
        looks.append(text)
        return split_finished(text)

    growing = GrowingText(split)
    assert growing.add("one\n\ntwo\n", 0) == ["one\n\n"]
    assert growing.add("\nthree\n", QUIET_MS - 1) == []
    assert growing.tail == "two\n\nthree\n"
    assert growing.add("", QUIET_MS) == ["two\n\n"]
    assert looks == ["one\n\ntwo\n", "two\n\nthree\n"]


def test_it_looks_less_often_at_a_long_rest() -> None:
    growing = GrowingText()
    growing.add("```\n", 0)
    assert growing.add("x\n" * 8_000 + "```\nend\n", QUIET_MS) == []
    assert len(growing.add("", 3 * QUIET_MS)) == 1


def _parts(text: str, step: int) -> Iterator[str]:
    return (text[start : start + step] for start in range(0, len(text), step))
