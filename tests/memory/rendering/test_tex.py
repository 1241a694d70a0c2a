"""Formulas are found where writers put them, and nowhere else."""

import pytest

from memory.rendering.cards import render_markdown
from tests.memory.rendering import markup


def _html(source: str) -> str:
    card = render_markdown(source, "card")
    assert card.error is None
    markup.check(card.html)
    return card.html


def _count(source: str) -> int:
    return _html(source).count("<math")


@pytest.mark.parametrize(
    "source",
    [
        "so ($x^2$) it is",
        "so ($$\\begin{aligned} a &= b \\\\ c \\end{aligned}$$) it is",
        "so \\(\\{x\\}\\) it is",
        "so \\[\\frac{a}{b}\\] it is",
        "so (${1,2}$) it is",
        "so ($a \\$ b$) it is",
        "$$\nx\n$$",
        "\\[\nx\n\\]",
        "\\begin{align}\na&=b\\\\\n- c&=d\n\\end{align}",
        "text\n$$\n- x\n$$",
        "- item\n\n  $$\n  x\n  $$",
        "> $$\n> - y\n> $$",
        "| a |\n|---|\n| $x$ |",
        "$$x$$",
    ],
)
def test_formulas_are_found(source: str) -> None:
    assert _count(source) == 1


@pytest.mark.parametrize(
    "source",
    [
        "$$\n\nx\n\n$$",
        "$$\nx",
        "$$\n$$",
        "\\begin{align}\nx",
        "    $$\n    x\n    $$",
        "\\(x and \\[y",
        "\\(\\)",
    ],
)
def test_what_does_not_end_or_is_empty_stays_text(source: str) -> None:
    assert _count(source) == 0


def test_the_lines_of_a_formula_are_no_markdown() -> None:
    html = _html("$$\na\n- b\n+ c\n= d\n$$")
    assert not {"ul", "h3"} & set(markup.tags(html))
