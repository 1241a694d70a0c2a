"""The fleet's live stream in one web process: pages get the rows that changed, at most twice a second."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db import Error as DatabaseError
from django.template.loader import render_to_string

from agents.feed import Clock, OffLoop, Timer
from agents.hub import in_thread, look_after
from agents.watcher import LOGGED_OUT, Watcher
from contextsite.doorman import person_of
from contextsite.fleet import FleetRow, fleet_page, fleet_summary, rail
from contextsite.fleet_query import FleetQuery

logger = logging.getLogger(__name__)
T = TypeVar("T")

SETTLE_SECONDS = 0.050
GAP_SECONDS = 0.500
# Under load the gap is this many times the duration of a read, so that reading never takes all the time.
LOAD_FACTOR = 2.0
WIDEST_GAP_SECONDS = 5.0


@dataclass(frozen=True)
class Picture:
    """What a page shows of many sessions.

    Attributes:
        order: element ids of the rows.
        versions: a number by id that changes with the row.
        parts: HTML by element id of what stands around the rows.
        draw: returns the HTML of a row.
    """

    order: Sequence[str] = ()
    versions: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    draw: Callable[[str], str] = str


class Listing(Protocol):
    """What a page wants to see of many sessions; equal ones are read once."""

    def look(self, person: User) -> Picture:
        """Return it as the rows are now."""
        ...


@dataclass(frozen=True)
class FleetListing:
    """The fleet page of one address."""

    query: FleetQuery

    def look(self, person: User) -> Picture:
        """Return the rows of the page, the counts above them and the links below."""
        page, summary = fleet_page(self.query, person), fleet_summary(self.query, person)
        rows = {f"session-{row.id}": row for row in page.rows}
        parts = {
            "fleet-sum": _part("contextsite/_fleet_sum.html", summary=summary),
            "fleet-pulse": _part("contextsite/_fleet_pulse.html", summary=summary),
            "fleet-facets": _part("contextsite/_fleet_facets.html", facets=summary.facets),
            "fleet-pages": _part("contextsite/_fleet_pages.html", page=page, total=summary.total),
        }
        return Picture(tuple(rows), {name: row.version for name, row in rows.items()}, parts, _Rows(rows))


@dataclass(frozen=True)
class RailListing:
    """The list of sessions beside an open one."""

    session_id: UUID

    def look(self, person: User) -> Picture:
        """Return the list as one part."""
        sessions = rail(person, self.session_id)
        return Picture(parts={"rail": _part("agents/_rail.html", rail=sessions, session_id=self.session_id)})


@dataclass
class _Rows:
    """Draws each row once, for all pages that show it."""

    rows: Mapping[str, FleetRow]
    drawn: dict[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        if name not in self.drawn:
            self.drawn[name] = _part("contextsite/_fleet_row.html", row=self.rows[name])
        return self.drawn[name]


@dataclass
class _Seat:
    """A page and what it has.

    Attributes:
        wishes: how often it asked for everything.
    """

    watcher: Watcher
    listing: Listing
    wishes: int = 0
    order: Sequence[str] = ()
    versions: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)

    def missing(self, picture: Picture) -> Mapping[str, Any] | None:
        """Return the frame that the page misses, and note that it has it then."""
        rows = [name for name in picture.order if self.versions.get(name) != picture.versions[name]]
        parts = {name: html for name, html in picture.parts.items() if self.parts.get(name) != html}
        is_same = not rows and not parts and self.order == picture.order
        self.order, self.versions, self.parts = picture.order, picture.versions, picture.parts
        if is_same:
            return None
        drawn = [{"id": name, "html": picture.draw(name)} for name in rows]
        return {"type": "fleet", "rows": drawn, "order": list(picture.order), "parts": parts}

    def forget(self) -> None:
        self.wishes += 1
        self.order, self.versions, self.parts = (), {}, {}


class FleetFeed:
    """Everybody in this process who watches many sessions at once."""

    def __init__(
        self, clock: Callable[[], Clock] = asyncio.get_running_loop, off_loop: OffLoop = in_thread
    ) -> None:
        self._clock, self._off_loop = clock, off_loop
        self._seats: dict[Watcher, _Seat] = {}
        self._timer: Timer | None = None
        # A strong reference: the loop itself keeps only a weak one.
        self._reading: asyncio.Task[None] | None = None
        self._again = False
        self._last_push = float("-inf")
        self._gap = GAP_SECONDS

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._seats)

    def join(self, watcher: Watcher, listing: Listing) -> None:
        """Send the page everything it lists, and from then on what changes."""
        watcher.last_sent = self._clock().time()
        self._seats[watcher] = _Seat(watcher, listing)
        self.poke()

    def leave(self, watcher: Watcher) -> None:
        """Forget a page; a second time does nothing."""
        self._seats.pop(watcher, None)

    def acknowledge(self, watcher: Watcher, amount: int) -> None:
        """Note what a page received; one that was too slow is brought up to date."""
        if watcher.acknowledge(amount):
            self.poke()

    def resync(self, watcher: Watcher) -> None:
        """Send the page everything again."""
        if watcher in self._seats:
            self._seats[watcher].forget()
            self.poke()

    def poke(self) -> None:
        """Look soon: a session changed, or may have."""
        if self._reading is not None:
            self._again = True
        elif self._timer is None and self._seats:
            clock = self._clock()
            due = max(clock.time() + SETTLE_SECONDS, self._last_push + self._gap)
            self._timer = clock.call_at(due, self._start)

    def look_after(self, now: float) -> None:
        """Ping silent pages and send away those that are too slow."""
        for watcher in self._seats:
            look_after(watcher, now)

    def stop(self, code: int) -> None:
        """Close every socket with ``code``."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for watcher in self._seats:
            watcher.close(code)

    def _start(self) -> None:
        self._timer, self._again = None, False
        self._reading = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        clock = self._clock()
        began = clock.time()
        seats = [seat for seat in self._seats.values() if not (seat.watcher.is_full or seat.watcher.is_gone)]
        try:
            await self._serve(seats)
        except DatabaseError:
            # The hub's next sweep pokes again.
            logger.exception("The fleet could not be read; the next sweep tries again.")
        finally:
            self._reading = None
            self._last_push = clock.time()
            self._gap = min(max(GAP_SECONDS, LOAD_FACTOR * (self._last_push - began)), WIDEST_GAP_SECONDS)
        if self._again:
            self.poke()

    async def _serve(self, seats: Sequence[_Seat]) -> None:
        wishes = [seat.wishes for seat in seats]
        work: Awaitable[Mapping[Watcher, str | None]] = self._off_loop(lambda: _frames(seats))
        for watcher, text in (await work).items():
            if text is None:
                watcher.close(LOGGED_OUT)
            else:
                watcher.push(text, self._clock().time())
        for seat, wish in zip(seats, wishes, strict=True):
            if seat.wishes != wish:
                # It asked for everything while this read went on.
                seat.forget()
                self._again = True


def _frames(seats: Sequence[_Seat]) -> Mapping[Watcher, str | None]:
    """Return the frame that each page misses; None for a page whose person is signed out."""
    people: dict[str, User | None] = {}
    pictures: dict[tuple[int, Listing], Picture] = {}
    frames: dict[Watcher, str | None] = {}
    for seat in seats:
        viewer = seat.watcher.viewer
        if viewer.login not in people:
            people[viewer.login] = person_of(viewer.login)
        person = people[viewer.login]
        if person is None or person.pk != viewer.user_id:
            frames[seat.watcher] = None
            continue
        wish = (viewer.user_id, seat.listing)
        if wish not in pictures:
            pictures[wish] = seat.listing.look(person)
        frame = seat.missing(pictures[wish])
        if frame is not None:
            frames[seat.watcher] = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    return frames


def _part(template: str, **context: Any) -> str:
    return render_to_string(template, context)
