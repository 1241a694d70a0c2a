"""One case of our own for each thing that a card must show as people expect it."""

import json
import re
from pathlib import Path

import pytest

from memory.rendering.cards import CardHTML, render_markdown
from tests.gallery import CHARTS, DIAGRAMS, FORMULAS, NODES, mind_map
from tests.memory.rendering import markup

EXPECTED = Path(__file__).resolve().parents[4] / "shared" / "cases" / "rendering" / "EXPECTED.md"

EVERYTHING = r"""
## Run 7

Shard **2 of 5** took `3 min`; $4 and $9 are left; error $\epsilon<\frac{1}{n}$. See <https://example.org/run>.

| shard | rows | bad |
|:------|-----:|:---:|
| 1 | 10,500 | 0 |

$$
\begin{aligned} a &= b \\ c &= d \end{aligned}
$$

- [x] plan
  - [ ] ask again

> [!TIP]
> Try *later*.

```python
def run(shard: int) -> str:
    return f"{shard}"
```

```json
{"run": 7, "parts": [1, {"a": []}]}
```

![a plot](https://images.example/plot.png)

A note[^n].

[^n]: Below.
"""


def shown(source: str) -> CardHTML:
    card = markup.with_pictures(render_markdown(source, "card"))
    markup.check(card.html)
    return card


def text_of(source: str) -> str:
    return markup.text(shown(source).html)


def reasons(source: str) -> list[str]:
    return re.findall('md-reason">([^<]*)', shown(source).html)


def typeset(source: str) -> int:
    return shown(source).html.count("<math")


def fence(language: str, source: str) -> str:
    return f"```{language}\n{source}\n```\n"


@pytest.mark.skipif(not EXPECTED.is_file(), reason="the cases are not beside the repository")
def test_no_expectation_is_without_a_case_of_our_own() -> None:
    rows = re.findall(r"^\| ([a-z-]+)\.md \|", EXPECTED.read_text(), re.MULTILINE)
    assert rows
    assert [row for row in rows if f"test_{row.replace('-', '_')}" not in globals()] == []


def test_alerts_quotes() -> None:
    html = shown("> [!CAUTION]\n> one\n\n> [!NOTE]\n> two\n> > inner\n\n> [!OTHER]\n> three").html
    assert {"md-alert-caution", "md-alert-note"} <= markup.classes(html)
    assert markup.tags(html).count("blockquote") == 4
    assert "[!OTHER]" in markup.text(html)


def test_autolink_colons() -> None:
    card = shown("mailto:" * 1_000 + "x: " * 3_000)
    assert card.error is None
    assert "a" not in markup.tags(card.html)


def test_code_languages() -> None:
    assert "tk-k" in markup.classes(shown(fence("rust", "fn main() { let x = 1; }")).html)
    html = shown(fence("klingon", "<b>Qapla'</b>")).html
    assert "b" not in markup.tags(html)
    assert "<b>Qapla'</b>" in markup.text(html)


@pytest.mark.parametrize(("language", "source"), [("js", '"\\' * 4_500), ("java", "a b " * 2_400)])
def test_code_slow_lexer(language: str, source: str) -> None:
    card = shown(fence(language, source))
    assert card.error is None
    assert not {name for name in markup.classes(card.html) if name.startswith("tk-")}
    assert source in markup.text(card.html)


def test_footnotes() -> None:
    ids = [a["id"] for _, a in markup.elements(shown("a[^x] b[^x]\n\n[^x]: note").html) if "id" in a]
    assert len(set(ids)) == 3
    assert all(re.fullmatch("c[0-9a-f]{8}-fn.*", each) for each in ids)


def test_images() -> None:
    source = "![a](https://images.example/a.png) ![b](ftp://images.example/b.png) ![c](javascript:alert(1))"
    html = shown(source).html
    assert "img" not in markup.tags(html)
    rule = "not shown: only files of the workspace and https addresses of allowed hosts are"
    assert markup.text(html) == (
        f"image: a (images.example) [image: b] (ftp://images.example/b.png) {rule} "
        f"[image: c] (javascript:alert(1)) {rule}\n"
    )


def test_inline_siblings() -> None:
    source = "x[^1] " * 2_500 + "\n\n[^1]: n"
    card = shown(source)
    assert card.error is not None
    assert markup.text(card.html).count("x[^1]") == 2_500


def test_json() -> None:
    html = shown(fence("json", '{"a": 1, "b": [1, [2]]}')).html
    assert [("open" in a) for tag, a in markup.elements(html) if tag == "details"] == [True, True, False]
    broken = ("[1,", '{"a": Infinity}', "7" * 4_500, "[" * 300 + "]" * 300)
    for source in broken:
        html = shown(fence("json", source)).html
        assert "details" not in markup.tags(html)
        assert source in markup.text(html)
    assert text_of(fence("json", broken[0])).count("not valid JSON: ") == 1


def test_kitchen_sink() -> None:
    card = shown(EVERYTHING)
    assert card.error is None
    assert card.features == {"code", "json", "math"}
    assert not {"md-tex", "md-reason"} & markup.classes(card.html)
    assert {"tasks", "md-alert-tip", "md-footnotes", "tk-k", "md-ar"} <= markup.classes(card.html)


def test_markmap() -> None:
    html = shown(fence("markmap", "# a\n- b\n  - <img src=x onerror=alert(1)>\n- c")).html
    assert html.split("</details>")[0].count("<li>") == 4
    assert "img" not in markup.tags(html)
    assert "<img src=x onerror=alert(1)>" in markup.text(html)
    assert shown(fence("mindmap", mind_map())).html.split("</details>")[0].count("<li>") == NODES


def test_math_bombs() -> None:
    nested, run = "{" * 200 + "x" + "}" * 200, "\\sqrt" * 300 + " x"
    source = f"$${nested}$$\n\n$${run}$$\n\nafter"
    assert reasons(source) == ["nested too deeply", "too many commands in a row"]
    assert text_of(source).endswith("after\n")


def test_math_delimiters() -> None:
    forms = ("$x$", "$$x$$", r"\(x\)", r"\[x\]", r"\begin{align}x\end{align}", fence("math", "x"), "- $$x$$")
    assert [typeset(form) for form in forms] == [1] * len(forms)


@pytest.mark.parametrize("tex", [r"\frac{a", r"\nothing{x}", r"\begin{align}a", r"a^b^c", r"\left( x"])
def test_math_errors(tex: str) -> None:
    source = f"$${tex}$$\n\nafter"
    assert len(reasons(source)) == 1
    assert tex in text_of(source)
    assert text_of(source).endswith("after\n")


@pytest.mark.parametrize("tex", FORMULAS)
def test_math_formulas(tex: str) -> None:
    html = shown(f"$${tex}$$").html
    assert html.count("<math") == 1
    assert not {"md-tex", "md-reason"} & markup.classes(html)


def test_there_are_as_many_formulas_as_expected() -> None:
    assert len(set(FORMULAS)) == 58


@pytest.mark.parametrize("text", ["$3 or $4", "US$3 to US$8", "$PATH:$HOME", "$n$th", "`$x$`", "a $ b $ c"])
def test_math_vs_prices(text: str) -> None:
    assert typeset(text) == 0
    assert typeset(f"{text} and $x$-axis, **$y$**, {{$z$}}") == 3


def test_mermaid_broken() -> None:
    for source in ("flowchart TD\n A[ --> B", "nothing\n x", ""):
        html = shown(f"{fence('mermaid', source)}\nafter").html
        assert source in markup.text(html)
        assert html.endswith("<p>after</p>\n")


@pytest.mark.parametrize("source", DIAGRAMS.values(), ids=DIAGRAMS)
def test_mermaid_types(source: str) -> None:
    html = shown(fence("mermaid", source)).html
    assert "md-widget-mermaid" in markup.classes(html)
    assert source in markup.text(html)


def test_nesting_deep() -> None:
    card = shown("- " * 17 + "low\n\n" + "> " * 35 + "deep")
    assert card.error is None
    assert markup.tags(card.html).count("ul") == 17
    assert markup.tags(card.html).count("blockquote") == 35


def test_nesting_too_deep() -> None:
    card = shown("> " * 60 + "bottom")
    assert card.error == "Shown as text: nested deeper than 40 levels."
    assert "bottom" in markup.text(card.html)


def test_raw_html() -> None:
    html = shown("a<br>b <b onclick=alert(1)>c</b> <!-- d --> &lt;").html
    assert markup.tags(html) == ["p", "br"]
    assert markup.text(html) == "a\nb <b onclick=alert(1)>c</b> <!-- d --> <\n"


def test_table_alignment() -> None:
    html = shown("| a | b | c |\n|:--|:-:|--:|\n| 1 | x\\|y | 3 |\n| only |").html
    assert {"md-al", "md-ac", "md-ar"} <= markup.classes(html)
    assert markup.cells(html) == ["1", "x|y", "3", "only", "", ""]
    assert all("style" not in a for _, a in markup.elements(html))


def test_tasklist_nested() -> None:
    html = shown("- [x] a\n  1. [ ] b\n- [x]c\n- [-] d").html
    assert sum("tick" in a.get("class", "") for _, a in markup.elements(html)) == 2
    assert "[x]c" in markup.text(html)
    assert "[-] d" in markup.text(html)


@pytest.mark.parametrize("source", CHARTS.values(), ids=CHARTS)
def test_vega_charts(source: str) -> None:
    assert "md-widget-vega-lite" in markup.classes(shown(fence("vega-lite", source)).html)
    assert json.loads(source)["data"]["values"]
