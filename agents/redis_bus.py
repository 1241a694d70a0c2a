"""The bus over Redis: what a process publishes is sent together, one subscription per web process."""

import asyncio
import atexit
import logging
import threading
import time
from collections import deque
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
# The sender waits at most this long for Redis, and then leaves it alone for REST_SECONDS.
PUBLISH_TIMEOUT_SECONDS = 1.0
REST_SECONDS = 1.0
MOST_UNSENT = 10_000
# Silence after which the subscription asks whether Redis is still there, and again before it gives up.
SILENCE_SECONDS = 10.0
RECONNECT_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.0)


class RedisBus:
    """Reaches every web process that names the same Redis; one thread sends, so that no writer waits."""

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
        # Redis may be slow for a while; when there are more, the oldest are left to the sweeps.
        self._unsent: deque[str] = deque(maxlen=MOST_UNSENT)
        self._has_unsent = threading.Event()
        self._sending = threading.Lock()
        self._starting = threading.Lock()
        self._sender: threading.Thread | None = None
        # What was written right before the process ends is told, too.
        atexit.register(self.flush)

    def publish(self, message: BusMessage) -> None:
        """Have it sent; without Redis the sweeps of the web processes find the change."""
        self._unsent.append(encode(message))
        self._has_unsent.set()
        # A process that was forked from this one has the object and not the thread.
        if self._sender is None or not self._sender.is_alive():
            with self._starting:
                if self._sender is None or not self._sender.is_alive():
                    self._sender = threading.Thread(target=self._send_for_ever, name="bus", daemon=True)
                    self._sender.start()

    def flush(self) -> None:
        """Send everything that was published before, in one go, and return when that is done."""
        with self._sending:
            lines = [self._unsent.popleft() for _ in range(len(self._unsent))]
            if not lines or self._clock() < self._rests_until:
                return
            try:
                with self._client.pipeline(transaction=False) as together:
                    for line in lines:
                        together.publish(CHANNEL, line)
                    together.execute()
            except redis.RedisError as fault:
                self._rests_until = self._clock() + REST_SECONDS
                logger.warning("Redis is unreachable, watchers find changes by their sweep: %s", fault)

    def subscribe(self, deliver: Deliver, missed: Callable[[], None]) -> Subscription:
        """Hear every process; ``missed`` is called after every (re)connection."""
        return _RedisSubscription(self._url, deliver, missed)

    def _send_for_ever(self) -> None:
        while True:
            self._has_unsent.wait()
            self._has_unsent.clear()
            try:
                self.flush()
            except Exception:
                # The thread serves every writer of the process, so no fault may end it.
                logger.exception("Pokes were not sent; watchers find the changes by their sweep")


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
