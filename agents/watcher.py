"""A watcher: one open page as the feed sees it, with what it has and what it is owed."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass

# What a watcher already has of a part: None is nothing, anything else is the part's own business.
Cursor = int | str | None
# Everything that makes two people see a part differently; equal views get the same bytes.
View = Hashable

# Text sent and not acknowledged; above it a watcher is left alone until it answers.
MOST_UNACKNOWLEDGED = 256 * 1024

LOGGED_OUT = 4401
PERMISSION_LOST = 4403
TOO_SLOW = 4008
SERVER_LEAVES = 4012


@dataclass(frozen=True)
class Viewer:
    """Who watches, as decided when the page connected or was checked again.

    Attributes:
        login: key of the browser's login; empty when there is none to check again.
    """

    user_id: int
    profile_id: int
    may_act: bool
    login: str = ""


class Watcher:
    """One open page.

    Attributes:
        cursors: part name to what the page has of it.
        views: part name to how this person sees it.
        view_is_stale: the views must be read again before the next frame.
        requests: counts what the page asked for, so that an answer to an older state is recognised.
        full_since: loop time since when too much is unacknowledged, or None.
        last_sent: loop time of the last frame.
    """

    def __init__(
        self,
        viewer: Viewer,
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
        *,
        cursors: Mapping[str, Cursor],
        views: Mapping[str, View],
    ) -> None:
        self.viewer = viewer
        self.cursors = dict(cursors)
        self.views = dict(views)
        self.view_is_stale = False
        self.requests = 0
        self.full_since: float | None = None
        self.last_sent = 0.0
        self._send = send
        self._close = close
        self._unacknowledged = 0
        self._outbox: deque[str] = deque()
        self._posting: asyncio.Task[None] | None = None
        self._leaving: asyncio.Future[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether it gets nothing until it acknowledges."""
        return self.full_since is not None

    @property
    def is_gone(self) -> bool:
        """Whether it was closed."""
        return self._leaving is not None

    def push(self, text: str, now: float) -> None:
        """Send a frame after those before it, without waiting for the network."""
        if self.is_gone:
            return
        # Characters, not bytes: never more than what the browser counts, whichever way it counts.
        self._unacknowledged += len(text)
        if self._unacknowledged > MOST_UNACKNOWLEDGED and self.full_since is None:
            self.full_since = now
        self.last_sent = now
        self._outbox.append(text)
        if self._posting is None:
            self._posting = asyncio.get_running_loop().create_task(self._post())

    def acknowledge(self, amount: int) -> bool:
        """Note that the page received ``amount`` more; True when it may get frames again because of it."""
        self._unacknowledged = max(0, self._unacknowledged - max(0, amount))
        if self.full_since is None or self._unacknowledged > MOST_UNACKNOWLEDGED:
            return False
        self.full_since = None
        return True

    def forget(self, part: str | None = None) -> None:
        """Owe the page a snapshot of the part, or of every part."""
        self.requests += 1
        self.cursors |= dict.fromkeys(self.cursors if part is None else [part])

    def close(self, code: int) -> None:
        """Send no more and close the socket with ``code``; a second time does nothing."""
        if not self.is_gone:
            self._outbox.clear()
            self._leaving = asyncio.ensure_future(self._leave(code))

    async def _post(self) -> None:
        try:
            while self._outbox:
                await self._send(self._outbox.popleft())
        except (OSError, RuntimeError):
            # The socket is gone; its consumer will hear of it and leave the feed.
            self._outbox.clear()
        finally:
            self._posting = None

    async def _leave(self, code: int) -> None:
        try:
            await self._close(code)
        except (OSError, RuntimeError):
            self._outbox.clear()
