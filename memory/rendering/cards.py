"""From a stored value to the HTML a person sees: always something legible, never an error."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from agents.context.json_values import JSON, InvalidJSON, decode, pretty
from memory.rendering.blocks.json_tree import json_tree
from memory.rendering.blocks.records import definition_grid, is_record, is_table, record_table
from memory.rendering.blocks.scalars import scalar, time_html
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderRefused, RenderSettings, admit_json, admit_text
from memory.rendering.parser import markdown_html
from memory.rendering.pictures import PICTURE_MARK, PictureSlot, ShownPicture
from memory.rendering.sanitize import (
    SafeHTML,
    escape,
    hidden_image_html,
    image_html,
    seal,
    shows_anything,
    source_html,
)

PIPELINE_VERSION = 8
"""Grows with every change of the output; part of the key under which rendered cards are kept."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CardHTML:
    """A rendered value; templates print it, or its ``html``, as it is.

    Attributes:
        html: the finished HTML, safe on any page of ours inside an element of class ``prose``.
        features: what it holds: ``code``, ``json``, ``math``, ``mermaid``, ``vega-lite``, ``markmap``.
        error: why the value is shown as its source, or None.
        pictures: the places that ``with_pictures`` fills before anybody sees the HTML.
        lasting: False when the moment was at fault, not the value: rendering it again may succeed.
    """

    html: SafeHTML
    features: frozenset[str] = frozenset()
    error: str | None = None
    lasting: bool = True
    pictures: tuple[PictureSlot, ...] = ()

    def __html__(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.html


def render_card(value_json: str, card_id: str, settings: RenderSettings = DEFAULT_SETTINGS) -> CardHTML:
    """Return a whiteboard value as HTML: text as Markdown, records as grid or table, the rest as a tree.

    ``card_id`` keeps the anchors of cards on one page apart. A value over a limit, or one that cannot be
    rendered for any reason, is returned as its whole source under one line that says why.
    """
    try:
        value = decode(value_json)
    except InvalidJSON as error:
        return source_card(value_json, f"Shown as text: {error}.")
    if isinstance(value, str):
        return _text_card(value, Draft(card_id, settings)) if value.strip() else _EMPTY_TEXT

    def draw(draft: Draft) -> str:
        admit_json(value, value_json, settings)
        return _value_html(value, draft)

    return _attempt(draw, lambda: source_text(value_json), Draft(card_id, settings))


def render_markdown(text: str, card_id: str, settings: RenderSettings = DEFAULT_SETTINGS) -> CardHTML:
    """Return a message as HTML: Markdown in which every line break counts; falls back as `render_card`."""
    return _text_card(text, Draft(card_id, settings, hard_breaks=True))


def with_pictures(card: CardHTML, found: Mapping[str, ShownPicture | str]) -> CardHTML:
    """Return the card with its pictures: by the mark of each place where it is served, or why it is not."""
    if not card.pictures:
        return card
    pieces = {slot.mark: _picture_piece(slot, found[slot.mark]) for slot in card.pictures}
    # In one pass, so that what was put in is never looked at again.
    html = PICTURE_MARK.sub(lambda match: pieces.get(match.group(0), match.group(0)), card.html)
    return replace(card, html=SafeHTML(html), pictures=())


def source_card(source: str, reason: str, *, lasting: bool = True) -> CardHTML:
    """Return a value as its source under one line that says why it is not rendered."""
    return CardHTML(source_html(source, reason), error=reason, lasting=lasting)


def source_text(value_json: str) -> str:
    """Return what a person reads of a value that is not rendered: the text itself, or indented JSON."""
    try:
        value = decode(value_json)
        return value if isinstance(value, str) else pretty(value)
    except (ValueError, RecursionError):
        return value_json


_EMPTY_TEXT = CardHTML(SafeHTML('<p class="muted">Empty text</p>'))


def _text_card(text: str, draft: Draft) -> CardHTML:
    def draw(draft: Draft) -> str:
        day = time_html(text)
        return (
            f'<p class="md-scalar">{day}</p>\n'
            if day and not draft.hard_breaks
            else markdown_html(admit_text(draft.shorten(text), draft.settings), draft)
        )

    card = _attempt(draw, lambda: text, draft)
    if text.strip() and not card.pictures and not shows_anything(card.html):
        return source_card(_with_visible(text), "Shown as text: rendered, it has no visible character.")
    return card


def _with_visible(text: str) -> str:
    """Return the text, or how JSON spells it where it has only invisible characters."""
    return text if shows_anything(escape(text)) else json.dumps(text)[1:-1]


def _attempt(draw: Callable[[Draft], str], source: Callable[[], str], draft: Draft) -> CardHTML:
    try:
        html = seal(draw(draft), draft)
        return CardHTML(html, frozenset(draft.features), pictures=tuple(draft.pictures))
    except RenderRefused as refusal:
        return source_card(source(), f"Shown as text: {refusal}.")
    except Exception as failure:
        # The boundary of one card: a fault in a parser, lexer or sanitizer must not reach the page.
        logger.exception("a card could not be rendered")
        return source_card(source(), f"Shown as text: it could not be rendered ({type(failure).__name__}).")


def _picture_piece(slot: PictureSlot, found: ShownPicture | str) -> SafeHTML:
    if isinstance(found, str):
        return hidden_image_html(slot.words, found, title=slot.title)
    return image_html(found, slot.words, slot.title)


def _value_html(value: JSON, draft: Draft) -> str:
    if is_record(value):
        return definition_grid(value)
    if is_table(value):
        return record_table(value)
    if isinstance(value, (dict, list)) and value:
        return json_tree(value, draft)
    return f'<p class="md-scalar">{scalar(value)}</p>\n'
