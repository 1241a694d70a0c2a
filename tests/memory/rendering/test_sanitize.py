"""The allow-list holds whatever it is given."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderRefused, RenderSettings, visible
from memory.rendering.sanitize import (
    SafeHTML,
    code_html,
    escape,
    formula_html,
    is_highlighted_code,
    seal,
    source_html,
)
from tests.memory.rendering import markup


def _seal(raw: str) -> str:
    return seal(raw, Draft("card", DEFAULT_SETTINGS))


@pytest.mark.parametrize(
    "raw",
    [
        '<a href="https://a.example" title="t" rel="noopener noreferrer nofollow ugc" target="_blank">x</a>',
        '<a href="#c0123abcd-fn1" id="c0123abcd-fnref1-2">x</a>',
        '<ol start="3"><li id="c0123abcd-fn1">x</li></ol>',
        '<table><thead><tr><th class="md-ar" scope="col">x</th></tr></thead></table>',
        '<div class="scroll-x" tabindex="0" role="group" aria-label="Table"></div>',
        '<span class="tick tick--on" role="img" aria-label="Done"></span>',
        '<pre class="plain" tabindex="0">x</pre>',
        "<details open><summary>x</summary></details>",
    ],
)
def test_what_cards_need_passes_unchanged(raw: str) -> None:
    assert _seal(raw) == raw


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ('<a href="/relative">x</a>', "<a>x</a>"),
        ('<a href="//host/x">x</a>', "<a>x</a>"),
        ('<a href="#top">x</a>', "<a>x</a>"),
        ('<a href="javascript:x">x</a>', "<a>x</a>"),
        ('<a rel="opener" target="_top">x</a>', "<a>x</a>"),
        ('<p class="card">x</p>', "<p>x</p>"),
        ('<p class="md-x btn">x</p>', "<p>x</p>"),
        ('<p class="md-x\n">x</p>', "<p>x</p>"),
        ('<p id="document">x</p>', "<p>x</p>"),
        ('<p id="c0123abcd-fn1\n">x</p>', "<p>x</p>"),
        ('<p style="color:red" onclick="x" tabindex="0">x</p>', "<p>x</p>"),
        ('<pre tabindex="1">x</pre>', "<pre>x</pre>"),
        ('<span role="button" aria-label="Pay">x</span>', "<span>x</span>"),
        ('<ol start="-1"><li>x</li></ol>', "<ol><li>x</li></ol>"),
        ("<h1>x</h1>", "x"),
        ("<img src=x>", "<img>"),
        ('<img src="/cards/picture/x" onerror="x">', "<img>"),
        ("<object data=x>", ""),
        ("<!-- x -->", ""),
        ("<script>x</script>", "x"),
        ('<span data-slot="0123456789abcdef-0"></span>', "<span></span>"),
    ],
)
def test_everything_else_is_taken_away(raw: str, clean: str) -> None:
    assert _seal(raw) == clean


@settings(deadline=None)
@given(st.text("<>/=\"'& abdeginoprstu:#-!`\n\x00\u202e"))
def test_any_markup_comes_out_allowed(raw: str) -> None:
    markup.check(_seal(raw))


def test_unsafe_characters_become_visible() -> None:
    assert _seal("a\x00b\u202ec") == "a\ufffdb\ufffdc"


def test_html_over_the_limit_is_refused() -> None:
    with pytest.raises(RenderRefused, match="more than 3 characters of HTML"):
        seal("<p>x", Draft("card", RenderSettings(max_html_chars=3)))


def test_slots_are_filled_after_cleaning() -> None:
    draft = Draft("card", DEFAULT_SETTINGS)
    piece = code_html('<span class="tk-k">if</span>')
    assert seal(f"<p>{draft.slot(piece)}</p>", draft) == f"<p>{piece}</p>"


@pytest.mark.parametrize(
    "piece",
    [
        "<b>x</b>",
        "<span>x</span>",
        '<span class="tk-z">x</span>',
        '<span class="tk-k" id="x">x</span>',
        '<span class="tk-k">x',
        "x</span>",
        '</span><span class="tk-k">',
        '<span class="tk-k"><span class="tk-s">x</span></span>',
        "a & b",
        "&nbsp;",
        'a " b',
        "a ' b",
        "a > b",
    ],
)
def test_anything_but_code_is_not_taken_for_code(piece: str) -> None:
    assert not is_highlighted_code(piece)
    with pytest.raises(RenderRefused, match="unexpected form"):
        code_html(piece)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("<math><mi>x</mi></math>", "<math><mi>x</mi></math>"),
        (
            '<math display="block"><mo form="infix">=</mo></math>',
            '<math display="block"><mo form="infix">=</mo></math>',
        ),
        (
            '<math href="javascript:x"><mi style="color:red" id="a" class="card">x</mi></math>',
            "<math><mi>x</mi></math>",
        ),
        ('<math><maction actiontype="x"><mi>x</mi></maction></math>', "<math><mi>x</mi></math>"),
        ("<math><mtext><img src=x><b>x</b></mtext></math>", "<math><mtext>x</mtext></math>"),
        ('<math><mi mathcolor="url(x)">x</mi></math>', "<math><mi>x</mi></math>"),
        ('<math><annotation-xml encoding="text/html"><p>x</p></annotation-xml></math>', "<math>\nx</math>"),
    ],
)
def test_a_formula_keeps_only_what_formulas_need(raw: str, clean: str) -> None:
    assert formula_html(raw) == clean


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "<mi>x</mi>",
        "x<math><mi>x</mi></math>",
        "<math><mi>x</mi></math><math><mi>x</mi></math>",
        "<math><mi>x</mi></math>x",
        "<math><mtext><mi>x</mi></mtext></math>",
        "<math><mrow><math><mi>x</mi></math></mrow></math>",
        "<b>x</b>",
    ],
)
def test_what_is_not_one_formula_is_refused(raw: str) -> None:
    with pytest.raises(RenderRefused, match="unexpected form"):
        formula_html(raw)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", "tk-k", "tk-s"]), st.text())))
def test_escaped_text_in_token_spans_is_code(runs: list[tuple[str, str]]) -> None:
    parts = (f'<span class="{name}">{escape(text)}</span>' if name else escape(text) for name, text in runs)
    assert is_highlighted_code("".join(parts))


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\r")))
def test_escaped_text_reads_as_the_text(text: str) -> None:
    assert markup.text(f"<p>{escape(text)}</p>") == visible(text)


def test_a_source_stands_whole_under_its_reason() -> None:
    html = source_html("<b>\n\x00", "because & so")
    assert html == (
        '<div class="notice notice--warn"><p>because &amp; so</p></div>'
        '<pre class="plain" tabindex="0">&lt;b&gt;\n\ufffd</pre>'
    )


def test_safe_html_says_so_to_template_engines() -> None:
    assert SafeHTML("<p>").__html__() == "<p>"
    assert isinstance(_seal("<p>"), SafeHTML)


@pytest.mark.parametrize(
    ("element", "is_kept"),
    [
        ('<mpadded voffset="-3em">', True),
        ('<mpadded voffset="-3.01em">', False),
        ('<mpadded height="36px" depth="27pt">', True),
        ('<mpadded height="37px">', False),
        ('<mpadded depth="999">', False),
        ('<mo minsize="6.1ex">', False),
        ('<mpadded lspace="-20em" width="100%">', True),
        ('<mpadded width="21em">', False),
        ('<mpadded lspace="-99em">', False),
        ('<mpadded width="em">', False),
    ],
)
def test_formulas_are_neither_moved_nor_stretched_far(element: str, is_kept: bool) -> None:
    tag = element[1:-1].split()[0]
    html = formula_html(f"<math>{element}x</{tag}></math>")
    assert (element in html) is is_kept
    assert (f"<{tag}>" in html) is not is_kept
