"""The card being put together: finished pieces wait in slots while the rest passes the sanitizer."""

import hashlib
import re
import secrets
from typing import TYPE_CHECKING

from memory.rendering.guard import RenderSettings
from memory.rendering.pictures import DATA_ADDRESS, Picture, PictureSlot

_DATA_ADDRESS = re.compile(rf"(?<=\]\(){DATA_ADDRESS.pattern}(?=[\s)])")

if TYPE_CHECKING:
    from memory.rendering.sanitize import SafeHTML


class Draft:
    """The state of one render.

    Attributes:
        settings: the limits of this render.
        anchor: prefix of every ``id``, so that two cards on one page cannot collide.
        hard_breaks: whether every line break of a paragraph is one on screen, as in a message.
        nonce: what makes this render's slots impossible to forge.
        features: what the card holds that a page may want to upgrade, such as ``code``.
        json_parts: values shown in trees so far.
        formulas: formulas so far, shown or not.
        widgets: diagrams, charts and mind maps so far.
        pictures: the places for pictures, in order.
        sources: what those pictures are named by, with what came inside the value.
        pieces: the HTML of each slot, in order; it has passed a sanitizer of its own.
    """

    def __init__(self, card_id: str, settings: RenderSettings, *, hard_breaks: bool = False) -> None:
        self.settings = settings
        self.hard_breaks = hard_breaks
        digest = hashlib.sha256(card_id.encode("utf-8", "surrogatepass")).hexdigest()
        self.anchor = f"c{digest[:8]}"
        self.nonce = secrets.token_hex(8)
        self.features: set[str] = set()
        self.json_parts = 0
        self.formulas = 0
        self.widgets = 0
        self.pictures: list[PictureSlot] = []
        self.sources: dict[str, Picture | None] = {}
        self.pieces: list[SafeHTML] = []
        self._addresses: list[str] = []

    def slot(self, html: "SafeHTML") -> str:
        """Keep the piece and return the element that stands in its place until `fill`."""
        self.pieces.append(html)
        return f'<span data-slot="{self.nonce}-{len(self.pieces) - 1}"></span>'

    def shorten(self, text: str) -> str:
        """Return the text with the data addresses of its images as short as other addresses."""

        def kept(match: re.Match[str]) -> str:
            self._addresses.append(match.group(0))
            return f"data:image/{self.nonce}-{len(self._addresses) - 1}"

        return _DATA_ADDRESS.sub(kept, text)

    def restore(self, text: str) -> str:
        """Return text or HTML with the addresses that `shorten` took out; they are safe in both."""
        return re.sub(
            rf"data:image/{self.nonce}-([0-9]+)", lambda match: self._addresses[int(match.group(1))], text
        )

    def fill(self, html: str) -> str:
        """Return sanitized HTML with every slot replaced by its piece."""
        return re.sub(
            rf'<span data-slot="{self.nonce}-([0-9]+)"></span>',
            lambda match: self.pieces[int(match.group(1))],
            html,
        )
