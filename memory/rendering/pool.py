"""Render processes shared by many owners of texts: nobody's slow texts hold up the others."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from memory.rendering.cards import CardHTML
from memory.rendering.child import RenderChild
from memory.rendering.pictures import Picture

MOST_PROCESSES = 2


class RenderPool:
    """Up to ``most`` render processes, each started when all others are at work.

    An owner, such as a session, has one of them at a time: its texts wait for each other, those of others
    wait only while all processes are taken. Threads may share the pool.
    """

    def __init__(self, make: Callable[[], RenderChild], most: int = MOST_PROCESSES) -> None:
        self._all = [make() for _ in range(most)]
        # The last one is taken first: it is the one that runs already.
        self._free = self._all.copy()
        self._owners: set[Hashable] = set()
        self._changed = threading.Condition()

    def render(self, value_json: str, card_id: str, owner: Hashable) -> CardHTML:
        """Return ``RenderChild.render`` of the value."""
        with self._taken(owner) as child:
            return child.render(value_json, card_id)

    def render_markdown(self, text: str, card_id: str, owner: Hashable) -> CardHTML:
        """Return ``RenderChild.render_markdown`` of the text."""
        with self._taken(owner) as child:
            return child.render_markdown(text, card_id)

    def encoded_anew(self, content: bytes, owner: Hashable) -> Picture:
        """Return ``RenderChild.encoded_anew`` of the bytes.

        Raises:
            memory.rendering.pictures.PictureRefused: also when it takes too long.
        """
        with self._taken(owner) as child:
            return child.encoded_anew(content)

    def split(self, text: str, owner: Hashable) -> tuple[list[str], str]:
        """Return ``RenderChild.split`` of the text."""
        with self._taken(owner) as child:
            return child.split(text)

    def close(self) -> None:
        """End all processes for good, each after the text in work."""
        for child in self._all:
            child.close()

    @contextmanager
    def _taken(self, owner: Hashable) -> Iterator[RenderChild]:
        with self._changed:
            self._changed.wait_for(lambda: self._free and owner not in self._owners)
            self._owners.add(owner)
            child = self._free.pop()
        try:
            yield child
        finally:
            with self._changed:
                self._owners.remove(owner)
                self._free.append(child)
                self._changed.notify_all()
