"""The cases handed over with the measurements, where they are at hand, each seen as expected."""

import re
from pathlib import Path

import pytest

from memory.rendering.cards import CardHTML, render_markdown
from tests.memory.rendering import markup

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases" / "rendering"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not beside the repository")


def _card(name: str) -> CardHTML:
    card = markup.with_pictures(render_markdown((CASES / f"{name}.md").read_text(), name))
    markup.check(card.html)
    return card


@pytest.mark.parametrize("name", sorted(path.stem for path in CASES.glob("*.md")))
def test_every_case_becomes_allowed_markup(name: str) -> None:
    _card(name)


def test_alerts_quotes() -> None:
    html = _card("alerts-quotes").html
    assert [t for t in markup.tags(html) if t == "blockquote"] == ["blockquote"] * 5
    assert markup.classes(html) >= {"md-alert-note", "md-alert-warning"}
    assert "[!BOGUS]" in markup.text(html)


def test_autolink_colons() -> None:
    assert _card("autolink-colons").error is None


def test_code_languages() -> None:
    html = _card("code-languages").html
    assert markup.classes(html) >= {"tk-k", "tk-s", "tk-n", "tk-f", "tk-p"}
    assert "<code>plain &lt;b&gt;\n</code>" in html


def test_code_slow_lexer() -> None:
    card = _card("code-slow-lexer")
    assert card.error is None
    assert not markup.classes(card.html) & {"tk-k", "tk-s"}


def test_footnotes() -> None:
    ids = [
        attributes["id"] for _, attributes in markup.elements(_card("footnotes").html) if "id" in attributes
    ]
    assert len(ids) == len(set(ids)) == 5


def test_images() -> None:
    html = _card("images").html
    assert markup.links(html) == ["https://images.example/a.png", "http://images.example/b.png"]
    rule = "not shown: only files of the workspace and https addresses of allowed hosts are"
    assert markup.text(html) == (
        f"image: alt text (images.example) image (images.example) [image: x] (javascript:alert(1)) {rule} "
        f"[image: d] it cannot be decoded [image: r] (/static/x.png) {rule}\n"
    )


def test_inline_siblings() -> None:
    card = _card("inline-siblings")
    assert card.error == "Shown as text: too many links, notes and other inline parts."
    assert markup.text(card.html).count("[^1]") == 2001


def test_json() -> None:
    html = _card("json").html
    assert [("open" in a) for tag, a in markup.elements(html) if tag == "details"] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert markup.text(html).count("not valid JSON: ") == 3
    assert "JSON nested deeper than 40 levels, shown as text" in markup.text(html)
    assert "9" * 5000 in markup.text(html)


def test_kitchen_sink() -> None:
    card = _card("kitchen-sink")
    assert card.features == {"code", "json", "math"}
    assert card.error is None


def _formulas(html: str) -> list[str]:
    return [markup.text(part.split("</math>")[0]) for part in re.split("<math[^>]*>", html)[1:]]


def test_math_bombs() -> None:
    html = _card("math-bombs").html
    assert re.findall('md-reason">([^<]*)', html) == ["nested too deeply", "too many commands in a row"]


def test_math_delimiters() -> None:
    html = _card("math-delimiters").html
    assert len(_formulas(html)) == 7
    assert not markup.classes(html) & {"md-tex", "md-reason"}


def test_math_errors() -> None:
    html = _card("math-errors").html
    assert (html.count("md-tex"), html.count("md-reason"), html.count("<math")) == (14, 14, 0)
    assert html.endswith("<p>After text is still here.</p>\n")


def test_math_formulas() -> None:
    html = _card("math-formulas").html
    assert len(_formulas(html)) == 58
    assert not markup.classes(html) & {"md-tex", "md-reason"}


def test_math_vs_prices() -> None:
    html = _card("math-vs-prices").html
    assert _formulas(html) == ["x2", "y", "z", "x", "x=2", "1,2", "x", "|x|"]
    for text in ("$5 and $10", "$HOME/$USER", "$n$th", "Code `$x$`".replace("`", "")):
        assert text in markup.text(html)


def test_markmap() -> None:
    html = _card("markmap").html
    assert html.split("</details>")[0].count("<li>") == 10
    assert "<img" not in html


def test_mermaid_types() -> None:
    assert _card("mermaid-types").html.count('<figure class="md-widget md-widget-mermaid">') == 17


def test_vega_charts() -> None:
    assert _card("vega-charts").html.count('<figure class="md-widget md-widget-vega-lite">') == 4


def test_mermaid_broken() -> None:
    html = _card("mermaid-broken").html
    assert "A[ --&gt; B" in html
    assert html.endswith("<p>Text after.</p>\n")


def test_nesting_deep() -> None:
    card = _card("nesting-deep")
    assert card.error is None
    assert markup.tags(card.html).count("ul") == 18
    assert markup.tags(card.html).count("blockquote") == 36
    assert "eighteen" in markup.text(card.html)
    assert "thirty six" in markup.text(card.html)


def test_nesting_too_deep() -> None:
    card = _card("nesting-too-deep")
    assert card.error == "Shown as text: nested deeper than 40 levels."
    assert "sixty" in markup.text(card.html)


def test_raw_html() -> None:
    html = _card("raw-html").html
    assert set(markup.tags(html)) == {"p", "br"}
    assert "<script>alert(1)</script> <img src=x onerror=alert(1)>" in markup.text(html)


def test_table_alignment() -> None:
    html = _card("table-alignment").html
    assert markup.classes(html) == {"scroll-x", "md-al", "md-ac", "md-ar"}
    assert markup.cells(html)[4] == "p|q"
    assert markup.cells(html)[8:] == ["short", "", "", ""]


def test_tasklist_nested() -> None:
    html = _card("tasklist-nested").html
    assert sum("tick" in a.get("class", "") for _, a in markup.elements(html)) == 4
    for text in ("[x]no space", "[ ]", "[-] d"):
        assert text in markup.text(html)
