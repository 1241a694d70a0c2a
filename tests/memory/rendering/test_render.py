"""Blocks, pictures and notes as a card shows them."""

import re

import pytest

from memory.rendering.cards import CardHTML, render_markdown
from tests.memory.rendering import markup

LINK = 'rel="noopener noreferrer nofollow ugc" target="_blank"'

RULE = "not shown: only files of the workspace and https addresses of allowed hosts are"


def _card(source: str, card_id: str = "card") -> CardHTML:
    card = render_markdown(source, card_id)
    assert card.error is None
    markup.check(card.html)
    return card


@pytest.mark.parametrize("language", ["python", "nosuch", "text"])
def test_a_fence_is_code_with_its_language(language: str) -> None:
    card = _card(f"```{language}\na --> b\n```")
    assert f'<div class="code__bar"><span>{language}</span>' in card.html
    assert markup.text(card.html).strip() == f"{language}Copya --> b"
    assert card.features == {"code"}


def test_indented_text_is_code_without_language() -> None:
    html = _card("    a < b").html
    assert '<div class="code"><div class="code__bar"><span></span><button' in html
    assert html.endswith('<pre tabindex="0"><code>a &lt; b\n</code></pre></div>\n')


def test_escapes_and_entities_of_an_info_string_are_read() -> None:
    assert "<span>c++ &lt;x&gt;</span>" in _card("```c\\+\\+ &lt;x>\n```").html


def test_a_json_fence_is_a_tree() -> None:
    card = _card('```json\n{"a": 1}\n```')
    assert "md-tree" in markup.classes(card.html)
    assert card.features == {"json"}


def test_a_picture_is_a_link_that_names_its_host() -> None:
    assert _card("![a *chart*](https://images.example/a.png 'by <me>')").html == (
        f'<p><a class="md-image" href="https://images.example/a.png" title="by &lt;me&gt;" {LINK}>'
        "image: a chart (images.example)</a></p>\n"
    )


def test_a_picture_without_description_is_its_host() -> None:
    assert markup.text(_card("![](http://images.example/a.png)").html) == "image (images.example)\n"


@pytest.mark.parametrize(
    "address", ["javascript:x", "data:text/html;base64,AAAA", "/static/x.png", "mailto:a@b.c"]
)
def test_a_picture_from_nowhere_is_its_description(address: str) -> None:
    assert _card(f"![x `y` & z]({address} 'by & me')").html == (
        f'<p><span class="md-image">[image: x y &amp; z] ({address} '
        f'&quot;by &amp; me&quot;)</span> <span class="md-reason">{RULE}</span></p>\n'
    )


def test_a_picture_without_address_shows_that() -> None:
    assert markup.text(_card("![x]()").html) == f"[image: x] () {RULE}\n"


def test_a_picture_in_a_link_is_its_text() -> None:
    html = _card("[![badge](https://img.example/b.svg)](https://ci.example/)").html
    assert markup.links(html) == ["https://ci.example/"]
    assert markup.text(html) == f"[image: badge] (https://img.example/b.svg) {RULE}\n"


def test_a_picture_in_an_unsafe_link_is_a_link_itself() -> None:
    html = _card("[![badge](https://img.example/b.svg)](/local)").html
    assert markup.links(html) == ["https://img.example/b.svg"]


def test_a_description_may_hold_pictures_and_line_breaks() -> None:
    html = _card("![a ![b](https://i.example/1)\nc](https://i.example/2)").html
    assert markup.text(html) == "image: a b c (i.example)\n"


def test_notes_lead_there_and_back_within_one_card() -> None:
    html = _card("a[^1] b[^long] a again[^1]\n\n[^1]: one\n[^long]: two\n\n    second paragraph\n").html
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(set(ids)) == len(ids) == 5
    assert {f"#{name}" for name in ids} == set(markup.links(html))
    assert "second paragraph" in markup.text(html)


def test_notes_of_two_cards_do_not_collide() -> None:
    source = "a[^1]\n\n[^1]: one"
    ids = [set(re.findall(r' id="([^"]+)"', _card(source, card_id).html)) for card_id in ("one", "two")]
    assert ids[0].isdisjoint(ids[1])
