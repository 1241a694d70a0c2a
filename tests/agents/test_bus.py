import asyncio
import threading
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from agents import bus
from agents.bus import (
    BusMessage,
    DraftPiece,
    InProcessBus,
    SessionPoke,
    UnknownMessage,
    ViewerPoke,
    decode,
    encode,
)
from agents.draft import Piece

SESSION = UUID("01890000-0000-7000-8000-000000000001")
POKE = SessionPoke(SESSION, 7)

messages = st.one_of(
    st.builds(SessionPoke, st.uuids(), st.integers(min_value=0, max_value=2**62)),
    st.builds(DraftPiece, st.uuids(), st.builds(Piece, st.integers(), st.integers(), calls=st.just(("a",)))),
    st.builds(ViewerPoke, st.integers(min_value=1), st.integers(min_value=1)),
)


class Listener:
    """Collects what a bus delivers and lets a test wait for it."""

    def __init__(self) -> None:
        self.heard: list[BusMessage] = []
        self.threads: set[int] = set()
        self.misses = 0
        self._news = asyncio.Event()

    def deliver(self, message: BusMessage) -> None:
        self.heard.append(message)
        self.threads.add(threading.get_ident())
        self._news.set()

    def missed(self) -> None:
        self.misses += 1
        self._news.set()

    async def news(self) -> None:
        """Wait for the next message or miss."""
        self._news.clear()
        await asyncio.wait_for(self._news.wait(), 10)

    async def until(self, count: int) -> None:
        while len(self.heard) < count:
            await self.news()

    async def until_heard(self, message: BusMessage) -> None:
        """Wait for this message; others may use the same bus."""
        while message not in self.heard:
            await self.news()


@given(messages)
def test_every_message_survives_the_wire(message: BusMessage) -> None:
    assert decode(encode(message)) == message
    assert decode(encode(message).encode()) == message


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no json",
        "[]",
        "1",
        "null",
        "{}",
        '{"kind":"session"}',
        '{"kind":"session","session_id":"x","revision":1}',
        '{"kind":"session","session_id":1,"revision":1}',
        '{"kind":"viewer","user_id":null,"profile_id":1}',
        '{"kind":"of a later version","a":1}',
        '{"kind":["session"]}',
        b"\xff\xfe",
    ],
)
def test_it_names_a_message_that_it_does_not_know(line: str | bytes) -> None:
    with pytest.raises(UnknownMessage, match="Not a message of the bus"):
        decode(line)


async def test_a_poke_from_another_thread_arrives_on_the_loop_of_the_listener() -> None:
    channel, listener = InProcessBus(), Listener()
    channel.subscribe(listener.deliver, listener.missed)
    writer = threading.Thread(target=channel.publish, args=(POKE,))
    writer.start()
    await listener.until(1)
    writer.join()
    assert listener.heard == [POKE]
    assert listener.threads == {threading.get_ident()}


async def test_every_listener_of_the_process_hears_a_poke() -> None:
    channel, one, two = InProcessBus(), Listener(), Listener()
    channel.subscribe(one.deliver, one.missed)
    channel.subscribe(two.deliver, two.missed)
    channel.publish(POKE)
    await one.until(1)
    await two.until(1)
    assert one.misses == two.misses == 0


async def test_a_closed_subscription_hears_nothing_more() -> None:
    channel, gone, here = InProcessBus(), Listener(), Listener()
    subscription = channel.subscribe(gone.deliver, gone.missed)
    channel.subscribe(here.deliver, here.missed)
    subscription.close()
    subscription.close()
    channel.publish(POKE)
    await here.until(1)
    assert gone.heard == []


def test_a_loop_that_was_closed_without_a_word_is_forgotten() -> None:
    channel = InProcessBus()

    async def subscribe() -> None:
        listener = Listener()
        channel.subscribe(listener.deliver, listener.missed)

    asyncio.run(subscribe())
    channel.publish(POKE)
    channel.publish(POKE)


def test_publishing_without_listeners_is_fine() -> None:
    InProcessBus().publish(POKE)


async def test_writers_reach_the_bus_of_the_settings(settings: Settings) -> None:
    settings.REDIS_URL = ""
    listener = Listener()
    subscription = bus.current().subscribe(listener.deliver, listener.missed)
    bus.poke_session(SESSION, 3)
    bus.poke_viewer(5, 6)
    await listener.until(2)
    subscription.close()
    assert listener.heard == [SessionPoke(SESSION, 3), ViewerPoke(5, 6)]


def test_one_process_has_one_bus(settings: Settings) -> None:
    settings.REDIS_URL = ""
    assert bus.current() is bus.current()
