"""Embedded mode: web server and worker in one process; the first signal drains it, the second ends it."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

# First: it installs the reactor that shares its loop with asyncio.
import daphne.server
from celery import Celery
from twisted.internet import reactor

from agents.connecting import warm_up
from agents.hub import Hub
from agents.watcher import SERVER_LEAVES

# Pending connections that the system keeps: a thousand pages may reconnect at once.
BACKLOG = 2048
# Time for the last frames and the closing ones to leave.
PARTING_SECONDS = 0.3
FORCED_EXIT = 130

Say = Callable[[str], object]


class EmbeddedWorker:
    """A Celery worker with threads, in a thread of this process."""

    def __init__(self, app: Celery, threads: int) -> None:
        # Nobody asks this worker anything over the broker, and listening for it costs time while idle.
        app.conf.worker_enable_remote_control = False
        self._controller = app.WorkController(
            app=app,
            pool_cls="threads",
            concurrency=threads,
            hostname="embedded@localhost",
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
            optimization="default",
        )

    def start(self) -> None:
        """Take tasks from now on."""
        threading.Thread(target=self._controller.start, name="celery-worker", daemon=True).start()
        warm_up()

    def stop(self, grace_seconds: float) -> bool:
        """Take no more tasks and wait for the running ones; False when some still run after the grace."""
        # The thread to join is the one that waits for the pool.
        stopping = threading.Thread(target=self._controller.stop, name="celery-stop", daemon=True)
        stopping.start()
        stopping.join(grace_seconds)
        return not stopping.is_alive()


@dataclass(frozen=True)
class Address:
    """Where to listen; port 0 lets the system choose."""

    host: str
    port: int

    @property
    def endpoint(self) -> str:
        """The address as Twisted writes it."""
        interface = self.host.replace("\\", "\\\\").replace(":", "\\:")
        return f"tcp:port={self.port}:interface={interface}:backlog={BACKLOG}"

    def url(self, port: int) -> str:
        """Return what to open in a browser on this machine."""
        host = "localhost" if self.host in {"0.0.0.0", "::", "127.0.0.1"} else self.host  # noqa: S104
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class EmbeddedServer:
    """Serves the application until a signal ends it.

    Attributes:
        has_listened: whether the address could be used.
    """

    def __init__(
        self,
        application: Callable[..., object],
        hub: Hub,
        address: Address,
        *,
        worker: EmbeddedWorker | None,
        grace_seconds: float,
        say: Say,
    ) -> None:
        self.has_listened = False
        self._hub, self._address, self._worker, self._say = hub, address, worker, say
        self._grace_seconds = grace_seconds
        self._signals = 0
        self._drained = True
        self._parting: asyncio.Task[None] | None = None
        self._server = daphne.server.Server(
            application, endpoints=[address.endpoint], signal_handlers=False, ready_callable=self._ready
        )

    def run(self) -> bool:
        """Serve; return False when turns still ran after the grace (they are taken up at the next start)."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        self._server.run()
        return self._drained

    def _ready(self) -> None:
        addresses = self._server.listening_addresses
        self.has_listened = bool(addresses)
        if not addresses:
            return
        reactor.callWhenRunning(self._hub.ensure_running)
        if self._worker is not None:
            self._worker.start()
        self._say(f"Serving on {self._address.url(addresses[0][1])} (Ctrl-C ends it)")

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self._signals > 1:
            os.write(2, b"Left at once; running turns are taken up at the next start.\n")
            os._exit(FORCED_EXIT)
        # In a thread: the loop goes on pushing what the last turns do.
        threading.Thread(target=self._drain, name="drain", daemon=True).start()

    def _drain(self) -> None:
        if self._worker is not None:
            self._say(
                f"Finishing running turns, for {self._grace_seconds:g} s at most; Ctrl-C leaves at once"
            )
            self._drained = self._worker.stop(self._grace_seconds)
        reactor.callFromThread(self._start_parting)

    def _start_parting(self) -> None:
        self._parting = asyncio.get_running_loop().create_task(self._part())

    async def _part(self) -> None:
        await asyncio.sleep(PARTING_SECONDS)
        await self._hub.stop(SERVER_LEAVES)
        await asyncio.sleep(PARTING_SECONDS)
        self._server.stop()
