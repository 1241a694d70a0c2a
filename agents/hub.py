"""The hub: all feeds of one web process, what wakes them, and the sweep that finds what was lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections

from agents import bus, data_version
from agents.bus import BusMessage, DraftPiece, SessionPoke, ViewerPoke
from agents.feed import Feed, Part
from agents.models import AgentSession
from agents.watcher import TOO_SLOW, Viewer, Watcher

logger = logging.getLogger(__name__)
T = TypeVar("T")

SWEEP_SECONDS = 5.0
LISTEN_SECONDS = 0.25
PING_AFTER_SECONDS = 20.0
PING = '{"type":"ping"}'
# How long a page may leave frames unacknowledged before it is sent away.
PATIENCE_SECONDS = 30.0

Verdict = Viewer | int


class Doorman(Protocol):
    """Decides again and again who may watch."""

    def __call__(self, watched: Mapping[UUID, Collection[Viewer]]) -> Mapping[tuple[UUID, Viewer], Verdict]:
        """Return for each session and viewer how they watch now, or the code to close their socket with."""
        ...


class Overview(Protocol):
    """Watchers of many sessions at once, such as those of the fleet page."""

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches."""
        ...

    def poke(self) -> None:
        """Look soon: a session changed, or may have."""
        ...

    def look_after(self, now: float) -> None:
        """Ping silent pages and send away those that are too slow."""
        ...

    def stop(self, code: int) -> None:
        """Close every socket with ``code``."""
        ...


async def in_thread(work: Callable[[], T]) -> T:
    """Return what ``work`` returns; it runs in a thread of its own with a fresh database connection."""

    def run() -> T:
        close_old_connections()
        try:
            return work()
        finally:
            close_old_connections()

    return await sync_to_async(run, thread_sensitive=False)()


@dataclass(frozen=True)
class _Swept:
    """What a sweep found about watched sessions."""

    revisions: Mapping[UUID, int] = field(default_factory=dict)
    queued: Collection[UUID] = ()
    verdicts: Mapping[tuple[UUID, Viewer], Verdict] = field(default_factory=dict)


class Hub:
    """All feeds of one web process. Its methods belong to one event loop.

    Attributes:
        feeds: the watched sessions.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        doorman: Doorman,
        chores: Iterable[Callable[[], object]],
        overviews: Iterable[Overview] = (),
    ) -> None:
        self.feeds: dict[UUID, Feed] = {}
        self._overviews = tuple(overviews)
        self._parts = parts
        self._doorman = doorman
        self._chores = tuple(chores)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscription: bus.Subscription | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def ensure_running(self) -> None:
        """Listen to the bus and sweep from now on, on the running loop; cheap when it does so already."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        self._loop = loop
        self._subscription = bus.current().subscribe(self.deliver, self._missed)
        self._spawn(self._sweep_for_ever())
        if not settings.REDIS_URL:
            self._spawn(self._listen_to_other_processes())

    async def stop(self, code: int) -> None:
        """Close every socket with ``code`` and listen no more."""
        if self._subscription is not None:
            self._subscription.close()
        tasks, self._tasks = self._tasks, set()
        for task in tasks:
            task.cancel()
        for feed in self.feeds.values():
            for watcher in feed.watchers:
                watcher.close(code)
        for overview in self._overviews:
            overview.stop(code)
        self._loop = self._subscription = None
        await asyncio.gather(*tasks, return_exceptions=True)

    def join(self, session_id: UUID, watcher: Watcher) -> None:
        """Let a page watch a session; what it misses follows at once."""
        self.ensure_running()
        feed = self.feeds.get(session_id)
        if feed is None:
            loop = asyncio.get_running_loop()
            feed = self.feeds[session_id] = Feed(session_id, self._parts, loop, in_thread)
        watcher.last_sent = asyncio.get_running_loop().time()
        feed.join(watcher)

    def leave(self, session_id: UUID, watcher: Watcher) -> None:
        """Forget a page; a second time does nothing."""
        feed = self.feeds.get(session_id)
        if feed is None:
            return
        feed.leave(watcher)
        if not feed.watchers:
            del self.feeds[session_id]

    def acknowledge(self, session_id: UUID, watcher: Watcher, amount: int) -> None:
        """Note what a page received; one that was too slow is brought up to date."""
        if watcher.acknowledge(amount):
            self._wake(session_id)

    def resync(self, session_id: UUID, watcher: Watcher, part: str | None = None) -> None:
        """Send the page a snapshot of the part, or of every part."""
        watcher.forget(part)
        self._wake(session_id)

    def deliver(self, message: BusMessage) -> None:
        """Act on a message of the bus."""
        if isinstance(message, SessionPoke):
            feed = self.feeds.get(message.session_id)
            if feed is not None:
                feed.poke(message.revision)
            self._poke_overviews()
        elif isinstance(message, DraftPiece):
            feed = self.feeds.get(message.session_id)
            if feed is not None:
                feed.stream(message.piece)
        elif isinstance(message, ViewerPoke):
            self._refresh_views(message.user_id, message.profile_id)

    async def sweep(self) -> None:
        """Find lost pokes, lost permissions, slow and silent pages, and do the process's chores."""
        now = asyncio.get_running_loop().time()
        self._look_after_watchers(now)
        for overview in self._overviews:
            overview.look_after(now)
        self._poke_overviews()
        await self._sweep_rows()

    def _poke_overviews(self) -> None:
        for overview in self._overviews:
            overview.poke()

    def _wake(self, session_id: UUID) -> None:
        feed = self.feeds.get(session_id)
        if feed is not None:
            feed.wake()

    def _refresh_views(self, user_id: int, profile_id: int) -> None:
        for feed in self.feeds.values():
            concerned = [
                each
                for each in feed.watchers
                if each.viewer.user_id == user_id and each.viewer.profile_id == profile_id
            ]
            for watcher in concerned:
                watcher.view_is_stale = True
            if concerned:
                feed.wake()

    def _look_after_watchers(self, now: float) -> None:
        for feed in self.feeds.values():
            for watcher in feed.watchers:
                look_after(watcher, now)

    async def _sweep_rows(self) -> None:
        watched = {
            session_id: {each.viewer for each in feed.watchers} for session_id, feed in self.feeds.items()
        }

        def work() -> _Swept:
            for chore in self._chores:
                chore()
            return (
                _Swept(_revisions(watched), _queued(watched), self._doorman(watched)) if watched else _Swept()
            )

        swept = await in_thread(work)
        self._compare(swept.revisions, watched)
        for session_id in swept.queued:
            # Its place in the queue changes with the revisions of others.
            self._wake(session_id)
        self._carry_out(swept.verdicts)

    async def _sweep_revisions(self) -> None:
        self._poke_overviews()
        watched = list(self.feeds)
        if watched:
            self._compare(await in_thread(lambda: _revisions(watched)), watched)

    def _compare(self, revisions: Mapping[UUID, int], watched: Iterable[UUID]) -> None:
        for session_id in watched:
            feed = self.feeds.get(session_id)
            # A lower revision counts too (a restored backup), and so does a session that is no more.
            if feed is not None and feed.revision != revisions.get(session_id):
                feed.wake()

    def _carry_out(self, verdicts: Mapping[tuple[UUID, Viewer], Verdict]) -> None:
        for session_id, feed in self.feeds.items():
            changed = False
            for watcher in feed.watchers:
                verdict = verdicts.get((session_id, watcher.viewer))
                if isinstance(verdict, int):
                    watcher.close(verdict)
                elif verdict is not None and verdict != watcher.viewer:
                    watcher.viewer, watcher.view_is_stale, changed = verdict, True, True
            if changed:
                feed.wake()

    async def _sweep_for_ever(self) -> None:
        while True:
            await self._despite_the_database(self.sweep)
            await asyncio.sleep(SWEEP_SECONDS)

    async def _listen_to_other_processes(self) -> None:
        versions = data_version.of_default_database()
        if versions is None:
            return
        with versions:
            while True:
                await asyncio.sleep(LISTEN_SECONDS)
                if not self.feeds and not any(each.is_watched for each in self._overviews):
                    continue
                if await asyncio.to_thread(versions.has_changed):
                    await self._despite_the_database(self._sweep_revisions)

    async def _despite_the_database(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except DatabaseError:
            logger.exception("The database did not answer; the next sweep tries again.")

    def _missed(self) -> None:
        self._spawn(self._despite_the_database(self._sweep_revisions))

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        # A strong reference: the loop itself keeps only a weak one.
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def look_after(watcher: Watcher, now: float) -> None:
    """Ping a page that heard nothing for long, or send away one that was too slow for too long."""
    if watcher.full_since is not None and now - watcher.full_since > PATIENCE_SECONDS:
        watcher.close(TOO_SLOW)
    elif now - watcher.last_sent > PING_AFTER_SECONDS:
        watcher.push(PING, now)


def _revisions(session_ids: Iterable[UUID]) -> Mapping[UUID, int]:
    return dict(AgentSession.objects.filter(pk__in=list(session_ids)).values_list("pk", "revision"))


def _queued(session_ids: Iterable[UUID]) -> Collection[UUID]:
    queued = AgentSession.objects.filter(pk__in=list(session_ids), status=AgentSession.Status.QUEUED)
    return set(queued.values_list("pk", flat=True))
