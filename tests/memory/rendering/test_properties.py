"""Whatever is written: no error, nothing but allowed markup, and every word still there."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context.json_values import JSON
from memory.rendering.cards import render_card, render_markdown
from tests.memory.rendering import markup
from tests.memory.rendering.vectors import VECTORS

WORD = st.text("abcdefghij", min_size=4, max_size=7)
BLOCK_MARKS = (
    "# ",
    "- ",
    "- [ ] ",
    "- [x] ",
    "1. ",
    "> ",
    "> [!NOTE]\n> ",
    "|",
    "|---|---|\n",
    "---\n",
    "===\n",
)
INLINE_MARKS = (
    "*",
    "**",
    "_",
    "~~",
    "`",
    "[",
    "](",
    ")",
    "]",
    "]: ",
    "[^",
    "![",
    "<",
    ">",
    "$",
    "$$",
    "\\",
    "<br>",
)
WRITING = (
    "\n",
    "\n\n",
    "    ",
    " ",
    "\t",
    ":",
    "\x00",
    "https://",
    "a@",
    ".md",
    "&amp;",
    "&#x202e;",
    "```",
    "~~~js ",
)
MARKS = st.sampled_from([*BLOCK_MARKS, *INLINE_MARKS, *WRITING])
DOCUMENTS = st.lists(WORD | MARKS, max_size=40).map("".join)


def _everything_shown(html: str) -> str:
    """The text together with what a reader finds in titles and addresses."""
    attributes = (value for _, pairs in markup.elements(html) for value in pairs.values())
    return "\n".join([markup.text(html), *attributes])


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_becomes_allowed_markup(text: str) -> None:
    markup.check_card(render_markdown(text, "card"))


@settings(deadline=None)
@given(DOCUMENTS)
def test_any_document_becomes_allowed_markup(source: str) -> None:
    card = render_markdown(source, "card")
    markup.check(card.html)
    assert card.error in {
        None,
        "Shown as text: a footnote inside a footnote.",
        "Shown as text: rendered, it has no visible character.",
    }


@settings(deadline=None)
@given(st.lists(st.sampled_from(VECTORS) | MARKS, max_size=8).map("".join))
def test_mixed_attacks_become_allowed_markup(source: str) -> None:
    markup.check_card(render_markdown(source, "card"))


@settings(deadline=None)
@given(st.lists(WORD | MARKS.filter(lambda mark: mark not in ("![", "[^")), max_size=40).map("".join))
def test_every_word_is_still_there(source: str) -> None:
    shown = _everything_shown(markup.with_pictures(render_markdown(source, "card")).html)
    for word in re.findall("[a-j]{4,}", source.replace("amp", "")):
        assert word in shown


JSON_VALUES: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | DOCUMENTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON_VALUES)
def test_any_value_becomes_allowed_markup(value: JSON) -> None:
    markup.check_card(render_card(json.dumps(value), "card"))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_any_stored_text_and_any_card_id_are_taken(value_json: str, card_id: str) -> None:
    markup.check_card(render_card(value_json, card_id))
