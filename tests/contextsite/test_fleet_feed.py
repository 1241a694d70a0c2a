from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from agents.models import AgentSession
from agents.sessions import announce
from agents.watcher import LOGGED_OUT, Viewer
from contextsite import fleet_feed
from contextsite.fleet_feed import GAP_SECONDS, FleetFeed, FleetListing, RailListing
from contextsite.fleet_query import FleetQuery
from tests.agents.feed_stage import ManualClock, Page, settle
from tests.fleets import make_fleet
from tests.people import Cast

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")
EVERYTHING = FleetListing(FleetQuery())


class Stage:
    """A fleet feed with a clock of its own."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.reads = 0
        self.feed = FleetFeed(lambda: self.clock, self._off_loop)

    async def _off_loop(self, work: Callable[[], T]) -> T:
        self.reads += 1
        return await sync_to_async(work)()

    async def page(self, client: Client, user: User, listing: Any = EVERYTHING) -> Page:
        key = client.cookies["sessionid"].value
        page = Page(viewer=Viewer(user.pk, 0, False, key))
        self.feed.join(page.watcher, listing)
        await self.pass_time(1.0)
        return page

    async def pass_time(self, seconds: float) -> None:
        steps = round(seconds / 0.05)
        for _ in range(steps):
            await self.clock.advance(0.05)
            # The read itself runs in a real thread.
            if self.feed._reading is not None:
                await self.feed._reading
        await settle()


def sign_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def touch(session: AgentSession, **columns: Any) -> None:
    announce(AgentSession.objects.get(pk=session.pk), **columns)


async def test_a_page_gets_everything_once_and_then_what_changed(people: Cast) -> None:
    stage, sessions = Stage(), await sync_to_async(make_fleet)([people.profile], 3)
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    (first,) = page.frames
    assert len(first["rows"]) == len(first["order"]) == 4
    assert set(first["parts"]) == {"fleet-sum", "fleet-pulse", "fleet-facets", "fleet-pages"}

    await sync_to_async(touch)(sessions[1], doing="reading <b>notes</b>", status="running")
    stage.feed.poke()
    await stage.pass_time(1.0)
    (_, change) = page.frames
    assert [row["id"] for row in change["rows"]] == [f"session-{sessions[1].pk}"]
    assert "reading &lt;b&gt;notes&lt;/b&gt;" in change["rows"][0]["html"]
    assert change["order"][0] == f"session-{sessions[1].pk}"

    stage.feed.poke()
    await stage.pass_time(1.0)
    assert len(page.frames) == 2


async def test_a_page_gets_two_frames_a_second_at_most(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    page.frames.clear()
    for number in range(100):
        await sync_to_async(touch)(people.session, doing=f"step {number}")
        stage.feed.poke()
        await stage.pass_time(0.05)
    assert 8 <= len(page.frames) <= 5 / GAP_SECONDS + 1
    await stage.pass_time(1.0)
    assert "step 99" in page.frames[-1]["rows"][0]["html"]


async def test_each_person_sees_their_own_sessions(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.stranger)
    page = await stage.page(client, people.stranger)
    await sync_to_async(touch)(people.session, doing="secret work")
    stage.feed.poke()
    await stage.pass_time(1.0)
    assert [frame["order"] for frame in page.frames] == [[]]
    assert all("secret" not in str(frame) for frame in page.frames)


async def test_a_page_whose_person_signed_out_is_closed(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    await sync_to_async(client.logout)()
    stage.feed.poke()
    await stage.pass_time(1.0)
    assert page.codes == [LOGGED_OUT]


async def test_equal_pages_are_read_once(people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage()
    looks: list[int] = []

    def look(*_: object) -> fleet_feed.Picture:
        looks.append(1)
        return fleet_feed.Picture(("a",), {"a": 1})

    monkeypatch.setattr(FleetListing, "look", look)
    client = await sync_to_async(sign_in)(people.member)
    pages = [await stage.page(client, people.member) for _ in range(2)]
    looks.clear()
    stage.feed.poke()
    await stage.pass_time(1.0)
    assert looks == [1]
    assert [len(page.frames) for page in pages] == [1, 1]


async def test_a_session_page_gets_the_list_of_other_sessions(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member, RailListing(people.session.pk))
    (frame,) = page.frames
    assert set(frame["parts"]) == {"rail"}
    assert 'aria-current="page"' in frame["parts"]["rail"]


async def test_a_page_that_asks_again_gets_everything_again(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    stage.feed.resync(page.watcher)
    await stage.pass_time(1.0)
    assert page.frames[1] == page.frames[0]


async def test_a_slow_page_is_left_alone_until_it_answers(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    page.watcher.full_since = stage.clock.time()
    await sync_to_async(touch)(people.session, doing="unseen")
    stage.feed.poke()
    await stage.pass_time(1.0)
    assert len(page.frames) == 1
    stage.feed.acknowledge(page.watcher, 10**9)
    await stage.pass_time(1.0)
    assert "unseen" in page.frames[-1]["rows"][0]["html"]


async def test_a_database_that_does_not_answer_costs_a_frame_and_no_page(
    people: Cast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    with monkeypatch.context() as patched:

        def fail(*_: object) -> None:
            raise OperationalError("away")

        patched.setattr(FleetListing, "look", fail)
        stage.feed.poke()
        await stage.pass_time(1.0)
    assert "next sweep tries again" in caplog.text
    await sync_to_async(touch)(people.session, doing="back")
    stage.feed.poke()
    await stage.pass_time(1.0)
    assert "back" in page.frames[-1]["rows"][0]["html"]


async def test_a_feed_that_stops_closes_its_pages(people: Cast) -> None:
    stage = Stage()
    client = await sync_to_async(sign_in)(people.member)
    page = await stage.page(client, people.member)
    stage.feed.poke()
    stage.feed.stop(4012)
    await settle()
    assert page.codes == [4012]
    stage.feed.leave(page.watcher)
    stage.feed.leave(page.watcher)
    assert not stage.feed.is_watched
