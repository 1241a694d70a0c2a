import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError

from agents import draft_blocks
from agents.draft import Piece
from agents.draft_blocks import LOOK_SECONDS, DraftBlocks
from tests.agents.feed_stage import ManualClock, Page, set_stage, settle

T = TypeVar("T")


@dataclass(frozen=True)
class Shown:
    html: str

    def __html__(self) -> str:
        return self.html


def shown_as_it_is(text: str, dom_id: str, session_id: UUID) -> Shown:
    return Shown(f"{dom_id}: {text}")


@pytest.fixture(autouse=True)
def plain(settings: Any) -> None:
    settings.GROWING_TEXT = "memory.rendering.growing.GrowingText"
    settings.MESSAGE_RENDERER = f"{__name__}.shown_as_it_is"


class Stage:
    """The blocks of one session on a clock of its own, with all they sent and the draft in the rows."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.sent: list[dict[str, Any]] = []
        self.saved: Mapping[str, Any] | None = None
        self.looks = self.reads = 0
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.blocks = DraftBlocks(
            uuid4(), self.clock, self._off_loop, lambda text: self.sent.append(json.loads(text))
        )

    async def _off_loop(self, work: Callable[[], T]) -> T:
        self.looks += 1
        if self.fault is not None:
            raise self.fault
        made = work()
        if self.gate is not None:
            await self.gate.wait()
        return made

    def read(self, session_id: UUID) -> Mapping[str, Any] | None:
        self.reads += 1
        return self.saved

    async def write(self, text: str, offset: int, *, call: int = 1, seconds: float = LOOK_SECONDS) -> None:
        self.blocks.take(Piece(1, call, offset=offset, text=text))
        await self.clock.advance(seconds)

    @property
    def html(self) -> list[str]:
        return [frame["html"] for frame in self.sent]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage()
    monkeypatch.setattr(draft_blocks, "draft_of", stage.read)
    return stage


async def test_a_block_is_sent_once_when_it_is_finished_with_its_place_in_utf_16(stage: Stage) -> None:
    await stage.write("# \U0001f600\n", 0)
    assert stage.sent == []
    await stage.write("two\n\n", 5)
    await stage.write("three\n\n", 10)
    places = [(frame["turn"], frame["call"], frame["start"], frame["end"]) for frame in stage.sent]
    assert places == [(1, 1, 0, 5), (1, 1, 5, 10)]
    assert stage.html == ["<div>draft-1-1-0: # \U0001f600\n</div>", "<div>draft-1-1-5: two\n\n</div>"]
    assert [json.loads(text) for text in stage.blocks.frames] == stage.sent


async def test_it_looks_at_most_every_150_ms_however_often_text_comes(stage: Stage) -> None:
    for number in range(100):
        await stage.write("a\n", 2 * number, seconds=0.010)
    assert stage.looks <= 1 + 1.0 / 0.150
    await stage.clock.advance(10)
    looks = stage.looks
    await stage.clock.advance(10)
    assert stage.looks == looks


async def test_what_came_before_anybody_watched_is_read_from_the_saved_draft(stage: Stage) -> None:
    stage.saved = {"turn": 1, "call": 1, "text": "# \U0001f600\nt"}
    await stage.write("wo\n\nthree", 6)
    await stage.clock.advance(1)
    assert [(frame["start"], frame["end"]) for frame in stage.sent] == [(0, 5)]
    assert stage.reads == 1
    await stage.write("\n", 15)
    assert [(frame["start"], frame["end"]) for frame in stage.sent] == [(0, 5), (5, 10)]


async def test_a_draft_that_is_saved_too_early_or_of_another_call_is_read_again(stage: Stage) -> None:
    stage.saved = {"turn": 1, "call": 9, "text": "nothing of it"}
    await stage.write("two\n\nthree\n", 5)
    stage.saved = {"turn": 1, "call": 1, "text": "on"}
    await stage.clock.advance(0.2)
    assert stage.sent == []
    stage.saved = {"turn": 1, "call": 1, "text": "one\n\ntwo"}
    await stage.clock.advance(1)
    assert [(frame["start"], frame["end"]) for frame in stage.sent] == [(0, 5), (5, 10)]


async def test_a_piece_that_comes_twice_counts_once(stage: Stage) -> None:
    for _ in range(2):
        await stage.write("one\n\nt", 0)
    await stage.write("\n\ntwo\n\nthree\n", 3)
    assert [frame["end"] for frame in stage.sent] == [5, 10]


async def test_thinking_has_no_blocks_and_an_answer_that_is_over_is_forgotten(stage: Stage) -> None:
    stage.blocks.take(Piece(1, 1, "thinking", text="a\n\nb\n\n"))
    await stage.clock.advance(1)
    assert stage.looks == 0
    await stage.write("one\n\ntwo\n", 0)
    assert len(stage.blocks.frames) == 1
    stage.blocks.take(Piece(1, 1, is_over=True))
    assert stage.blocks.frames == []
    await stage.write("three\n\nfour\n", 0, call=2)
    await stage.write("late\n\nlate\n", 9, call=1)
    assert [(frame["call"], frame["start"]) for frame in stage.sent] == [(1, 0), (2, 0)]


async def test_a_look_that_comes_back_to_another_answer_sends_nothing_of_the_old(stage: Stage) -> None:
    stage.gate = asyncio.Event()
    await stage.write("one\n\ntwo\n", 0)
    await stage.write("three\n\nfour\n", 0, call=2)
    stage.gate.set()
    await settle()
    await stage.clock.advance(1)
    assert [frame["call"] for frame in stage.sent] == [2]


async def test_after_a_fault_of_the_database_everything_is_rendered_anew(stage: Stage) -> None:
    stage.fault = OperationalError("away")
    await stage.write("one\n\ntwo\n", 0)
    stage.fault = None
    stage.saved = {"turn": 1, "call": 1, "text": "one\n\ntwo\n"}
    await stage.write("\nthree\n", 9)
    await stage.clock.advance(1)
    assert [frame["end"] for frame in stage.sent] == [5, 10]


async def test_nothing_is_rendered_for_nobody(stage: Stage) -> None:
    stage.blocks.take(Piece(1, 1, text="one\n\ntwo\n"))
    stage.blocks.rest()
    await stage.clock.advance(1)
    assert stage.looks == 0


async def test_a_page_that_comes_late_gets_the_blocks_behind_its_draft(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = set_stage(monkeypatch)
    stage.rows.name = "draft"
    early, late = Page(), Page()
    for page in (early, late):
        page.watcher.cursors, page.watcher.views = {"draft": None}, {"draft": "plain"}
    await stage.joined(early)
    stage.feed.stream(Piece(1, 1, text="one\n\ntwo\n"))
    await stage.clock.advance(1)
    assert [frame["type"] for frame in early.frames] == ["piece", "block"]
    stage.feed.join(late.watcher)
    await stage.clock.advance(1)
    assert [frame["type"] for frame in late.frames] == ["number", "block"]
    assert late.frames[1] == early.frames[1]
    for page in (early, late):
        stage.feed.leave(page.watcher)
    stage.feed.stream(Piece(1, 1, offset=9, text="\nthree\n"))
    assert stage.clock.due is None
