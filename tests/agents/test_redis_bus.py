import asyncio
import logging
import os
import socket
import sys
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
import redis
from pytest_django import Settings
from redis.asyncio.client import PubSub

from agents import bus
from agents.bus import SessionPoke
from agents.redis_bus import CHANNEL, CLIENT_NAME, MOST_UNSENT, REST_SECONDS, RedisBus
from contextsite.settings import BASE_DIR
from tests.agents.test_bus import Listener

REDIS_URL = os.environ.get("REDIS_URL", "")
needs_redis = [
    pytest.mark.redis,
    pytest.mark.skipif(not REDIS_URL, reason="REDIS_URL is not set"),
]


def poke() -> SessionPoke:
    return SessionPoke(uuid4(), 7)


async def until_missed(listener: Listener, count: int) -> None:
    async with asyncio.timeout(10):
        while listener.misses < count:
            await listener.news()


@pytest.fixture
def admin() -> Iterator["redis.Redis[bytes]"]:
    with redis.Redis.from_url(REDIS_URL) as admin:
        yield admin


class TestWithRedis:
    pytestmark = needs_redis

    async def test_a_poke_reaches_every_subscribed_process(self) -> None:
        # Two buses are two processes: nothing but Redis is between them.
        here, there, listener = RedisBus(REDIS_URL), RedisBus(REDIS_URL), Listener()
        subscription = here.subscribe(listener.deliver, listener.missed)
        await until_missed(listener, 1)
        sent = poke()
        await asyncio.to_thread(there.publish, sent)
        await listener.until_heard(sent)
        subscription.close()

    async def test_what_is_published_at_once_arrives_in_order_and_whole(self) -> None:
        here, there, listener = RedisBus(REDIS_URL), RedisBus(REDIS_URL), Listener()
        subscription = here.subscribe(listener.deliver, listener.missed)
        await until_missed(listener, 1)
        sent = [poke() for _ in range(500)]
        for each in sent:
            there.publish(each)
        await listener.until_heard(sent[-1])
        assert [each for each in listener.heard if each in sent] == sent
        subscription.close()

    async def test_a_process_that_ends_at_once_has_told_what_it_wrote(self) -> None:
        here, listener = RedisBus(REDIS_URL), Listener()
        subscription = here.subscribe(listener.deliver, listener.missed)
        await until_missed(listener, 1)
        sent = poke()
        program = (
            "import sys; from uuid import UUID; from agents.bus import SessionPoke; "
            "from agents.redis_bus import RedisBus; "
            "RedisBus(sys.argv[1]).publish(SessionPoke(UUID(sys.argv[2]), 7))"
        )
        arguments = (sys.executable, "-c", program, REDIS_URL, str(sent.session_id))
        ended = await asyncio.create_subprocess_exec(*arguments, cwd=BASE_DIR)
        assert await ended.wait() == 0
        await listener.until_heard(sent)
        subscription.close()

    async def test_a_connection_that_broke_comes_back_and_says_so(self, admin: "redis.Redis[bytes]") -> None:
        channel, listener = RedisBus(REDIS_URL), Listener()
        subscription = channel.subscribe(listener.deliver, listener.missed)
        await until_missed(listener, 1)
        ours = [client["id"] for client in admin.client_list(_type="pubsub") if client["name"] == CLIENT_NAME]
        for number in ours:
            admin.client_kill_filter(_id=number)
        await until_missed(listener, 2)
        sent = poke()
        await asyncio.to_thread(channel.publish, sent)
        await listener.until_heard(sent)
        subscription.close()

    async def test_a_message_of_another_version_is_skipped(
        self, admin: "redis.Redis[bytes]", caplog: pytest.LogCaptureFixture
    ) -> None:
        channel, listener = RedisBus(REDIS_URL), Listener()
        subscription = channel.subscribe(listener.deliver, listener.missed)
        await until_missed(listener, 1)
        admin.publish(CHANNEL, "of another version")
        sent = poke()
        await asyncio.to_thread(channel.publish, sent)
        await listener.until_heard(sent)
        assert "of another version" in caplog.text
        subscription.close()

    async def test_a_cancellation_that_the_client_swallowed_still_ends_the_subscription(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        get_message, swallowed = PubSub.get_message, asyncio.Event()

        async def get_message_as_if_nothing_was(channel: PubSub, **options: Any) -> Any:
            try:
                return await get_message(channel, **options)
            except asyncio.CancelledError:
                swallowed.set()
                return None

        monkeypatch.setattr(PubSub, "get_message", get_message_as_if_nothing_was)
        before, listener = asyncio.all_tasks(), Listener()
        subscription = RedisBus(REDIS_URL).subscribe(listener.deliver, listener.missed)
        await until_missed(listener, 1)
        subscription.close()
        async with asyncio.timeout(10):
            await asyncio.wait(asyncio.all_tasks() - before)
        assert swallowed.is_set()


@pytest.fixture
def nowhere() -> Iterator[str]:
    """Return the address of a port on which nobody listens."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        yield f"redis://127.0.0.1:{place.getsockname()[1]}"


def test_a_writer_does_not_fail_without_redis_and_soon_stops_trying(
    nowhere: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = 100.0
    channel = RedisBus(nowhere, clock=lambda: now)
    channel.publish(poke())
    channel.flush()
    channel.publish(poke())
    channel.flush()
    assert len(warnings(caplog)) == 1
    now += REST_SECONDS
    channel.publish(poke())
    channel.flush()
    assert len(warnings(caplog)) == 2


def test_a_writer_does_not_wait_for_a_redis_that_is_silent() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        channel = RedisBus(f"redis://127.0.0.1:{silent.getsockname()[1]}")
        # Waiting for an answer to each would take hours.
        for _ in range(MOST_UNSENT + 5):
            channel.publish(poke())
        assert 0 < len(channel._unsent) <= MOST_UNSENT
    # What its thread has to complain about belongs to this test, not to the next one.
    channel.flush()


class Complaints(logging.Handler):
    """Counts log records and lets a test wait for them."""

    def __init__(self) -> None:
        super().__init__()
        self._complaints: asyncio.Queue[str] = asyncio.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self._complaints.put_nowait(record.getMessage())

    async def next(self) -> str:
        return await asyncio.wait_for(self._complaints.get(), 10)


async def test_a_subscription_without_redis_keeps_trying(nowhere: str) -> None:
    complaints, listener = Complaints(), Listener()
    logger = logging.getLogger("agents.redis_bus")
    logger.addHandler(complaints)
    subscription = RedisBus(nowhere).subscribe(listener.deliver, listener.missed)
    assert "next try in 0.1 s" in await complaints.next()
    assert "next try in 0.25 s" in await complaints.next()
    assert listener.misses == 0
    subscription.close()
    logger.removeHandler(complaints)


def test_the_settings_choose_redis(settings: Settings, nowhere: str) -> None:
    settings.REDIS_URL = nowhere
    assert isinstance(bus.current(), RedisBus)


def warnings(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.levelno == logging.WARNING]
