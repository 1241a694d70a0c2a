"""Formulas are typeset, and what cannot be says why and stays whole."""

import json
import re

import pytest

from memory.rendering.blocks.math import formula, math_block
from memory.rendering.cards import render_markdown
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderSettings
from memory.rendering.sanitize import seal
from tests.memory.rendering import markup


def _formula(source: str, settings: RenderSettings = DEFAULT_SETTINGS) -> str:
    draft = Draft("card", settings)
    html = seal(formula(source, draft), draft)
    markup.check(html)
    return html


def _reason(source: str, settings: RenderSettings = DEFAULT_SETTINGS) -> str:
    html = _formula(source, settings)
    assert "<math" not in html
    assert source in markup.text(html)
    return markup.text(html.split('class="md-reason">')[1])


def test_a_formula_in_a_line_and_one_on_its_own() -> None:
    assert _formula("$x$") == '<span class="md-formula"><math><mi>x</mi></math></span>'
    assert _formula("$$x$$") == (
        '<span class="md-display" tabindex="0" role="group" aria-label="Formula">'
        '<math display="block"><mi>x</mi></math></span>'
    )


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{split}a&=b\end{split}",
        r"\begin{smallmatrix}a&b\end{smallmatrix}",
        r"\begin{eqnarray}a&=&b\end{eqnarray}",
        r"\begin{alignat}{2}a&=b\end{alignat}",
        r"\sum_{\substack{i<n\\j<m}} x",
        r"a=b \tag{1} \label{eq:x}",
        r"\begin{equation}a\tag{2}\end{equation}",
        r"\color{red}x",
        r"\cancel{x}",
        r"\widetilde{xyz}",
        r"\text{if } \textbf{so}",
    ],
)
def test_what_writers_use_is_typeset(tex: str) -> None:
    assert "<math" in _formula(f"$${tex}$$")


def test_styles_become_classes_or_colours() -> None:
    html = _formula(r"$$\begin{aligned}a&=\textcolor{red}{b}\end{aligned}$$")
    assert " style=" not in html
    assert "md-m-r" in markup.classes(html)
    assert 'mathcolor="#FF0000"' in html


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (r"$\frac{a}$", "reached end of input"),
        (r"$\foobar{x}$", r'Unknown command "\foobar" (at character 1)'),
        (r"$\ce{H2O}$", "Unknown command"),
        (r"$a & b$", "may only appear in a table"),
        ("$" + "{" * 60 + "}" * 60 + "$", "nested too deeply"),
        ("$" + r"\left(" * 60 + "$", "nested too deeply"),
        ("$" + r"\sqrt" * 60 + "$", "too many commands in a row"),
        ("$x" + "^" * 60 + "$", "too many commands in a row"),
        (r"$\newcommand{\a}{\a\a}\a$", ""),
        (r"$$ $$", "empty"),
        ("$p = 50% + 3$", r"% begins a comment in a formula; write \%"),
        (r"$$a \\% b$$", r"% begins a comment in a formula; write \%"),
    ],
)
def test_what_cannot_be_typeset_shows_its_source_and_the_reason(source: str, reason: str) -> None:
    assert reason in _reason(source)


def test_a_place_in_a_formula_that_was_rewritten_is_not_named() -> None:
    assert _reason(r"$\label{a}\foobar$") == r'Unknown command "\foobar"'


def test_the_size_and_the_number_of_formulas_are_limited() -> None:
    assert _reason("$xyz$", RenderSettings(max_tex_chars=2)) == "longer than 2 characters"
    draft = Draft("card", RenderSettings(max_formulas=1))
    assert "more than 1 formulas" not in formula("$x$", draft)
    assert "more than 1 formulas" in formula("$x$", draft)


def test_macros_that_grow_are_refused() -> None:
    one = r"\newcommand{\one}{" + "x" * 90 + "}"
    two = r"\newcommand{\two}{" + r"\one" * 9 + "}"
    assert "too large" in _reason(f"${one}{two}" + r"\two" * 30 + "$")


@pytest.mark.parametrize("language", ["math", "latex", "tex", "katex"])
def test_a_block_of_math_is_one_formula(language: str) -> None:
    card = render_markdown(f"```{language}\n\\frac{{a}}{{b}}\n```", "card")
    markup.check(card.html)
    assert card.html.startswith(
        '<div class="md-display" tabindex="0" role="group" aria-label="Formula"><math display="block"><mfrac>'
    )
    assert card.features == {"math"}


def test_a_block_that_is_no_formula_is_code_under_its_reason() -> None:
    draft = Draft("card", DEFAULT_SETTINGS)
    html = seal(math_block("\\oops", "math", draft), draft)
    assert 'Formula not shown: Unknown command "\\oops"' in markup.text(html)
    assert "<code>\\oops</code>" in html


@pytest.mark.parametrize("tex", [r"50\%", r"a\\\%"])
def test_a_percent_sign_that_is_meant_is_typeset(tex: str) -> None:
    assert "%" in markup.text(_formula(f"$${tex}$$"))


def test_labels_are_shown_beside_the_formula() -> None:
    label = r'</math></span> <code class="md-tex">\label{eq:x}</code>'
    assert _formula(r"$$a=b \label{eq:x}$$").endswith(label)
    draft = Draft("card", DEFAULT_SETTINGS)
    assert r"\label{eq:x}" in math_block("a=b \\label{eq:x}", "math", draft)


def test_what_stands_behind_the_language_of_a_block_is_kept() -> None:
    draft = Draft("card", DEFAULT_SETTINGS)
    assert math_block("x", "math Area &", draft).startswith('<p class="muted">math Area &amp;</p>')
    assert math_block("x", "math", draft).startswith("<div")


def test_text_in_a_formula_is_never_markup() -> None:
    vector = r"\text{</mtext></math><img/src/onerror=alert(1)>}"
    html = _formula(f"${vector}$")
    assert "<img" not in html
    assert json.dumps(markup.text(html)) == json.dumps("</mtext></math><img/src/onerror=alert(1)>")


@pytest.mark.parametrize(
    "tex", [r"\sum_{\substack{i<n\\j<m}} x", r"\begin{smallmatrix}a&b\\c&d\end{smallmatrix}"]
)
def test_small_tables_are_small(tex: str) -> None:
    tables = re.findall('scriptlevel="(.)"><mtable([^>]*)>', _formula(f"$${tex}$$"))
    assert tables == [("1", ' displaystyle="false"')]
