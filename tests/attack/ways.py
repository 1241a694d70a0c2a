"""The ways of hostile text to a page: each turns one input into the HTML that a page would hold."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from markdown_it import MarkdownIt

from memory.rendering.cards import render_card, render_markdown
from memory.rendering.fill import Draft
from memory.rendering.guard import DEFAULT_SETTINGS, RenderRefused
from memory.rendering.sanitize import formula_html, seal
from tests.memory.rendering.markup import with_pictures
from tests.memory.rendering.vectors import MARKDOWN_CONTEXTS, VALUE_CONTEXTS

Way = Callable[[str], str]


def _markdown(context: Callable[[str], str]) -> Way:
    return lambda text: with_pictures(render_markdown(context(text), "card")).html


def _value(place: Callable[[str], object]) -> Way:
    return lambda text: with_pictures(render_card(json.dumps(place(text)), "card")).html


def _html_list(form: Callable[[str], str]) -> Way:
    return _refusing(lambda text: seal(form(text), Draft("card", DEFAULT_SETTINGS)))


def _formula_list(form: Callable[[str], str]) -> Way:
    return _refusing(lambda text: formula_html(form(text)))


def _refusing(way: Way) -> Way:
    def refusing(text: str) -> str:
        with suppress(RenderRefused):
            return way(text)
        return ""

    return refusing


WAYS: Mapping[str, Way] = {
    **{f"markdown: {name}": _markdown(context) for name, context in MARKDOWN_CONTEXTS.items()},
    **{f"value: {name}": _value(place) for name, place in VALUE_CONTEXTS.items()},
    "no JSON": lambda text: render_card(f"not JSON {text}", "card").html,
    "markdown: mind map": _markdown(lambda text: f"```markmap\n# {text}\n- {text}\n```"),
    "markdown: pictures": _markdown(lambda text: f"![{text}](<{text}>) ![{text}](<{text}.png>)"),
    "markdown: math block": _markdown(lambda text: f"$$\n{text}\n$$"),
    "HTML list: as it is": _html_list(lambda text: text),
    "HTML list: in a paragraph": _html_list(lambda text: f"<p>{text}</p>"),
    "HTML list: as an address": _html_list(lambda text: f'<a href="{text}">x</a>'),
    "HTML list: as other values": _html_list(
        lambda text: f'<a title="{text}" class="{text}" id="{text}">x</a>'
    ),
    "formula list: as it is": _formula_list(lambda text: text),
    "formula list: in a formula": _formula_list(lambda text: f"<math><mtext>{text}</mtext></math>"),
    "formula list: as values": _formula_list(
        lambda text: f'<math><mi mathcolor="{text}" class="{text}">x</mi></math>'
    ),
}

_careless = MarkdownIt("gfm-like")

# What the same browser makes of the same inputs when nobody cleans them.
CONTROLS: Mapping[str, Way] = {
    "raw": lambda text: text,
    "careless Markdown": _careless.render,
}


def every_way(text: str) -> Iterator[str]:
    """Yield what each way makes of the text."""
    return (way(text) for way in WAYS.values())
