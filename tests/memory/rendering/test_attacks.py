"""No hostile text reaches the page as markup, wherever in a value it stands."""

import json
from contextlib import suppress

import pytest

from memory.rendering.cards import CardHTML, render_card, render_markdown
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderRefused, visible
from memory.rendering.parser import markdown_html
from memory.rendering.sanitize import SafeHTML, seal
from tests.memory.rendering import markup
from tests.memory.rendering.vectors import MARKDOWN_CONTEXTS, VALUE_CONTEXTS, VECTORS

each_vector = pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))


def test_there_are_enough_vectors_and_none_twice() -> None:
    assert len(set(VECTORS)) == len(VECTORS) >= 60


@each_vector
def test_markdown_keeps_it_harmless_in_every_context(vector: str) -> None:
    for context in MARKDOWN_CONTEXTS.values():
        markup.check_card(render_markdown(context(vector), "card"))


@each_vector
def test_values_keep_it_harmless_in_every_place(vector: str) -> None:
    for place in VALUE_CONTEXTS.values():
        markup.check_card(render_card(json.dumps(place(vector)), "card"))


@each_vector
def test_the_allow_list_alone_keeps_it_harmless(vector: str) -> None:
    for raw in (
        vector,
        f"<p>{vector}</p>",
        f'<a href="{vector}">x</a>',
        f'<a title="{vector}" class="{vector}">x</a>',
    ):
        markup.check(seal(raw, Draft("card", DEFAULT_SETTINGS)))


@each_vector
def test_a_card_shown_as_its_source_is_harmless(vector: str) -> None:
    card = render_card(f"not JSON {vector}", "card")
    assert card.error is not None
    markup.check(card.html)


@each_vector
def test_the_renderer_alone_keeps_it_harmless(vector: str) -> None:
    """The walls are independent: neither needs the other to hold."""
    for context in MARKDOWN_CONTEXTS.values():
        draft = Draft("card", DEFAULT_SETTINGS)
        with suppress(RenderRefused):
            html = SafeHTML(draft.fill(markdown_html(visible(context(vector)), draft)))
            markup.check_card(CardHTML(html, pictures=tuple(draft.pictures)))
