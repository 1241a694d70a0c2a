import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection, connections
from pytest_django import Settings

from agents import bus, data_version
from agents import hub as hub_module
from agents.bus import BusMessage, Deliver, SessionPoke, ViewerPoke
from agents.hub import PATIENCE_SECONDS, PING_AFTER_SECONDS, Hub, Verdict
from agents.models import AgentSession
from agents.watcher import LOGGED_OUT, MOST_UNACKNOWLEDGED, PERMISSION_LOST, TOO_SLOW, Viewer
from tests.agents.feed_stage import VIEWER, Page, Rows
from tests.rows import make_session

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class FakeBus:
    """A bus that carries only what a test puts on it."""

    subscriptions: int = 0
    deliver: Deliver | None = None
    missed: Callable[[], None] | None = None

    def publish(self, message: BusMessage) -> None:
        assert self.deliver is not None
        self.deliver(message)

    def subscribe(self, deliver: Deliver, missed: Callable[[], None]) -> "FakeBus":
        self.subscriptions += 1
        self.deliver, self.missed = deliver, missed
        return self

    def close(self) -> None:
        self.subscriptions -= 1


@dataclass
class Stage:
    """A hub over one part, with a bus and a doorman that do what the test says."""

    session: AgentSession
    bus: FakeBus
    rows: Rows = field(default_factory=Rows)
    verdict: Verdict | None = None
    fault: Exception | None = None
    sweeps: int = 0

    def __post_init__(self) -> None:
        self.hub = Hub([self.rows], self._doorman, [self._chore])

    def _chore(self) -> None:
        self.sweeps += 1

    def _doorman(self, watched: Mapping[UUID, Collection[Viewer]]) -> Mapping[tuple[UUID, Viewer], Verdict]:
        if self.fault is not None:
            raise self.fault
        if self.verdict is None:
            return {}
        return {(session_id, each): self.verdict for session_id, seen in watched.items() for each in seen}

    async def commit(self) -> int:
        """Change the session without telling anybody."""
        revision = self.rows.commit()
        await AgentSession.objects.filter(pk=self.session.pk).aupdate(revision=revision)
        return revision

    async def joined(self, *, viewer: Viewer = VIEWER) -> Page:
        """Return a page that has everything up to now."""
        page = Page(cursor=None, viewer=viewer)
        self.hub.join(self.session.pk, page.watcher)
        await until(lambda: page.frames)
        page.frames.clear()
        return page


async def until(holds: Callable[[], object]) -> None:
    """Wait until the condition holds; fails after ten seconds."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 -- the condition may be about rows or threads
            await asyncio.sleep(0.005)


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> AsyncIterator[Stage]:
    settings.REDIS_URL = "redis://nobody-is-asked"
    fake = FakeBus()
    monkeypatch.setattr(bus, "current", lambda: fake)
    stage = Stage(await sync_to_async(make_session)(), fake)
    yield stage
    await stage.hub.stop(4012)
    # The thread of sync_to_async keeps its connection, which would keep the test database.
    await sync_to_async(connections.close_all)()


async def test_a_poke_reaches_the_pages_of_that_session(stage: Stage) -> None:
    page = await stage.joined()
    revision = await stage.commit()
    stage.bus.publish(SessionPoke(uuid4(), revision))
    stage.bus.publish(SessionPoke(stage.session.pk, revision))
    await until(lambda: page.frames)
    assert page.numbers == [1]


async def test_a_persons_own_change_reaches_their_pages_of_that_agent_only(stage: Stage) -> None:
    mine = await stage.joined(viewer=Viewer(1, 1, may_act=False))
    other_agent = await stage.joined(viewer=Viewer(1, 2, may_act=False))
    other_person = await stage.joined(viewer=Viewer(2, 1, may_act=False))
    for user_id in (1, 2):
        for profile_id in (1, 2):
            stage.rows.views[Viewer(user_id, profile_id, may_act=False)] = "pinned"
    stage.bus.publish(ViewerPoke(user_id=1, profile_id=1))
    stage.bus.publish(ViewerPoke(user_id=9, profile_id=1))
    await until(lambda: mine.frames)
    assert [frame["type"] for frame in mine.frames] == ["view"]
    assert other_agent.frames == other_person.frames == []


async def test_the_sweep_finds_a_lost_poke(stage: Stage) -> None:
    page = await stage.joined()
    await stage.commit()
    await stage.hub.sweep()
    await until(lambda: page.frames)
    assert page.numbers == [1]


async def test_a_bus_that_lost_messages_is_made_up_for_at_once(stage: Stage) -> None:
    page = await stage.joined()
    await stage.commit()
    assert stage.bus.missed is not None
    stage.bus.missed()
    await until(lambda: page.frames)
    assert page.numbers == [1]


async def test_a_sweep_without_changes_sends_nothing(stage: Stage) -> None:
    page = await stage.joined()
    reads = len(stage.rows.reads)
    await stage.hub.sweep()
    await stage.commit()
    await stage.hub.sweep()
    await until(lambda: page.frames)
    assert len(stage.rows.reads) == reads + 1


async def test_a_sweep_looks_after_sessions_whose_place_in_the_queue_may_have_changed(stage: Stage) -> None:
    await stage.joined()
    reads = len(stage.rows.reads)
    await sync_to_async(AgentSession.objects.update)(status=AgentSession.Status.QUEUED)
    await stage.hub.sweep()
    await until(lambda: len(stage.rows.reads) == reads + 1)


async def test_the_sweep_does_the_chores_of_the_process(stage: Stage) -> None:
    before = stage.sweeps
    await stage.hub.sweep()
    assert stage.sweeps == before + 1


@pytest.mark.parametrize("code", [LOGGED_OUT, PERMISSION_LOST])
async def test_who_may_not_watch_any_more_is_sent_away(stage: Stage, code: int) -> None:
    page = await stage.joined()
    stage.verdict = code
    await stage.hub.sweep()
    await until(lambda: page.codes)
    assert page.codes == [code]


async def test_who_may_act_now_sees_it(stage: Stage) -> None:
    page = await stage.joined()
    operator = Viewer(VIEWER.user_id, VIEWER.profile_id, may_act=True)
    stage.rows.views[operator] = "with controls"
    stage.verdict = operator
    await stage.hub.sweep()
    await until(lambda: page.frames)
    assert page.frames[0]["new"] == "with controls"
    assert page.watcher.viewer == operator


async def test_a_silent_line_is_asked_whether_it_lives(stage: Stage) -> None:
    page = await stage.joined()
    await stage.hub.sweep()
    assert page.frames == []
    page.watcher.last_sent -= PING_AFTER_SECONDS + 1
    await stage.hub.sweep()
    await stage.hub.sweep()
    assert page.frames == [{"type": "ping"}]


async def test_a_page_that_never_answers_is_sent_away(stage: Stage) -> None:
    page = await stage.joined()
    now = asyncio.get_running_loop().time()
    page.watcher.push('"' + "x" * MOST_UNACKNOWLEDGED + '"', now)
    await stage.hub.sweep()
    assert page.codes == []
    page.watcher.full_since = now - PATIENCE_SECONDS - 1
    await stage.hub.sweep()
    await until(lambda: page.codes)
    assert page.codes == [TOO_SLOW]


async def test_an_answer_brings_a_slow_page_up_to_date(stage: Stage) -> None:
    page = await stage.joined()
    page.watcher.push('{"type":"' + "x" * MOST_UNACKNOWLEDGED + '"}', 0.0)
    await until(lambda: page.frames)
    stage.bus.publish(SessionPoke(stage.session.pk, await stage.commit()))
    stage.hub.acknowledge(stage.session.pk, page.watcher, MOST_UNACKNOWLEDGED)
    await until(lambda: page.numbers)
    assert page.numbers == [1]


async def test_a_page_may_ask_for_a_snapshot(stage: Stage) -> None:
    page = await stage.joined()
    stage.hub.resync(stage.session.pk, page.watcher)
    await until(lambda: page.frames)
    assert page.frames[0]["from"] is None


async def test_the_feed_ends_with_its_last_page(stage: Stage) -> None:
    one, two = await stage.joined(), await stage.joined()
    stage.hub.leave(stage.session.pk, one.watcher)
    assert set(stage.hub.feeds) == {stage.session.pk}
    stage.hub.leave(stage.session.pk, two.watcher)
    stage.hub.leave(stage.session.pk, two.watcher)
    assert stage.hub.feeds == {}
    stage.hub.resync(stage.session.pk, two.watcher)


async def test_it_sweeps_by_itself_although_the_database_fails_now_and_then(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hub_module, "SWEEP_SECONDS", 0.001)
    stage.fault = OperationalError("gone away")
    page = await stage.joined()
    await until(lambda: "next sweep tries again" in caplog.text)
    stage.fault = None
    await stage.commit()
    await until(lambda: page.frames)
    assert page.numbers == [1]


async def test_it_listens_once_however_often_it_is_started(stage: Stage) -> None:
    for _ in range(3):
        stage.hub.ensure_running()
    assert stage.bus.subscriptions == 1
    await stage.hub.stop(4012)
    assert stage.bus.subscriptions == 0
    await stage.hub.stop(4012)
    stage.hub.ensure_running()
    assert stage.bus.subscriptions == 1


async def test_a_server_that_leaves_tells_every_page(stage: Stage) -> None:
    pages = [await stage.joined() for _ in range(3)]
    await stage.hub.stop(4012)
    await until(lambda: all(page.codes for page in pages))
    assert [page.codes for page in pages] == [[4012]] * 3


async def test_embedded_mode_hears_writers_in_other_processes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    if connection.vendor != "sqlite":
        # Other databases are not watched: their mode has a bus that every process hears.
        assert data_version.of_default_database() is None
        return
    settings.REDIS_URL = ""
    monkeypatch.setattr(hub_module, "LISTEN_SECONDS", 0.001)
    monkeypatch.setattr(hub_module, "SWEEP_SECONDS", 3600.0)
    page = await stage.joined()
    revision = stage.rows.commit()

    def write_elsewhere() -> None:
        # A connection that Django knows nothing of stands for another process.
        writer = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, timeout=20)
        key = stage.session.pk.hex
        writer.execute("UPDATE agents_agentsession SET revision = ? WHERE id = ?", [revision, key])
        writer.close()

    await asyncio.to_thread(write_elsewhere)
    await until(lambda: page.frames)
    assert page.numbers == [1]
