"""The bus: writers tell every web process that something changed, and what an agent is just saying."""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, ClassVar, Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from agents.draft import Piece


@dataclass(frozen=True)
class SessionPoke:
    """A session is at ``revision`` now; watchers read the rows."""

    kind: ClassVar[str] = "session"
    session_id: UUID
    revision: int


@dataclass(frozen=True)
class ViewerPoke:
    """What a person wants to see of an agent changed, on whatever page and in whatever process."""

    kind: ClassVar[str] = "viewer"
    user_id: int
    profile_id: int


@dataclass(frozen=True)
class DraftPiece:
    """More of an answer that is being written in a session; the only content that travels."""

    kind: ClassVar[str] = "draft"
    session_id: UUID
    piece: Piece


BusMessage = SessionPoke | ViewerPoke | DraftPiece

# A further kind is one class, one line here and one branch in decode().
_KINDS: dict[str, type[BusMessage]] = {each.kind: each for each in (SessionPoke, ViewerPoke, DraftPiece)}


class UnknownMessage(ValueError):
    """The bus carried something this version does not know; another version may be running beside it."""


def encode(message: BusMessage) -> str:
    """Return the message as one line of JSON."""
    return json.dumps({"kind": message.kind, **asdict(message)}, default=str)


def decode(text: str | bytes) -> BusMessage:
    """Return the message of one line.

    Raises:
        UnknownMessage: the line is no message of this version.
    """
    try:
        fields = json.loads(text)
        kind = _KINDS[fields.pop("kind")]
        if kind is SessionPoke:
            return SessionPoke(UUID(fields["session_id"]), int(fields["revision"]))
        if kind is DraftPiece:
            return DraftPiece(UUID(fields["session_id"]), _piece(fields["piece"]))
        return ViewerPoke(int(fields["user_id"]), int(fields["profile_id"]))
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise UnknownMessage(f"Not a message of the bus: {text[:200]!r}") from fault


def _piece(fields: dict[str, Any]) -> Piece:
    return Piece(**(fields | {"calls": tuple(fields["calls"])}))


Deliver = Callable[[BusMessage], None]


class Subscription(Protocol):
    """A listener's place on the bus."""

    def close(self) -> None:
        """Hear nothing any more; call it on the loop that subscribed."""
        ...


class Bus(Protocol):
    """Carries messages from writers to web processes. They may be lost or doubled: rows are the truth."""

    def publish(self, message: BusMessage) -> None:
        """Send from any thread of any process, without waiting for anybody.

        The order of one thread's messages is kept. An unreachable bus costs a log line, never an error.
        """
        ...

    def subscribe(self, deliver: Deliver, missed: Callable[[], None]) -> Subscription:
        """Call ``deliver`` on the running event loop for every message from now on.

        ``missed`` is called, on the same loop, whenever messages may have been lost in between.
        """
        ...


class InProcessBus:
    """Reaches the event loops of this process; the bus of embedded mode."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: tuple[_Place, ...] = ()

    def publish(self, message: BusMessage) -> None:
        """Wake every subscribed loop of this process."""
        for place in self._places:
            place.wake(message)

    def subscribe(self, deliver: Deliver, missed: Callable[[], None]) -> Subscription:
        """Hear this process; nothing is ever missed here, so ``missed`` is not called."""
        place = _Place(self, asyncio.get_running_loop(), deliver)
        with self._lock:
            self._places += (place,)
        return place

    def drop(self, place: "_Place") -> None:
        """Forget a listener; a second time does nothing."""
        with self._lock:
            self._places = tuple(each for each in self._places if each is not place)


class _Place:
    """One loop of this process that listens."""

    def __init__(self, bus: InProcessBus, loop: asyncio.AbstractEventLoop, deliver: Deliver) -> None:
        self._bus, self._loop, self._deliver = bus, loop, deliver

    def wake(self, message: BusMessage) -> None:
        try:
            # Never touch the loop's state from another thread in any other way: nothing would wake it.
            self._loop.call_soon_threadsafe(self._deliver, message)
        except RuntimeError:
            # The loop was closed without unsubscribing.
            self._bus.drop(self)

    def close(self) -> None:
        self._bus.drop(self)


def current() -> Bus:
    """Return this process's bus: Redis when ``settings.REDIS_URL`` is set, else the process itself."""
    return _bus_of(settings.REDIS_URL)


@cache
def _bus_of(redis_url: str) -> Bus:
    if not redis_url:
        return InProcessBus()
    # By name, because embedded mode runs without the redis package.
    bus: Bus = import_string("agents.redis_bus.RedisBus")(redis_url)
    return bus


def poke_session(session_id: UUID, revision: int) -> None:
    """Tell watchers that the session is at ``revision``; call it after the commit."""
    current().publish(SessionPoke(session_id, revision))


def poke_viewer(user_id: int, profile_id: int) -> None:
    """Tell this person's pages that their pins or layout of an agent changed; call it after the commit."""
    current().publish(ViewerPoke(user_id, profile_id))
