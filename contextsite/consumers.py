"""The sockets of the pages: one of a session, with board, conversation and head, and one of the fleet."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qs
from uuid import UUID

from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer

from agents.hub import in_thread
from agents.watcher import Cursor, View, Viewer, Watcher
from contextsite.doorman import Person, admit
from contextsite.fleet_feed import FleetListing, RailListing
from contextsite.fleet_query import FleetQuery
from contextsite.live import PARTS, Live
from memory.cards import BoardView

# A client message is an acknowledgement or a wish; nothing legitimate is longer.
MOST_CLIENT_CHARACTERS = 1000
MOST_DIGITS = 18


@dataclass(frozen=True)
class Place:
    """A person's place at a feed, as decided before the socket is accepted."""

    viewer: Viewer
    views: Mapping[str, View]
    cursors: Mapping[str, Cursor]


class PageConsumer(AsyncWebsocketConsumer):
    """The socket of a page: takes what pages say, and leaves the rest to the feeds."""

    # No channel layer: a feed hands the same text straight to all its watchers.
    channel_layer_alias = "none"

    def __init__(self, live: Live) -> None:
        """Use the feeds of this process; give them to ``as_asgi(live=…)``."""
        super().__init__()
        self._live = live
        self._watcher: Watcher | None = None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take an acknowledgement or the wish for a snapshot, of one part or all; the rest is ignored."""
        message = _message(text_data)
        if self._watcher is None:
            return
        if message.get("type") == "ack":
            amount = message.get("bytes")
            if isinstance(amount, int):
                self._acknowledge(self._watcher, amount)
        elif message.get("type") == "resync":
            part = message.get("part")
            is_known = isinstance(part, str) and part in self._watcher.cursors
            self._resync(self._watcher, part if is_known else None)

    def _acknowledge(self, watcher: Watcher, amount: int) -> None:
        self._live.fleet.acknowledge(watcher, amount)

    def _resync(self, watcher: Watcher, part: str | None) -> None:
        self._live.fleet.resync(watcher)

    async def _send_text(self, text: str) -> None:
        await self.send(text_data=text)

    async def _close(self, code: int) -> None:
        await self.close(code)

    @property
    def _login(self) -> str:
        return self.scope["session"].session_key or ""


class SessionConsumer(PageConsumer):
    """Joins a session page to its session's feed, and to the fleet's for the list of other sessions."""

    async def connect(self) -> None:
        """Accept people who may watch the session; others learn nothing, not even that it exists."""
        place = await in_thread(self._place)
        if place is None:
            raise DenyConnection
        await self.accept()
        self._watcher = Watcher(
            place.viewer, self._send_text, self._close, cursors=place.cursors, views=place.views
        )
        self._live.hub.join(self._session_id, self._watcher)
        self._live.fleet.join(self._watcher, RailListing(self._session_id))

    async def disconnect(self, code: int) -> None:
        """Leave the feeds."""
        if self._watcher is not None:
            self._live.hub.leave(self._session_id, self._watcher)
            self._live.fleet.leave(self._watcher)

    def _acknowledge(self, watcher: Watcher, amount: int) -> None:
        self._live.hub.acknowledge(self._session_id, watcher, amount)

    def _resync(self, watcher: Watcher, part: str | None) -> None:
        self._live.hub.resync(self._session_id, watcher, part)

    @property
    def _session_id(self) -> UUID:
        session_id: UUID = self.scope["url_route"]["kwargs"]["session_id"]
        return session_id

    def _place(self) -> Place | None:
        person = cast("Person", self.scope["user"])
        viewer = admit(person, self._session_id, self._login)
        if viewer is None:
            return None
        views = {part.name: part.view(self._session_id, viewer) for part in PARTS}
        return Place(viewer, views, _cursors(self.scope["query_string"], views))


class FleetConsumer(PageConsumer):
    """Joins a fleet page to the feed of all sessions that its person may see."""

    async def connect(self) -> None:
        """Accept everybody who is signed in; each sees what they may see."""
        user = cast("Person", self.scope["user"])
        user_id = await in_thread(lambda: user.pk)
        if user_id is None:
            raise DenyConnection
        await self.accept()
        said = {
            name: values[-1]
            for name, values in parse_qs(self.scope["query_string"].decode("latin-1")).items()
        }
        # The profile says nothing here: the fleet is read for the person, whatever the agent.
        viewer = Viewer(user_id, profile_id=0, may_act=False, login=self._login)
        self._watcher = Watcher(viewer, self._send_text, self._close, cursors={}, views={})
        self._live.fleet.join(self._watcher, FleetListing(FleetQuery.asked(said)))

    async def disconnect(self, code: int) -> None:
        """Leave the feed."""
        if self._watcher is not None:
            self._live.fleet.leave(self._watcher)


def _cursors(query: bytes, views: Mapping[str, View]) -> Mapping[str, Cursor]:
    """Return what the page says it has; no cards when they are not as this person sees them now."""
    said = {name: values[-1] for name, values in parse_qs(query.decode("latin-1")).items()}
    cursors: dict[str, Cursor] = dict.fromkeys(views)
    board = views["board"]
    if isinstance(board, BoardView) and said.get("view") == board.token:
        cursors["board"] = _number(said.get("board", ""))
    cursors["conversation"] = _number(said.get("conversation", ""))
    return cursors


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < MOST_DIGITS else None


def _message(text: str | None) -> Mapping[str, Any]:
    if text is None or len(text) > MOST_CLIENT_CHARACTERS:
        return {}
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}
