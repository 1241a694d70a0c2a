"""The feed: one session's live stream inside one web process, read once and shared by all its watchers."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.db import Error as DatabaseError

from agents.draft import PART_NAME as DRAFT
from agents.draft import Piece
from agents.draft_blocks import DraftBlocks
from agents.models import AgentSession
from agents.watcher import PERMISSION_LOST, Cursor, View, Viewer, Watcher

logger = logging.getLogger(__name__)
T = TypeVar("T")
Frame = Mapping[str, Any]

# A burst of one step leaves as one frame; a page gets at most ten frames a second.
SETTLE_SECONDS = 0.010
GAP_SECONDS = 0.100
# Under load the gap is this many times the duration of a read, so that reads never queue.
LOAD_FACTOR = 1.0
WIDEST_GAP_SECONDS = 1.0
RETRY_SECONDS = 1.0


class Timer(Protocol):
    """A call to come."""

    def cancel(self) -> None:
        """Call nothing."""
        ...


class Clock(Protocol):
    """The event loop's time and timers; tests bring their own."""

    def time(self) -> float:
        """Return seconds that only grow."""
        ...

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        """Call ``callback`` on the loop when ``time()`` reaches ``when``."""
        ...


class OffLoop(Protocol):
    """Runs blocking work elsewhere than on the event loop."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]:
        """Return what ``work`` returns."""
        ...


class Update(Protocol):
    """What the watchers at one cursor of a part are missing."""

    @property
    def cursor(self) -> Cursor:
        """Where they stand after it."""
        ...

    def frame(self, view: View) -> Frame:
        """Return the frame for one view; called once per distinct view, off the event loop."""
        ...


class Part(Protocol):
    """Something that a page shows live. All methods read rows and run off the event loop."""

    @property
    def name(self) -> str:
        """Return the name under which watchers keep their cursor and view."""
        ...

    def view(self, session_id: UUID, viewer: Viewer) -> View:
        """Return how this person sees the part now."""
        ...

    def read(self, session: AgentSession, cursors: Collection[Cursor]) -> Mapping[Cursor, Update]:
        """Return an update for each cursor that misses something; None always does.

        ``session`` was read just now, with its profile, and before anything that this method reads.
        All updates of one call should lead to the same cursor. Rows may be newer than that cursor, since the
        next update repeats them; they must not be older.
        """
        ...

    def transition(self, session: AgentSession, old: View, new: View) -> Frame | None:
        """Return the frame that turns the page of the old view into one of the new; None: send a snapshot."""
        ...


@dataclass(frozen=True)
class Seat:
    """A watcher as it was when a read began."""

    watcher: Watcher
    requests: int
    viewer: Viewer
    cursors: Mapping[str, Cursor]
    views: Mapping[str, View]
    view_is_stale: bool

    @classmethod
    def of(cls, watcher: Watcher) -> "Seat":
        """Return the seat of a watcher and take its stale mark off: this read answers it."""
        stale, watcher.view_is_stale = watcher.view_is_stale, False
        return cls(
            watcher, watcher.requests, watcher.viewer, dict(watcher.cursors), dict(watcher.views), stale
        )


@dataclass
class Delivery:
    """What one seat gets: frames in order, and where it then stands."""

    seat: Seat
    frames: list[str] = field(default_factory=list)
    cursors: dict[str, Cursor] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)


class Feed:
    """Reads a session when it changed and hands the frames to everybody who watches.

    Attributes:
        watchers: everybody who joined and has not left.
        revision: the session's revision of the last read; -1 before it.
    """

    def __init__(self, session_id: UUID, parts: Sequence[Part], clock: Clock, off_loop: OffLoop) -> None:
        self.watchers: set[Watcher] = set()
        self.revision = -1
        self._session_id = session_id
        self._parts = parts
        self._clock = clock
        self._off_loop = off_loop
        self._blocks = DraftBlocks(session_id, clock, off_loop, self._hand_on)
        self._timer: Timer | None = None
        # A strong reference: the loop itself keeps only a weak one.
        self._reading: asyncio.Task[None] | None = None
        self._again = False
        self._heard = -1
        self._last_push = float("-inf")
        self._gap = GAP_SECONDS

    def join(self, watcher: Watcher) -> None:
        """Add a watcher and bring it up to date; it misses nothing from now on."""
        self.watchers.add(watcher)
        self.wake()

    def leave(self, watcher: Watcher) -> None:
        """Remove a watcher; with the last one the feed rests."""
        self.watchers.discard(watcher)
        if self.watchers:
            return
        self._blocks.rest()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def poke(self, revision: int) -> None:
        """Read soon, unless this revision was read already."""
        if revision > self.revision:
            self._heard = max(self._heard, revision)
            if self._reading is None:
                self.wake()

    def stream(self, piece: Piece) -> None:
        """Hand on what an agent is just saying; a page that is too slow for it asks for the draft later."""
        self._hand_on(_text(piece.frame()))
        if self.watchers:
            self._blocks.take(piece)

    def _hand_on(self, text: str) -> None:
        now = self._clock.time()
        for watcher in self.watchers:
            if not watcher.is_full:
                watcher.push(text, now)

    def wake(self) -> None:
        """Read soon, whatever the revision: a watcher is owed something."""
        if self._reading is not None:
            self._again = True
        elif self._timer is None and self.watchers:
            now = self._clock.time()
            due = max(now + SETTLE_SECONDS, self._last_push + self._gap)
            self._timer = self._clock.call_at(due, self._start)

    def _start(self) -> None:
        self._timer = None
        self._again = False
        self._heard = -1
        self._reading = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        began = self._clock.time()
        seats = [Seat.of(each) for each in self.watchers if not (each.is_full or each.is_gone)]
        try:
            reading = _Reading(self._session_id, self._parts, seats)
            deliveries = await self._off_loop(reading.carry_out)
            self._deliver(reading.revision, deliveries)
        except DatabaseError:
            logger.exception("The feed of session %s could not read; it tries again.", self._session_id)
            self._give_back(seats)
        finally:
            self._reading = None
            self._last_push = self._clock.time()
            wished = LOAD_FACTOR * (self._last_push - began)
            self._gap = min(max(GAP_SECONDS, wished), WIDEST_GAP_SECONDS)
        if self._again or self._heard > self.revision:
            self.wake()

    def _give_back(self, seats: Sequence[Seat]) -> None:
        for seat in seats:
            seat.watcher.view_is_stale |= seat.view_is_stale
        if self.watchers:
            self._timer = self._clock.call_at(self._clock.time() + RETRY_SECONDS, self._start)

    def _deliver(self, revision: int | None, deliveries: Sequence[Delivery]) -> None:
        if revision is None:
            for watcher in self.watchers:
                watcher.close(PERMISSION_LOST)
            return
        self.revision = revision
        now = self._clock.time()
        for delivery in deliveries:
            watcher = delivery.seat.watcher
            if watcher.requests != delivery.seat.requests:
                # It asked for a snapshot meanwhile, and the next read sends one.
                watcher.view_is_stale |= delivery.seat.view_is_stale
                self._again = True
                continue
            watcher.cursors.update(delivery.cursors)
            watcher.views.update(delivery.views)
            has_new_draft = DRAFT in delivery.cursors and delivery.seat.cursors[DRAFT] is None
            for text in delivery.frames + (self._blocks.frames if has_new_draft else []):
                watcher.push(text, now)


class _Reading:
    """One read of the rows for all seats, done in one go off the event loop."""

    def __init__(self, session_id: UUID, parts: Sequence[Part], seats: Sequence[Seat]) -> None:
        self._session_id, self._parts, self._seats = session_id, parts, seats
        self.revision: int | None = None

    def carry_out(self) -> Sequence[Delivery]:
        # The session first: whatever commits after it is heard of again.
        session = AgentSession.objects.select_related("profile").filter(pk=self._session_id).first()
        if session is None:
            return ()
        self.revision = session.revision
        deliveries = [Delivery(seat) for seat in self._seats]
        for part in self._parts:
            _PartReading(session, part).serve(deliveries)
        return deliveries


class _PartReading:
    """One part of one read; equal wishes are answered with the same text."""

    def __init__(self, session: AgentSession, part: Part) -> None:
        self._session, self._part = session, part
        self._views: dict[Viewer, View] = {}
        self._transitions: dict[tuple[View, View], str | None] = {}
        self._frames: dict[tuple[Cursor, View], str] = {}

    def serve(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self._settle_view(delivery)
        name = self._part.name
        cursors = {delivery.cursors[name] for delivery in deliveries}
        updates = self._part.read(self._session, cursors) if cursors else {}
        for delivery in deliveries:
            cursor, view = delivery.cursors[name], delivery.views[name]
            update = updates.get(cursor)
            if update is None:
                continue
            if (cursor, view) not in self._frames:
                self._frames[cursor, view] = _text(update.frame(view))
            delivery.frames.append(self._frames[cursor, view])
            delivery.cursors[name] = update.cursor

    def _settle_view(self, delivery: Delivery) -> None:
        seat, name = delivery.seat, self._part.name
        cursor, old = seat.cursors[name], seat.views[name]
        new = self._view(seat.viewer) if seat.view_is_stale else old
        if new != old and cursor is not None:
            if (old, new) not in self._transitions:
                frame = self._part.transition(self._session, old, new)
                self._transitions[old, new] = None if frame is None else _text(frame)
            text = self._transitions[old, new]
            if text is None:
                cursor = None
            else:
                delivery.frames.append(text)
        delivery.cursors[name], delivery.views[name] = cursor, new

    def _view(self, viewer: Viewer) -> View:
        if viewer not in self._views:
            self._views[viewer] = self._part.view(self._session.pk, viewer)
        return self._views[viewer]


def _text(frame: Frame) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
