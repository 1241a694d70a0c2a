"""The bus over Redis: one synchronous publish per poke, one subscription per web process."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import redis
import redis.asyncio
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from agents.bus import BusMessage, Deliver, Subscription, UnknownMessage, decode, encode

logger = logging.getLogger(__name__)

CHANNEL = "contextsite.pokes"
# How the subscriptions call themselves in Redis's list of clients.
CLIENT_NAME = "contextsite-pokes"
# A writer waits at most this long for Redis, and then leaves it alone for REST_SECONDS.
PUBLISH_TIMEOUT_SECONDS = 1.0
REST_SECONDS = 1.0
# Silence after which the subscription asks whether Redis is still there, and again before it gives up.
SILENCE_SECONDS = 10.0
RECONNECT_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.0)


class RedisBus:
    """Reaches every web process that names the same Redis."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._rests_until = 0.0
        self._client = redis.Redis.from_url(
            url,
            socket_timeout=PUBLISH_TIMEOUT_SECONDS,
            socket_connect_timeout=PUBLISH_TIMEOUT_SECONDS,
            # Once more at once: a kept connection may be from before a restart of Redis.
            retry=Retry(NoBackoff(), 1),
        )

    def publish(self, message: BusMessage) -> None:
        """Publish; without Redis the sweeps of the web processes find the change."""
        if self._clock() < self._rests_until:
            return
        try:
            self._client.publish(CHANNEL, encode(message))
        except redis.RedisError as fault:
            self._rests_until = self._clock() + REST_SECONDS
            logger.warning("Redis is unreachable, watchers find changes by their sweep: %s", fault)

    def subscribe(self, deliver: Deliver, missed: Callable[[], None]) -> Subscription:
        """Hear every process; ``missed`` is called after every (re)connection."""
        return _RedisSubscription(self._url, deliver, missed)


class _RedisSubscription:
    """Keeps one connection to the channel, for ever, until it is closed."""

    def __init__(self, url: str, deliver: Deliver, missed: Callable[[], None]) -> None:
        self._url, self._deliver, self._missed = url, deliver, missed
        self._task = asyncio.get_running_loop().create_task(self._listen_for_ever())

    def close(self) -> None:
        self._task.cancel()

    async def _listen_for_ever(self) -> None:
        failures = 0
        while True:
            try:
                async with self._client() as client, client.pubsub() as channel:
                    await channel.subscribe(CHANNEL)
                    async for message in _messages(channel):
                        failures = 0
                        self._hear(message)
            except (redis.RedisError, OSError) as fault:
                pause = RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS) - 1)]
                failures += 1
                logger.warning("The Redis subscription broke, next try in %s s: %s", pause, fault)
                await asyncio.sleep(pause)

    def _client(self) -> "redis.asyncio.Redis[bytes]":
        # No retry of the client's own: every reconnection must be noticed here, since it lost messages.
        return redis.asyncio.Redis.from_url(
            self._url,
            client_name=CLIENT_NAME,
            socket_connect_timeout=PUBLISH_TIMEOUT_SECONDS,
            retry=AsyncRetry(NoBackoff(), 0),
        )

    def _hear(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "subscribe":
            self._missed()
        elif message["type"] == "message":
            try:
                self._deliver(decode(message["data"]))
            except UnknownMessage as fault:
                logger.warning("%s", fault)


async def _messages(channel: PubSub) -> AsyncIterator[Mapping[str, Any]]:
    """Yield what one connection brings.

    Raises:
        redis.RedisError: the connection broke, or the other side said nothing, not even when asked.
    """
    asked = False
    _obey_cancellation()
    while True:
        message = await channel.get_message(timeout=SILENCE_SECONDS)
        if message is not None:
            asked = False
            yield message
        elif asked:
            raise redis.ConnectionError("Redis answers no ping.")
        else:
            asked = True
            await channel.ping()
        _obey_cancellation()


def _obey_cancellation() -> None:
    """End a cancelled task whose cancellation got lost: before Python 3.12 ``wait_for`` may swallow it.

    Raises:
        asyncio.CancelledError: the running task was cancelled.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
