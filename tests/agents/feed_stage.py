"""A feed on a stage: a clock of its own, no sleeping, no threads, no rows but the session's revision."""

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from uuid import UUID, uuid4

import pytest

from agents.feed import Feed, Frame
from agents.models import AgentSession
from agents.watcher import Cursor, View, Viewer, Watcher

T = TypeVar("T")
VIEWER = Viewer(user_id=1, profile_id=1, may_act=False)


@dataclass
class Timer:
    when: float
    callback: Callable[[], object]
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


class ManualClock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._timers: list[Timer] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], object]) -> Timer:
        timer = Timer(when, callback)
        self._timers.append(timer)
        return timer

    @property
    def due(self) -> float | None:
        """Return how far away the next call is, or None."""
        waiting = [timer.when for timer in self._timers if not timer.is_cancelled]
        return min(waiting) - self.now if waiting else None

    async def advance(self, seconds: float) -> None:
        """Let time pass, with every call at its time and everything that follows from it."""
        end = self.now + seconds
        while True:
            ready = [timer for timer in self._timers if not timer.is_cancelled and timer.when <= end + 1e-9]
            if not ready:
                break
            timer = min(ready, key=lambda each: each.when)
            self._timers.remove(timer)
            self.now = max(self.now, timer.when)
            timer.callback()
            await settle()
        self.now = end


async def settle() -> None:
    """Let every task that can run do so."""
    for _ in range(20):
        await asyncio.sleep(0)


class Rows:
    """A session of one number, and the part that shows it."""

    name = "number"

    def __init__(self) -> None:
        self.revision: int | None = 0
        self.reads: list[set[Cursor]] = []
        self.frames_made = 0
        self.views: dict[Viewer, View] = {}
        self.needs_snapshot_for_view = False
        self.fault: Exception | None = None

    def commit(self) -> int:
        assert self.revision is not None
        self.revision += 1
        return self.revision

    def view(self, session_id: UUID, viewer: Viewer) -> View:
        return self.views.get(viewer, "plain")

    def read(self, session: AgentSession, cursors: Collection[Cursor]) -> Mapping[Cursor, "Number"]:
        self.reads.append(set(cursors))
        if self.fault is not None:
            raise self.fault
        assert self.revision is not None
        return {cursor: Number(self, cursor, self.revision) for cursor in cursors if cursor != self.revision}

    def transition(self, session: AgentSession, old: View, new: View) -> Frame | None:
        return None if self.needs_snapshot_for_view else {"type": "view", "old": old, "new": new}


@dataclass
class Number:
    rows: Rows
    since: Cursor
    cursor: int

    def frame(self, view: View) -> Frame:
        self.rows.frames_made += 1
        return {"type": "number", "from": self.since, "to": self.cursor, "view": view}


class Page:
    """The other end of a socket."""

    def __init__(self, cursor: Cursor = 0, view: View = "plain", viewer: Viewer = VIEWER) -> None:
        self.frames: list[dict[str, Any]] = []
        self.codes: list[int] = []
        self.is_broken = False
        self.watcher = Watcher(
            viewer, self._send, self._close, cursors={"number": cursor}, views={"number": view}
        )

    async def _send(self, text: str) -> None:
        if self.is_broken:
            raise RuntimeError("the socket is closed")
        self.frames.append(json.loads(text))

    async def _close(self, code: int) -> None:
        self.codes.append(code)
        if self.is_broken:
            raise RuntimeError("the socket is closed already")

    @property
    def numbers(self) -> list[int]:
        return [frame["to"] for frame in self.frames if frame["type"] == "number"]


@dataclass
class Stage:
    """A feed with everything around it."""

    clock: ManualClock = field(default_factory=ManualClock)
    rows: Rows = field(default_factory=Rows)
    read_seconds: float = 0.0
    gate: asyncio.Event | None = None
    reads_at_once: int = 0
    most_reads_at_once: int = 0
    read_times: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.feed = Feed(uuid4(), [self.rows], self.clock, self._off_loop)

    async def _off_loop(self, work: Callable[[], T]) -> T:
        self.reads_at_once += 1
        self.most_reads_at_once = max(self.reads_at_once, self.most_reads_at_once)
        self.read_times.append(self.clock.now)
        try:
            result = work()
            self.clock.now += self.read_seconds
            if self.gate is not None:
                await self.gate.wait()
            return result
        finally:
            self.reads_at_once -= 1

    def poke(self) -> None:
        self.feed.poke(self.rows.commit())

    async def joined(self, *pages: Page) -> None:
        """Let pages join and wait until they have everything and the gap is over."""
        for page in pages:
            self.feed.join(page.watcher)
        await self.clock.advance(1.0)
        for page in pages:
            page.frames.clear()


def set_stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage()

    class Sessions:
        """Stands for AgentSession.objects: the one statement that the feed itself makes."""

        def select_related(self, name: str) -> "Sessions":
            return self

        def filter(self, pk: UUID) -> "Sessions":
            return self

        def first(self) -> AgentSession | None:
            revision = stage.rows.revision
            return None if revision is None else AgentSession(revision=revision)

    monkeypatch.setattr(AgentSession, "objects", cast("Any", Sessions()))
    return stage
