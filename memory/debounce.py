"""Delivery of changes after a quiet time, with a maximum wait, so that a steady stream cannot starve it."""

import atexit
import logging
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol
from weakref import WeakSet

logger = logging.getLogger(__name__)

QUIET_MS = 100
MAX_WAIT_MS = 500


class Scheduler(Protocol):
    """Where a debouncer gets its time from."""

    def now_ms(self) -> float:
        """Return a time that never goes back."""
        ...

    def call_later(self, delay_ms: float, call: Callable[[], None]) -> None:
        """Call once after the delay, on any thread but not before this returns."""
        ...


class TimerScheduler:
    """Real time; calls run on daemon threads, so that none keeps the process alive."""

    def now_ms(self) -> float:
        """Return the monotonic clock."""
        return time.monotonic() * 1000

    def call_later(self, delay_ms: float, call: Callable[[], None]) -> None:
        """Start one daemon timer thread."""
        timer = threading.Timer(delay_ms / 1000, call)
        timer.name = "contextsite-debounce"
        timer.daemon = True
        timer.start()


class Debouncer:
    """Calls ``deliver`` after ``quiet_ms`` without changes, at the latest ``max_wait_ms`` after the first.

    Never runs two deliveries at once. What ``deliver`` raises is logged and otherwise ignored. Changes that
    were not delivered yet are delivered by ``flush``, by ``close`` and when the interpreter exits.
    """

    def __init__(
        self,
        deliver: Callable[[], None],
        *,
        quiet_ms: float = QUIET_MS,
        max_wait_ms: float = MAX_WAIT_MS,
        scheduler: Scheduler | None = None,
    ) -> None:
        self._deliver = deliver
        self._quiet_ms = quiet_ms
        self._max_wait_ms = max_wait_ms
        self._scheduler = scheduler or TimerScheduler()
        self._lock = threading.Lock()
        self._delivery = threading.Lock()
        # Due time of the undelivered changes; None when there are none.
        self._due: float | None = None
        self._latest: float = 0
        # One timer at a time: it looks again when it fires, instead of being restarted by each change.
        self._is_armed = False
        self._is_closed = False
        _open.add(self)

    def notify(self) -> None:
        """Take note of a change; after ``close`` it is ignored."""
        with self._lock:
            if self._is_closed:
                return
            now = self._scheduler.now_ms()
            if self._due is None:
                self._latest = now + self._max_wait_ms
            self._due = min(now + self._quiet_ms, self._latest)
            if not self._is_armed:
                self._arm(self._due - now)

    def flush(self) -> None:
        """Deliver what is undelivered before returning.

        Waits for a running delivery. Called from within ``deliver`` it does nothing: what changed there
        gets a delivery of its own afterwards.
        """
        if self in _delivering.get():
            return
        with self._delivery:
            with self._lock:
                if self._due is None:
                    return
                self._due = None
            token = _delivering.set((*_delivering.get(), self))
            try:
                self._deliver()
            except Exception:
                logger.exception("The callback for changed entries failed")
            finally:
                _delivering.reset(token)

    def close(self) -> None:
        """Flush, and take no further changes; calling it again does nothing."""
        with self._lock:
            self._is_closed = True
        self.flush()
        _open.discard(self)

    def _on_timer(self) -> None:
        with self._lock:
            is_due = self._due is not None and self._due <= self._scheduler.now_ms()
        if is_due:
            self.flush()
        with self._lock:
            self._is_armed = False
            if self._due is not None and not self._is_closed:
                self._arm(max(self._due - self._scheduler.now_ms(), 0))

    def _arm(self, delay_ms: float) -> None:
        self._is_armed = True
        self._scheduler.call_later(delay_ms, self._on_timer)


# Debouncers whose callback is running, innermost last; a context variable reaches coroutines of the callback.
_delivering: ContextVar[tuple[Debouncer, ...]] = ContextVar("delivering", default=())
# Weak: a debouncer with undelivered changes is kept alive by its timer.
_open: WeakSet[Debouncer] = WeakSet()


@atexit.register
def _close_all() -> None:
    for debouncer in list(_open):
        debouncer.close()
