"""Rendered values and messages, kept by the hash of their text; a miss goes to the render process."""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from uuid import UUID

from memory.render_process import child
from memory.rendering.cards import PIPELINE_VERSION, CardHTML
from memory.rendering.growing import GrowingText
from memory.session_pictures import with_session_pictures

# Characters of HTML and bytes of pictures that one process keeps; the least recently used leave first.
MOST_CHARACTERS = 32 * 1024 * 1024
# A text that was shown as its source because of a bad moment gets another chance after this long.
RETRY_AFTER_SECONDS = 60.0

Key = tuple[str, str, bytes]


class RenderedTexts:
    """Keeps what a renderer made, up to a number of characters. Threads may share it."""

    def __init__(
        self, most_characters: int = MOST_CHARACTERS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_characters = most_characters
        self._clock = clock
        self._lock = threading.Lock()
        # What was made, and when.
        self._kept: OrderedDict[Key, tuple[CardHTML, float]] = OrderedDict()
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
        made, at = self._kept[key]
        if not made.lasting and self._clock() - at > RETRY_AFTER_SECONDS:
            return None
        self._kept.move_to_end(key)
        return made

    def _keep(self, key: Key, made: CardHTML) -> None:
        if key in self._kept:
            self._characters -= _size(self._kept.pop(key)[0])
        self._kept[key] = (made, self._clock())
        self._characters += _size(made)
        while self._characters > self._most_characters:
            _, (oldest, _) = self._kept.popitem(last=False)
            self._characters -= _size(oldest)


def _size(made: CardHTML) -> int:
    pictures = {slot.made.key: len(slot.made.content) for slot in made.pictures if slot.made}
    return len(made.html) + sum(pictures.values())


_texts = RenderedTexts()


def value_html(value_json: str, dom_id: str, session_id: UUID) -> CardHTML:
    """Return a value, given as compact JSON text, as HTML for the card ``dom_id`` of a session.

    Never call it on an event loop or inside a transaction: it may wait for the render process.
    """
    return with_session_pictures(_texts.get(child.render, "value", value_json, dom_id), session_id)


def message_html(text: str, dom_id: str, session_id: UUID) -> CardHTML:
    """Return a message's Markdown as HTML for the element ``dom_id``; may wait, see ``value_html``."""
    return with_session_pictures(_texts.get(child.render_markdown, "message", text, dom_id), session_id)


def growing_text() -> GrowingText:
    """Return a text that is still being written; its ``add`` may wait, see ``value_html``."""
    return GrowingText(child.split)
