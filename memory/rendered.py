"""Rendered values and messages, kept by the hash of their text; a miss goes to the render process."""

import hashlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from uuid import UUID

from memory.render_process import pool
from memory.rendering.cards import PIPELINE_VERSION, CardHTML
from memory.rendering.growing import GrowingText
from memory.session_pictures import with_session_pictures

# Characters of HTML and bytes of pictures that one process keeps; the least recently used leave first.
MOST_CHARACTERS = 32 * 1024 * 1024
# A text that was shown as its source because of a bad moment gets another chance after this long, and after
# each chance that it missed only after so many times as long: it may be the text that takes the time.
RETRY_AFTER_SECONDS = 60.0
RETRY_FACTOR = 8.0
MOST_MISSES = 4

Key = tuple[str, str, bytes]


class _Kept(NamedTuple):
    """What was made of a text.

    Attributes:
        at: when, by the clock.
        misses: how often in a row its source was all that could be shown.
    """

    made: CardHTML
    at: float
    misses: int

    @property
    def due(self) -> float:
        """When the text gets another chance."""
        if not self.misses:
            return float("inf")
        return self.at + RETRY_AFTER_SECONDS * math.pow(RETRY_FACTOR, min(self.misses, MOST_MISSES) - 1)


class RenderedTexts:
    """Keeps what a renderer made, up to a number of characters. Threads may share it."""

    def __init__(
        self, most_characters: int = MOST_CHARACTERS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_characters = most_characters
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._characters = 0

    def get(self, render: Callable[[str, str], CardHTML], kind: str, text: str, dom_id: str) -> CardHTML:
        """Return what ``render`` makes of the text for the element ``dom_id``, from memory if it can."""
        key = (kind, dom_id, hashlib.sha256(f"{PIPELINE_VERSION}\n{text}".encode()).digest())
        with self._lock:
            known = self._known(key)
            if known is not None:
                return known
        # Outside the lock: a slow text must not keep others from what is already there.
        made = render(text, dom_id)
        with self._lock:
            self._keep(key, made)
        return made

    def _known(self, key: Key) -> CardHTML | None:
        if key not in self._kept:
            return None
        kept = self._kept[key]
        if self._clock() > kept.due:
            return None
        self._kept.move_to_end(key)
        return kept.made

    def _keep(self, key: Key, made: CardHTML) -> None:
        before = self._kept.pop(key, None)
        if before:
            self._characters -= _size(before.made)
        misses = 0 if made.lasting else 1 + (before.misses if before else 0)
        self._kept[key] = _Kept(made, self._clock(), misses)
        self._characters += _size(made)
        while self._characters > self._most_characters:
            _, oldest = self._kept.popitem(last=False)
            self._characters -= _size(oldest.made)


def _size(made: CardHTML) -> int:
    pictures = {slot.made.key: len(slot.made.content) for slot in made.pictures if slot.made}
    return len(made.html) + sum(pictures.values())


_texts = RenderedTexts()


def value_html(value_json: str, dom_id: str, session_id: UUID) -> CardHTML:
    """Return a value, given as compact JSON text, as HTML for the card ``dom_id`` of a session.

    Never call it on an event loop or inside a transaction: it may wait for the render process.
    """
    render = partial(pool.render, owner=session_id)
    return with_session_pictures(_texts.get(render, "value", value_json, dom_id), session_id)


def message_html(text: str, dom_id: str, session_id: UUID) -> CardHTML:
    """Return a message's Markdown as HTML for the element ``dom_id``; may wait, see ``value_html``."""
    render = partial(pool.render_markdown, owner=session_id)
    return with_session_pictures(_texts.get(render, "message", text, dom_id), session_id)


def growing_text() -> GrowingText:
    """Return a text that is still being written; its ``add`` may wait, see ``value_html``."""
    return GrowingText(partial(pool.split, owner=object()))
