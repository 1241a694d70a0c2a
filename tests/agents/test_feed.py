"""When a feed reads and when its frames leave."""

import asyncio
from itertools import pairwise

import pytest

from agents.feed import GAP_SECONDS, SETTLE_SECONDS, WIDEST_GAP_SECONDS
from tests.agents.feed_stage import Page, Stage, set_stage, settle


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return set_stage(monkeypatch)


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
