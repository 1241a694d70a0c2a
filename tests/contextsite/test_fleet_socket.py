import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from agents.sessions import announce
from contextsite.asgi import Application
from contextsite.live import Live, new_live
from tests.people import Cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def live() -> AsyncIterator[Live]:
    made = new_live()
    yield made
    await made.hub.stop(4012)


async def socket(live: Live, user: User | None, query: str = "") -> WebsocketCommunicator:
    client = Client()
    if user:
        await sync_to_async(client.force_login)(user)
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost"), (b"cookie", cookie.encode())]
    return WebsocketCommunicator(Application(live), f"/ws/fleet/{query}", headers=headers)


async def fleet_frame(page: WebsocketCommunicator) -> dict[str, Any]:
    while True:
        frame: dict[str, Any] = json.loads(await page.receive_from(timeout=10))
        if frame["type"] == "fleet":
            return frame


async def test_nobody_gets_no_socket(live: Live, people: Cast) -> None:
    page = await socket(live, None)
    accepted, _ = await page.connect(timeout=10)
    assert not accepted


async def test_the_page_hears_of_a_session_that_changes(live: Live, people: Cast) -> None:
    page = await socket(live, people.member)
    assert (await page.connect(timeout=10))[0]
    assert (await fleet_frame(page))["order"] == [f"session-{people.session.pk}"]
    await sync_to_async(announce)(people.session, doing="reading on", status="running")
    changed = await fleet_frame(page)
    assert "reading on" in changed["rows"][0]["html"]
    await page.disconnect()


async def test_the_page_gets_what_its_address_asks_for(live: Live, people: Cast) -> None:
    page = await socket(live, people.member, "?show=failed&q=%00%ff&after=%%%")
    assert (await page.connect(timeout=10))[0]
    assert (await fleet_frame(page))["order"] == []
    await page.disconnect()


async def test_a_stranger_sees_no_session(live: Live, people: Cast) -> None:
    page = await socket(live, people.stranger)
    assert (await page.connect(timeout=10))[0]
    assert (await fleet_frame(page))["order"] == []
    await page.disconnect()


async def test_the_page_may_ask_for_everything_again_and_say_nonsense(live: Live, people: Cast) -> None:
    page = await socket(live, people.member)
    await page.connect(timeout=10)
    first = await fleet_frame(page)
    for text in (
        "nonsense",
        "[]",
        '{"type":"ack","bytes":"x"}',
        '{"type":"ack","bytes":10}',
        '{"type":"resync"}',
    ):
        await page.send_to(text_data=text)
    again = await fleet_frame(page)
    # The ages in the rows go on meanwhile.
    assert (again["order"], again["parts"]) == (first["order"], first["parts"])
    assert [row["id"] for row in again["rows"]] == [row["id"] for row in first["rows"]]
    await page.disconnect()
    assert not live.fleet.is_watched
