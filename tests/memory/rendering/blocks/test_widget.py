"""Diagrams hold their source and its meaning in the server's markup; the picture comes on top."""

import json

import pytest

from memory.rendering.cards import CardHTML, render_markdown
from memory.rendering.guard import RenderSettings
from tests.memory.rendering import markup

CHART = json.dumps({"data": {"values": [{"a": "x", "b": 28}, {"a": "y", "b": 55}]}, "mark": "bar"})


def _card(language: str, source: str, settings: RenderSettings | None = None) -> CardHTML:
    card = render_markdown(f"```{language}\n{source}\n```", "card", settings or RenderSettings())
    markup.check(card.html)
    assert card.error is None
    return card


@pytest.mark.parametrize(
    ("language", "source", "kind"),
    [
        ("mermaid", "flowchart TD\n A --> B", "mermaid"),
        ("vega-lite", CHART, "vega-lite"),
        ("vegalite", CHART, "vega-lite"),
        ("vega", CHART, "vega-lite"),
        ("markmap", "# A\n- b", "markmap"),
        ("mindmap", "# A\n- b", "markmap"),
    ],
)
def test_a_drawing_has_a_place_for_its_picture_and_its_source(language: str, source: str, kind: str) -> None:
    card = _card(language, source)
    assert card.html.startswith(
        f'<figure class="md-widget md-widget-{kind}"><div class="md-widget-out"></div><details open>'
    )
    assert source in markup.text(card.html)
    assert kind in card.features


@pytest.mark.parametrize(
    ("language", "source"), [("mermaid", "flowchart TD\n A --> B"), ("vega-lite", CHART)]
)
def test_what_stands_behind_the_language_is_kept(language: str, source: str) -> None:
    assert f"<span>{language} Sales &amp; more</span>" in _card(f"{language} Sales & more", source).html


def test_the_data_of_a_chart_is_a_table() -> None:
    html = _card("vega-lite", CHART).html
    assert "<summary>Data</summary>" in html
    assert markup.cells(html) == ["x", "28", "y", "55"]


def test_long_data_says_how_much_is_shown() -> None:
    rows = json.dumps({"data": {"values": [{"a": n} for n in range(150)]}, "mark": "bar"})
    html = _card("vega-lite", rows).html
    assert "Data (100 of 150 rows)" in markup.text(html)
    assert len(markup.cells(html)) == 100


def test_a_mind_map_is_a_nested_list_without_scripts() -> None:
    html = _card("markmap", "# A\n- b <img src=x onerror=alert(1)>").html
    assert '<ul class="md-outline"><li><span>A</span><ul><li><span>b &lt;img' in html


@pytest.mark.parametrize(
    ("language", "source", "reason"),
    [
        ("mermaid", "x" * 20_001, "Diagram not drawn: longer than 20,000 characters"),
        ("mermaid", "block-beta\n a:100000000", "Diagram not drawn: a block spans more than 99 columns"),
        ("mermaid", " ", "Diagram not drawn: empty"),
        ("vega-lite", '{"mark": "image"}', "Chart not drawn: pictures are not loaded"),
        ("vega-lite", "{", "Chart not drawn: not valid JSON"),
        ("vega-lite", "[" * 2_000, "Chart not drawn: not valid JSON"),
        ("markmap", "***", "Mind map not drawn: no headings or lists"),
    ],
)
def test_what_is_not_drawn_is_its_source_under_the_reason(language: str, source: str, reason: str) -> None:
    card = _card(language, source)
    assert "<figure" not in card.html
    assert reason in markup.text(card.html)
    assert source in markup.text(card.html)


def test_the_number_of_drawings_in_a_card_is_limited() -> None:
    html = render_markdown("```mermaid\na\n```\n" * 3, "card", RenderSettings(max_widgets=2)).html
    assert html.count("<figure") == 2
    assert "more than 2 diagrams in one card" in markup.text(html)
