"""The feed with a clock of its own: no sleeping, no threads, no rows but the session's revision."""

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar, cast
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError

from agents.feed import GAP_SECONDS, RETRY_SECONDS, SETTLE_SECONDS, WIDEST_GAP_SECONDS, Feed, Frame
from agents.models import AgentSession
from agents.watcher import MOST_UNACKNOWLEDGED, PERMISSION_LOST, Cursor, View, Viewer, Watcher

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


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
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


async def test_a_single_change_leaves_after_the_settling_time(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.poke()
    assert stage.clock.due == pytest.approx(SETTLE_SECONDS)
    await stage.clock.advance(SETTLE_SECONDS)
    assert page.numbers == [1]


async def test_a_burst_leaves_as_one_frame(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    for _ in range(20):
        stage.poke()
    await stage.clock.advance(1.0)
    assert page.frames == [{"type": "number", "from": 0, "to": 20, "view": "plain"}]


async def test_two_changes_are_a_gap_apart(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    stage.poke()
    assert stage.clock.due == pytest.approx(GAP_SECONDS)
    await stage.clock.advance(GAP_SECONDS)
    assert page.numbers == [1, 2]


async def test_frames_keep_coming_under_continuous_writes(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    began = len(stage.read_times)
    for _ in range(200):
        stage.poke()
        await stage.clock.advance(0.030)
    await stage.clock.advance(GAP_SECONDS)
    times = stage.read_times[began:]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert max(gaps) <= GAP_SECONDS + SETTLE_SECONDS + 1e-6
    assert min(gaps) >= GAP_SECONDS - 1e-6
    assert page.numbers[-1] == 200


async def test_reads_never_overlap_and_a_change_during_a_read_is_not_lost(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.gate = asyncio.Event()
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    for _ in range(5):
        stage.poke()
        await stage.clock.advance(1.0)
    assert stage.reads_at_once == 1
    stage.gate.set()
    await settle()
    await stage.clock.advance(WIDEST_GAP_SECONDS)
    assert page.numbers == [1, 6]
    assert stage.most_reads_at_once == 1


async def test_the_gap_widens_with_the_time_of_a_read(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.read_seconds = 0.5
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    stage.poke()
    assert stage.clock.due is not None
    assert stage.clock.due >= 0.4
    stage.read_seconds = 0.0
    await stage.clock.advance(2.0)
    stage.poke()
    assert stage.clock.due == pytest.approx(SETTLE_SECONDS)


async def test_doubled_and_old_pokes_read_nothing(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.poke()
    await stage.clock.advance(1.0)
    reads = len(stage.rows.reads)
    for revision in (1, 0, 1):
        stage.feed.poke(revision)
    assert stage.clock.due is None
    assert len(stage.rows.reads) == reads


async def test_a_poke_that_is_ahead_of_the_rows_does_not_read_for_ever(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.feed.poke(10**9)
    await stage.clock.advance(5.0)
    reads = len(stage.rows.reads)
    await stage.clock.advance(60.0)
    assert len(stage.rows.reads) == reads
    stage.poke()
    await stage.clock.advance(1.0)
    assert page.numbers == [1]


async def test_nobody_watching_means_no_reads(stage: Stage) -> None:
    page = Page()
    stage.feed.join(page.watcher)
    stage.feed.leave(page.watcher)
    stage.poke()
    await stage.clock.advance(5.0)
    assert stage.rows.reads == []


async def test_watchers_of_one_view_share_one_frame(stage: Stage) -> None:
    pages = [Page() for _ in range(50)] + [Page(view="other") for _ in range(50)]
    await stage.joined(*pages)
    made = stage.rows.frames_made
    stage.poke()
    await stage.clock.advance(1.0)
    assert stage.rows.frames_made - made == 2
    assert stage.rows.reads[-1] == {0}
    assert {page.frames[0]["view"] for page in pages} == {"plain", "other"}


async def test_a_page_that_joins_gets_what_it_misses_and_then_the_same_as_others(stage: Stage) -> None:
    first = Page()
    await stage.joined(first)
    stage.poke()
    await stage.clock.advance(1.0)
    nothing, half = Page(cursor=None), Page(cursor=0)
    stage.feed.join(nothing.watcher)
    stage.feed.join(half.watcher)
    await stage.clock.advance(1.0)
    assert nothing.frames[0]["from"] is None
    assert half.frames[0]["from"] == 0
    stage.poke()
    await stage.clock.advance(1.0)
    assert stage.rows.reads[-1] == {1}
    assert [page.numbers for page in (first, nothing, half)] == [[1, 2], [1, 2], [1, 2]]


async def test_a_page_that_asks_gets_a_snapshot(stage: Stage) -> None:
    page, other = Page(), Page()
    await stage.joined(page, other)
    stage.poke()
    await stage.clock.advance(1.0)
    page.watcher.forget()
    stage.feed.wake()
    await stage.clock.advance(1.0)
    assert [frame["from"] for frame in page.frames] == [0, None]
    assert other.numbers == [1]


async def test_a_wish_during_a_read_is_answered_by_the_next_one(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.gate = asyncio.Event()
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    page.watcher.forget()
    stage.feed.wake()
    stage.gate.set()
    await settle()
    await stage.clock.advance(1.0)
    assert [frame["from"] for frame in page.frames] == [None]


async def test_a_page_that_left_during_a_read_gets_nothing_more(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.gate = asyncio.Event()
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    stage.feed.leave(page.watcher)
    page.watcher.close(1000)
    stage.gate.set()
    await settle()
    await stage.clock.advance(5.0)
    assert page.frames == []
    assert stage.clock.due is None


async def test_a_changed_view_sends_its_own_frame_first(stage: Stage) -> None:
    page, other = Page(), Page(viewer=Viewer(2, 1, may_act=False))
    await stage.joined(page, other)
    stage.rows.views[VIEWER] = "pinned"
    page.watcher.view_is_stale = True
    stage.poke()
    await stage.clock.advance(1.0)
    assert page.frames == [
        {"type": "view", "old": "plain", "new": "pinned"},
        {"type": "number", "from": 0, "to": 1, "view": "pinned"},
    ]
    assert [frame["view"] for frame in other.frames] == ["plain"]


async def test_a_view_that_turns_out_the_same_sends_nothing(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    page.watcher.view_is_stale = True
    stage.feed.wake()
    await stage.clock.advance(1.0)
    assert page.frames == []
    assert not page.watcher.view_is_stale


async def test_a_part_may_answer_a_changed_view_with_a_snapshot(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.rows.needs_snapshot_for_view = True
    stage.rows.views[VIEWER] = "pinned"
    page.watcher.view_is_stale = True
    stage.feed.wake()
    await stage.clock.advance(1.0)
    assert page.frames == [{"type": "number", "from": None, "to": 0, "view": "pinned"}]


async def test_a_view_that_changes_during_a_read_is_read_again(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.gate = asyncio.Event()
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    stage.rows.views[VIEWER] = "pinned"
    page.watcher.view_is_stale = True
    stage.feed.wake()
    stage.gate.set()
    await settle()
    await stage.clock.advance(1.0)
    assert [frame["type"] for frame in page.frames] == ["number", "view"]


async def test_a_slow_page_is_left_alone_until_it_answers(stage: Stage) -> None:
    slow, quick = Page(), Page()
    await stage.joined(slow, quick)
    slow.watcher.push(json.dumps({"type": "big", "text": "x" * MOST_UNACKNOWLEDGED}), stage.clock.now)
    for _ in range(10):
        stage.poke()
        await stage.clock.advance(1.0)
    assert slow.watcher.is_full
    assert slow.numbers == []
    assert quick.numbers == list(range(1, 11))
    assert not slow.watcher.acknowledge(10)
    assert slow.watcher.acknowledge(MOST_UNACKNOWLEDGED)
    stage.feed.wake()
    await stage.clock.advance(1.0)
    assert slow.frames[1:] == [{"type": "number", "from": 0, "to": 10, "view": "plain"}]


async def test_a_database_that_fails_is_asked_again(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.rows.fault = OperationalError("gone away")
    page.watcher.view_is_stale = True
    stage.rows.views[VIEWER] = "pinned"
    stage.poke()
    await stage.clock.advance(SETTLE_SECONDS)
    assert page.frames == []
    assert stage.clock.due == pytest.approx(RETRY_SECONDS)
    stage.rows.fault = None
    await stage.clock.advance(RETRY_SECONDS)
    assert [frame["type"] for frame in page.frames] == ["view", "number"]


async def test_a_session_that_is_gone_closes_its_pages(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    stage.rows.revision = None
    stage.feed.wake()
    await stage.clock.advance(1.0)
    assert page.codes == [PERMISSION_LOST]


async def test_frames_leave_in_order_and_a_broken_socket_stops_nobody(stage: Stage) -> None:
    broken, page = Page(), Page()
    await stage.joined(broken, page)
    broken.is_broken = True
    for _ in range(3):
        stage.poke()
        await stage.clock.advance(1.0)
    assert page.numbers == [1, 2, 3]
    assert broken.frames == []
    broken.watcher.close(1000)
    broken.watcher.close(1001)
    await settle()
    assert broken.codes == [1000]
    assert broken.watcher.is_gone


async def test_a_closed_page_gets_no_frames(stage: Stage) -> None:
    page = Page()
    await stage.joined(page)
    page.watcher.close(1000)
    page.watcher.push('{"type":"late"}', stage.clock.now)
    await settle()
    assert page.frames == []


def test_acknowledging_more_than_was_sent_is_no_credit() -> None:
    page = Page()
    assert not page.watcher.acknowledge(10**9)
    assert not page.watcher.acknowledge(-5)
    assert not page.watcher.is_full
