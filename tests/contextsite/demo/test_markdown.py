import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextsite.demo.markdown import amount, code, table
from tests.contextsite.demo.tables import table_of


@given(st.text(min_size=1, max_size=30).filter(str.strip))
def test_any_text_is_one_cell_of_a_table(text: str) -> None:
    rows = table_of(f"| a | b |\n| --- | --- |\n| {code(text)} | end |")
    assert len(rows) == 2
    assert rows[1][1] == "end"


@pytest.mark.parametrize("text", ["plain.py", "with `ticks`", "`", "a|b", "snow ☃.md"])
def test_a_path_reads_as_it_is_spelled(text: str) -> None:
    assert table_of(f"| a |\n| --- |\n| {code(text)} |")[1] == [text]


def test_a_line_break_in_a_path_is_shown_as_a_sign() -> None:
    assert code("a\nb") == "`a\u2424b`"


@pytest.mark.parametrize(("number", "text"), [(0, "0 lines"), (1, "1 line"), (1234, "1,234 lines")])
def test_amounts_read_well(number: int, text: str) -> None:
    assert amount(number, "line") == text


def test_a_table_has_a_head_a_rule_and_rows() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
