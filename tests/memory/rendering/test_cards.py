"""Every value is legible, whatever it is and whatever goes wrong."""

import json
import logging

import pytest
from django.template import Context, Engine

from memory.rendering import cards
from memory.rendering.cards import (
    PIPELINE_VERSION,
    CardHTML,
    render_card,
    render_markdown,
    source_card,
    source_text,
)
from memory.rendering.guard import RenderSettings
from tests.memory.rendering import markup


def _html(value_json: str) -> str:
    card = render_card(value_json, "card")
    assert card.error is None
    markup.check(card.html)
    return card.html.strip()


def test_text_is_markdown() -> None:
    assert _html('"# Hi\\n\\n*there*"') == "<h3>Hi</h3>\n<p><em>there</em></p>"


@pytest.mark.parametrize("value_json", ['""', '"  \\n"'])
def test_empty_text_says_so(value_json: str) -> None:
    assert _html(value_json) == '<p class="muted">Empty text</p>'


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("#", "#"),
        (">", ">"),
        ("<br>", "<br>"),
        ("&nbsp;", "&nbsp;"),
        ("$\\,$", "$\\,$"),
        ("\u200b\u2060", "\\u200b\\u2060"),
    ],
)
@pytest.mark.parametrize("is_message", [False, True])
def test_what_leaves_nothing_to_see_is_its_source(text: str, source: str, is_message: bool) -> None:
    card = render_markdown(text, "card") if is_message else render_card(json.dumps(text), "card")
    markup.check(card.html)
    assert card.error == "Shown as text: rendered, it has no visible character."
    assert markup.text(card.html) == card.error + source


@pytest.mark.parametrize("text", ["---", "- [ ] ", "![](a.png)", "![](https://a.example/a.png)", "x"])
def test_what_is_drawn_is_enough_to_see(text: str) -> None:
    assert render_markdown(text, "card").error is None


def test_line_breaks_count_in_messages_and_not_in_values() -> None:
    assert render_markdown("a\nb", "card").html == "<p>a<br>\nb</p>\n"
    assert render_card('"a\\nb"', "card").html == "<p>a\nb</p>\n"


def test_a_date_is_written_out() -> None:
    assert _html('"2026-11-29"') == (
        '<p class="md-scalar"><time datetime="2026-11-29" title="2026-11-29">29 Nov 2026</time></p>'
    )
    assert render_markdown("2026-11-29", "card").html == "<p>2026-11-29</p>\n"


@pytest.mark.parametrize(
    ("value_json", "shown"),
    [
        ("42", '<span class="num">42</span>'),
        ("true", '<span class="md-yes">true</span>'),
        ("null", '<span class="muted">null</span>'),
        ("[]", "[]"),
        ("{}", "{}"),
    ],
)
def test_scalars_and_empty_values_are_one_line(value_json: str, shown: str) -> None:
    assert _html(value_json) == f'<p class="md-scalar">{shown}</p>'


def test_a_record_is_a_grid() -> None:
    assert _html('{"USD":0.9204}') == (
        '<dl class="kv"><div><dt>USD</dt><dd><span class="num">0.9204</span></dd></div></dl>'
    )


def test_similar_records_are_a_table() -> None:
    assert markup.tags(_html('[{"a":1,"b":"x"},{"a":2,"b":"y"}]')).count("td") == 4


@pytest.mark.parametrize("value_json", ['[1,"x"]', '{"a":{"b":1}}', '[{"a":1}]'])
def test_other_values_are_a_tree(value_json: str) -> None:
    card = render_card(value_json, "card")
    assert "md-tree" in markup.classes(card.html)
    assert card.features == {"json"}


@pytest.mark.parametrize(
    ("value_json", "settings", "reason"),
    [
        ('"<b>long</b>"', RenderSettings(max_chars=5), "Shown as text: longer than 5 characters."),
        ('"> > x"', RenderSettings(max_blocks=1), "Shown as text: more than 1 blocks."),
        ('["<b>"]', RenderSettings(max_json_chars=5), "Shown as text: longer than 5 characters."),
        ("[[1]]", RenderSettings(max_json_depth=2), "Shown as text: nested deeper than 2 levels."),
        ("[1,2]", RenderSettings(max_json_parts=2), "Shown as text: more than 2 values."),
        ("[1]", RenderSettings(max_html_chars=9), "Shown as text: more than 9 characters of HTML."),
    ],
)
def test_a_value_over_a_limit_is_its_source_and_the_reason(
    value_json: str, settings: RenderSettings, reason: str
) -> None:
    card = render_card(value_json, "card", settings)
    markup.check(card.html)
    assert card.error == reason
    assert markup.text(card.html) == reason + source_text(value_json)
    assert card.features == frozenset()


def test_what_is_not_json_is_shown_as_it_is() -> None:
    card = render_card("{broken <b>", "card")
    assert card.error is not None
    assert card.error.startswith("Shown as text: value: not valid JSON")
    assert markup.text(card.html) == card.error + "{broken <b>"


def test_json_that_nests_too_deeply_to_read_is_shown_as_it_is() -> None:
    deep = "[" * 90_000 + "]" * 90_000
    assert markup.text(render_card(deep, "card").html).endswith(deep)


def test_any_fault_is_shown_with_the_source_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(text: str, draft: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(cards, "markdown_html", fail)
    with caplog.at_level(logging.ERROR):
        card = render_markdown("the *source*", "card")
    assert card.error == "Shown as text: it could not be rendered (ZeroDivisionError)."
    assert markup.text(card.html) == card.error + "the *source*"
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    ("value_json", "source"),
    [
        ('"a\\nb"', "a\nb"),
        ('{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'),
        ("nonsense", "nonsense"),
        ("1e999", "1e999"),
        ("[" * 500 + "]" * 500, "[" * 500 + "]" * 500),
    ],
)
def test_the_source_is_what_a_person_reads(value_json: str, source: str) -> None:
    assert source_text(value_json) == source or "".join(source_text(value_json).split()) == source


def test_templates_print_a_card_as_it_is() -> None:
    card = CardHTML(source_card("<b>", "why").html)
    template = Engine().from_string("{{ card }}|{{ card.html }}|{{ other }}")
    assert template.render(Context({"card": card, "other": "<b>"})) == f"{card.html}|{card.html}|&lt;b&gt;"
    assert card.__html__() == card.html


def test_a_render_is_the_same_every_time() -> None:
    source = "```python\nx = 1\n```\n\na[^1]\n\n[^1]: b\n"
    assert render_markdown(source, "card") == render_markdown(source, "card")
    assert PIPELINE_VERSION >= 1
