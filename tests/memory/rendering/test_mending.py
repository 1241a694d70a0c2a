"""What Markdown would drop stays on screen."""

import pytest

from memory.rendering.cards import render_markdown
from tests.memory.rendering import markup


def _text(source: str) -> str:
    card = render_markdown(source, "card")
    assert card.error is None
    markup.check(card.html)
    return markup.text(card.html)


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| 1 | 2 | 3 |", ["1", "2 | 3"]),
        ("1 | 2 | 3 | 4", ["1", "2 | 3 | 4"]),
        ("| 1 | `a|b` | c |", ["1", "a | b | c"]),
        ("| 1 | 2 | 3 \\| 4 |", ["1", "2 | 3 | 4"]),
        ("| x | x | x |", ["x", "x | x"]),
        ("|  |  | 3 |", ["", " |  | 3"]),
        ("| 1 |\u00a02 | three |", ["1", "2 | three"]),
        ("| 1 | 2 |", ["1", "2"]),
        ("| 1 |", ["1", ""]),
    ],
)
def test_extra_cells_of_a_row_join_the_last_one(row: str, cells: list[str]) -> None:
    assert markup.cells(render_markdown(f"| a | b |\n|---|---|\n{row}\n", "card").html) == cells


@pytest.mark.parametrize("prefix", ["> ", "  ", "> > "])
def test_extra_cells_are_kept_inside_quotes_and_lists(prefix: str) -> None:
    table = "".join(f"{prefix}{line}\n" for line in ("a | b", "--|--", "1 | 2 | three", "| 4 | 5 | six |"))
    shown = _text(f"- x\n\n{table}" if prefix == "  " else table)
    assert "2 | three" in shown
    assert "5 | six" in shown


def test_each_table_has_its_own_number_of_columns() -> None:
    shown = _text("|a|\n|-|\n|1|two|\n\n|a|b|c|\n|-|-|-|\n|1|2|3|\n")
    assert "1 | two" in shown
    assert "2 | 3" not in shown


def test_an_unused_link_definition_is_shown_at_the_end() -> None:
    assert _text("[status]: done\n\ntext") == "text\n[status]: done\n"


def test_a_used_link_definition_is_a_link_and_not_shown() -> None:
    html = render_markdown(
        "[docs] and [more][m]\n\n[docs]: https://a.example\n[m]: https://b.example\n", "card"
    ).html
    assert markup.links(html) == ["https://a.example", "https://b.example"]
    assert "]:" not in markup.text(html)


def test_an_address_in_an_unused_definition_is_still_a_link() -> None:
    html = render_markdown("[1]: https://a.example", "card").html
    assert markup.links(html) == ["https://a.example"]


def test_a_second_definition_of_a_label_is_shown() -> None:
    shown = _text("[a]\n\n[a]: https://one.example\n[a]: https://two.example 'title'\n")
    assert "one.example" not in shown
    assert "[a]: https://two.example 'title'" in shown


def test_a_definition_over_two_lines_is_shown_whole() -> None:
    assert "[a]:\nhttps://one.example" in _text("[a]:\nhttps://one.example")


def test_unused_footnotes_stay_where_they_are() -> None:
    shown = _text("before\n\n[^x]: note\n\n    more\n\nafter")
    assert shown.split() == ["before", "[^x]:", "note", "more", "after"]


def test_used_footnotes_move_to_the_end() -> None:
    shown = _text("a[^x] b[^x]\n\n[^x]: note\n\nafter")
    assert shown.split() == ["a[1]", "b[1]", "after", "note", "↩", "↩"]


def test_the_last_of_two_footnotes_counts_and_the_first_is_shown() -> None:
    shown = _text("a[^x]\n\n[^x]: one\n\n[^x]: two\n")
    assert shown.split() == ["a[1]", "[^x]:", "one", "two", "↩"]


def test_a_footnote_inside_a_footnote_is_shown_as_source() -> None:
    card = render_markdown("a[^x]\n\n[^x]: outer\n\n    [^y]: inner\n", "card")
    assert card.error == "Shown as text: a footnote inside a footnote."
    assert "outer" in markup.text(card.html)


def test_a_reference_without_footnote_is_text() -> None:
    assert _text("a[^x]") == "a[^x]\n"
