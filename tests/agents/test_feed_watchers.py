"""What each watcher of a feed gets."""

import asyncio
import json

import pytest
from django.db import OperationalError

from agents.feed import RETRY_SECONDS, SETTLE_SECONDS
from agents.watcher import MOST_UNACKNOWLEDGED, PERMISSION_LOST, Viewer
from tests.agents.feed_stage import VIEWER, Page, Stage, set_stage, settle


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return set_stage(monkeypatch)


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
