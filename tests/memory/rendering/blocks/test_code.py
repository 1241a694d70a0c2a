"""Code is coloured while that is cheap, and is always all there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.rendering.blocks.code import code_block, highlight, language_of
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderSettings, visible
from memory.rendering.sanitize import escape, is_highlighted_code, seal
from tests.memory.rendering import markup

SAMPLES = {
    "python": ("def f(x: int) -> str:\n    return 'x' + 1  # text\n", "kfpnsc"),
    "js": ("const f = (x) => `${x}`; // 1", "kpsc"),
    "sql": ("SELECT abs(a) FROM t WHERE b = 'x' AND c <= 0.5; -- z", "kpsnc"),
    "bash": ('for f in *; do echo "$f"; done', "kfsp"),
    "rust": ('fn main() { println!("{}", 1); }', "kfpsn"),
    "html": ("<b class='x'>1</b>", "kfs"),
    "diff": ("+a\n-b\n", "sn"),
}


@pytest.mark.parametrize("language", SAMPLES)
def test_known_languages_are_coloured(language: str) -> None:
    source, kinds = SAMPLES[language]
    html = highlight(source, language, DEFAULT_SETTINGS)
    assert markup.classes(html) >= {f"tk-{kind}" for kind in kinds}
    assert markup.text(html) == source


@pytest.mark.parametrize(
    "language", ["", "nosuchlang", "text", "plaintext", "../../etc/passwd", "a" * 31, "py thon"]
)
def test_other_languages_are_plain_and_escaped(language: str) -> None:
    assert highlight("if <b> & 'x'", language, DEFAULT_SETTINGS) == "if &lt;b&gt; &amp; &#x27;x&#x27;"


@pytest.mark.parametrize(
    ("source", "settings"),
    [
        ("if 1: pass", RenderSettings(max_code_chars=9)),
        ("if 1:\n pass", RenderSettings(max_code_line_chars=4)),
        ("if 1: pass", RenderSettings(code_budget_ms=-1)),
    ],
)
def test_code_that_could_be_slow_is_plain(source: str, settings: RenderSettings) -> None:
    assert markup.classes(highlight(source, "python", DEFAULT_SETTINGS))
    assert highlight(source, "python", settings) == source


@pytest.mark.parametrize("source", ["\ufeffif 1: pass", "if 1:\r\n    pass"])
def test_code_that_a_lexer_would_change_is_plain(source: str) -> None:
    assert highlight(source, "python", DEFAULT_SETTINGS) == escape(source)


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("", ""),
        ("Python", "python"),
        ("js title=x", "js"),
        ("{.rust}", "rust"),
        ("  c++\tlinenos", "c++"),
        ("{}", ""),
    ],
)
def test_the_first_word_names_the_language(info: str, language: str) -> None:
    assert language_of(info) == language


def test_a_block_shows_its_whole_info_string() -> None:
    draft = Draft("card", DEFAULT_SETTINGS)
    html = seal(code_block("x = 1\n", 'python title="a<b>"', draft), draft)
    assert html.startswith(
        '<div class="code"><div class="code__bar"><span>python title=&quot;a&lt;b&gt;&quot;</span><button '
    )
    assert '<pre tabindex="0"><code>x <span class="tk-p">=</span> <span class="tk-n">1</span>' in html
    assert draft.features == {"code"}


def test_a_block_without_language_has_only_its_copy_button() -> None:
    draft = Draft("card", DEFAULT_SETTINGS)
    html = seal(code_block("x", "", draft), draft)
    assert '<span></span><button class="code__copy needs-script" type="button" data-copy-next=""' in html


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\r")), st.sampled_from(sorted(SAMPLES)))
def test_any_code_keeps_its_text_and_form(source: str, language: str) -> None:
    html = highlight(source, language, DEFAULT_SETTINGS)
    assert is_highlighted_code(html)
    assert markup.text(html) == visible(source)
