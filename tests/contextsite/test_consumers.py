import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from agents.hub import Hub
from agents.models import AgentSession
from agents.sessions import submit_turn
from contextsite.asgi import Application
from contextsite.live import new_live
from memory import pins
from tests.boards import write
from tests.people import Cast

pytestmark = pytest.mark.django_db(transaction=True)

ORIGIN = "http://localhost:8000"
Frame = Mapping[str, Any]


class Page:
    """A browser's page: a socket with the cookies of a login, and every frame it got."""

    def __init__(self, application: Application, path: str, cookie: str, origin: str) -> None:
        headers = [(b"origin", origin.encode()), (b"host", b"localhost"), (b"cookie", cookie.encode())]
        self._socket = WebsocketCommunicator(application, path, headers=headers)
        self.frames: list[Frame] = []

    async def connect(self) -> bool:
        accepted, _ = await self._socket.connect(timeout=10)
        return accepted

    async def until(self, wanted: Callable[[Frame], bool]) -> Frame:
        """Return the next frame that is wanted; the test fails after ten seconds without one."""
        async with asyncio.timeout(10):
            while True:
                frame: Frame = json.loads(await self._socket.receive_from(timeout=10))
                self.frames.append(frame)
                if wanted(frame):
                    return frame

    async def frame(self, kind: str) -> Frame:
        return await self.until(lambda frame: frame["type"] == kind)

    async def say(self, text: str) -> None:
        await self._socket.send_to(text_data=text)

    async def closing_code(self) -> int:
        async with asyncio.timeout(10):
            while True:
                event = await self._socket.receive_output(timeout=10)
                if event["type"] == "websocket.close":
                    return int(event["code"])

    async def leave(self) -> None:
        await self._socket.disconnect()


class Browser:
    """Opens pages of a session, for anybody."""

    def __init__(self, session: AgentSession) -> None:
        self.session = session
        live = new_live()
        self.hub: Hub = live.hub
        self._application = Application(live)
        self._pages: list[Page] = []

    async def page(self, user: User | None, query: str = "", origin: str = ORIGIN) -> Page:
        cookie = await sync_to_async(_cookie)(user) if user else ""
        return self._page(cookie, query, origin)

    def page_of(self, client: Client, query: str = "") -> Page:
        return self._page(_cookie_of(client), query, ORIGIN)

    async def open(self, user: User, query: str = "") -> Page:
        page = await self.page(user, query)
        assert await page.connect()
        return page

    def _page(self, cookie: str, query: str, origin: str) -> Page:
        path = f"/ws/sessions/{self.session.pk}/?{query}"
        page = Page(self._application, path, cookie, origin)
        self._pages.append(page)
        return page

    async def close(self) -> None:
        await self.hub.stop(4012)
        for page in self._pages:
            await page.leave()
        # The thread of sync_to_async keeps its connection, which would keep the test database.
        await sync_to_async(connections.close_all)()


def _cookie(user: User) -> str:
    client = Client()
    client.force_login(user)
    return _cookie_of(client)


def _cookie_of(client: Client) -> str:
    return f"sessionid={client.cookies['sessionid'].value}"


@pytest.fixture
async def browser(session: AgentSession) -> AsyncIterator[Browser]:
    browser = Browser(session)
    yield browser
    await browser.close()


async def test_a_member_gets_board_conversation_and_head(browser: Browser, people: Cast) -> None:
    await sync_to_async(write)(browser.session, "plan", "# Plan")
    page = await browser.open(people.member)
    board = await page.frame("board")
    assert board["snapshot"] is True
    assert [card["key"] for card in board["cards"]] == ["plan"]
    assert (await page.frame("conversation"))["snapshot"] is True
    assert "Idle" in (await page.frame("session"))["status"]


@pytest.mark.parametrize("role", ["operator", "member", "staff"])
async def test_people_of_the_agent_and_staff_may_watch(browser: Browser, people: Cast, role: str) -> None:
    page = await browser.open(getattr(people, role))
    await page.frame("board")


async def test_a_stranger_is_refused_before_the_socket_opens(browser: Browser, people: Cast) -> None:
    page = await browser.page(people.stranger)
    assert not await page.connect()
    assert browser.hub.feeds == {}


async def test_who_is_not_signed_in_is_refused_before_the_socket_opens(browser: Browser) -> None:
    page = await browser.page(None)
    assert not await page.connect()
    assert browser.hub.feeds == {}


async def test_a_page_of_another_site_is_refused_even_with_the_login(browser: Browser, people: Cast) -> None:
    page = await browser.page(people.member, origin="https://evil.example")
    assert not await page.connect()
    assert browser.hub.feeds == {}


async def test_a_session_that_does_not_exist_is_refused_like_a_hidden_one(
    browser: Browser, people: Cast
) -> None:
    browser.session = AgentSession(profile=browser.session.profile)
    page = await browser.page(people.staff)
    assert not await page.connect()


async def test_a_commit_arrives_by_itself(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    snapshot = await page.frame("board")
    await sync_to_async(write)(browser.session, "found", "**42**")
    delta = await page.frame("board")
    assert (delta["snapshot"], delta["from"], delta["to"]) == (False, snapshot["to"], 1)
    assert "<strong>42</strong>" in delta["cards"][0]["body"]


async def test_a_queued_turn_arrives_with_its_state(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.operator)
    await page.frame("conversation")
    turn = await sync_to_async(submit_turn)(browser.session, "Look *around*.", people.operator)
    frame = await page.frame("conversation")
    assert [message["id"] for message in frame["messages"]] == [f"message-{turn.pk}"]
    assert "<em>around</em>" in frame["messages"][0]["html"]
    assert "Turn 1 is queued" in frame["turn"]
    assert "stop-form" in frame["turn"]


async def test_a_member_gets_no_controls(browser: Browser, people: Cast) -> None:
    await sync_to_async(write)(browser.session, "plan")
    await sync_to_async(submit_turn)(browser.session, "Go.", people.operator)
    page = await browser.open(people.member)
    board, conversation = await page.frame("board"), await page.frame("conversation")
    assert "delete-form" not in json.dumps(board)
    assert "stop-form" not in json.dumps(conversation)


async def test_a_page_that_says_what_it_has_gets_only_what_it_misses(browser: Browser, people: Cast) -> None:
    for key in ("one", "two"):
        await sync_to_async(write)(browser.session, key)
    first = await browser.open(people.member)
    view = (await first.frame("board"))["view"]
    page = await browser.open(people.member, f"board=1&conversation=0&view={view}")
    frame = await page.frame("board")
    assert (frame["snapshot"], [card["key"] for card in frame["cards"]]) == (False, ["two"])
    await page.frame("session")
    assert "conversation" not in {frame["type"] for frame in page.frames}


@pytest.mark.parametrize(
    "query", ["board=1", "board=1&view=stale", "board=-1", "board=%00", "board=" + "9" * 99]
)
async def test_a_page_that_may_show_other_cards_gets_a_snapshot(
    browser: Browser, people: Cast, query: str
) -> None:
    await sync_to_async(write)(browser.session, "one")
    page = await browser.open(people.member, query)
    assert (await page.frame("board"))["snapshot"] is True


async def test_a_pin_reaches_all_pages_of_that_person_and_no_others(browser: Browser, people: Cast) -> None:
    await sync_to_async(write)(browser.session, "hidden", "a hidden value", shown=False)
    mine, also_mine = await browser.open(people.member), await browser.open(people.member)
    theirs = await browser.open(people.operator)
    for page in (mine, also_mine, theirs):
        await page.frame("session")
    await sync_to_async(pins.pin)(people.member, browser.session.profile, "hidden")
    for page in (mine, also_mine):
        frame = await page.frame("view")
        assert [card["key"] for card in frame["cards"]] == ["hidden"]
    await sync_to_async(write)(browser.session, "other")
    await theirs.until(lambda frame: frame["type"] == "board" and not frame["snapshot"])
    assert "a hidden value" not in json.dumps(theirs.frames)


async def test_a_page_may_ask_for_everything_again(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    await page.frame("session")
    await page.say('{"type":"resync"}')
    assert (await page.frame("board"))["snapshot"] is True
    assert (await page.frame("conversation"))["snapshot"] is True


@pytest.mark.parametrize(
    "nonsense",
    [
        "no json",
        "[]",
        '{"type":"ack"}',
        '{"type":"ack","bytes":"many"}',
        '{"type":"ack","bytes":-5}',
        '{"type":"of a later version"}',
        '{"type":"resync","padding":"' + "x" * 2000 + '"}',
        "[" * 1000,
    ],
)
async def test_nonsense_from_a_page_is_ignored(browser: Browser, people: Cast, nonsense: str) -> None:
    page = await browser.open(people.member)
    await page.frame("session")
    await page.say(nonsense)
    await sync_to_async(write)(browser.session, "after")
    frame = await page.frame("board")
    assert (frame["snapshot"], frame["to"]) == (False, 1)


async def test_an_absurd_cursor_counts_as_none(browser: Browser, people: Cast) -> None:
    await sync_to_async(write)(browser.session, "one")
    page = await browser.open(people.member, f"conversation={'9' * 99}")
    assert (await page.frame("conversation"))["snapshot"] is True


async def test_logging_out_closes_the_pages_of_that_login(browser: Browser, people: Cast) -> None:
    client, other = Client(), Client()
    for each in (client, other):
        await sync_to_async(each.force_login)(people.member)
    page, stays = browser.page_of(client), browser.page_of(other)
    assert await page.connect()
    assert await stays.connect()
    await stays.frame("session")
    await sync_to_async(client.logout)()
    await browser.hub.sweep()
    assert await page.closing_code() == 4401
    await sync_to_async(write)(browser.session, "after")
    await stays.until(lambda frame: frame["type"] == "board" and frame["to"] == 1)


async def test_a_disabled_account_is_logged_out(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    people.member.is_active = False
    await people.member.asave()
    await browser.hub.sweep()
    assert await page.closing_code() == 4401


async def test_losing_the_agent_closes_the_page(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    await browser.session.profile.members.aremove(people.member)
    await browser.hub.sweep()
    assert await page.closing_code() == 4403


async def test_a_deleted_session_closes_its_pages(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    await page.frame("session")
    await browser.session.adelete()
    await browser.hub.sweep()
    assert await page.closing_code() == 4403


async def test_a_new_operator_gets_the_controls_without_a_reload(browser: Browser, people: Cast) -> None:
    await sync_to_async(write)(browser.session, "plan")
    page = await browser.open(people.member)
    await page.frame("session")
    await browser.session.profile.operators.aadd(people.member)
    await browser.hub.sweep()
    view = await page.frame("view")
    assert "delete-form" in view["cards"][0]["head"]


async def test_the_last_page_to_leave_ends_the_feed(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    await page.frame("session")
    assert set(browser.hub.feeds) == {browser.session.pk}
    await page.leave()
    assert browser.hub.feeds == {}


async def test_a_server_that_stops_says_so(browser: Browser, people: Cast) -> None:
    page = await browser.open(people.member)
    await page.frame("session")
    await browser.hub.stop(4012)
    assert await page.closing_code() == 4012


async def test_a_pin_and_a_change_reach_pages_on_another_web_process(browser: Browser, people: Cast) -> None:
    # Another hub is another web process: only the bus is between them (Redis when REDIS_URL is set).
    elsewhere = Browser(browser.session)
    here, there = await browser.open(people.member), await elsewhere.open(people.member)
    for page in (here, there):
        await page.frame("session")
    await sync_to_async(write)(browser.session, "hidden", shown=False)
    await sync_to_async(pins.pin)(people.member, browser.session.profile, "hidden")
    for page in (here, there):
        frame = await page.until(lambda frame: bool(frame.get("cards")))
        assert [card["key"] for card in frame["cards"]] == ["hidden"]
    await elsewhere.close()
