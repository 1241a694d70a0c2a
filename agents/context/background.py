"""The one background event loop on which coroutines of the host run to their end."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import TypeAlias, TypeVar, cast, overload

from agents.context.errors import EndingRefused

T = TypeVar("T")

Answer: TypeAlias = T | Awaitable[T]
"""What a callable of the host may return: the value, or an awaitable of it."""

_lock = threading.Lock()
_running: list[asyncio.AbstractEventLoop] = []


@dataclass(frozen=True)
class Watch:
    """What is looked at while host code is waited for.

    Attributes:
        look: raises to leave the work behind; a coroutine is cancelled.
        every_s: how often.
    """

    look: Callable[[], None]
    every_s: float


class _Staying:
    """See ``staying``; a class, because a prompt is made of many calls of host code."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if fault is None or isinstance(fault, KeyboardInterrupt):
            return
        # The error of a cancelled future ends no process, but whoever waits takes it for their own end.
        if not isinstance(fault, Exception) or isinstance(fault, concurrent.futures.CancelledError):
            raise EndingRefused(fault) from fault


_STAYING = _Staying()


def staying() -> AbstractContextManager[None]:
    """Run host code inside the block: what would end more than the call that raised it is refused.

    That is all that is no ``Exception``; a person's Ctrl-C passes.

    Raises:
        EndingRefused: instead of it.
    """
    return _STAYING


@overload
def settle(answer: Awaitable[T], timeout_s: float | None = None, watch: Watch | None = None) -> T: ...
@overload
def settle(answer: Answer[T], timeout_s: float | None = None, watch: Watch | None = None) -> T: ...
def settle(answer: Answer[T], timeout_s: float | None = None, watch: Watch | None = None) -> T:
    """Return the value, after running an awaitable to its end on the background loop.

    Raises:
        TimeoutError: the awaitable was not done after ``timeout_s`` seconds; it was cancelled.
        EndingRefused: see ``staying``.
    """
    if not isinstance(answer, Awaitable):
        return answer
    with staying():
        return _watched(start(cast("Awaitable[T]", answer), timeout_s), watch)


@overload
def call_bounded(
    call: Callable[[], Awaitable[T]], timeout_s: float | None = None, watch: Watch | None = None
) -> T: ...
@overload
def call_bounded(
    call: Callable[[], Answer[T]], timeout_s: float | None = None, watch: Watch | None = None
) -> T: ...
def call_bounded(
    call: Callable[[], Answer[T]], timeout_s: float | None = None, watch: Watch | None = None
) -> T:
    """Return what the call gives, awaiting it when it is a coroutine.

    Without a limit a plain function runs on the calling thread, where nothing can be watched. With one it
    runs on a thread of its own, with the caller's context variables, and is abandoned there when the time is
    up.

    Raises:
        TimeoutError: after ``timeout_s`` seconds.
        EndingRefused: see ``staying``.
    """
    if timeout_s is None:
        with staying():
            return settle(call(), watch=watch)
    done: Future[Answer[T]] = Future()

    # What is left behind still ends, and has nobody to tell.
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(call())
        except BaseException as failure:  # noqa: BLE001, it is raised again by the thread that waits
            done.set_exception(failure)

    within = contextvars.copy_context()
    threading.Thread(target=within.run, args=(run,), name="contextsite-bounded", daemon=True).start()
    with staying():
        return settle(_watched(done, watch, timeout_s), timeout_s, watch)


def _watched(work: Future[T], watch: Watch | None, timeout_s: float | None = None) -> T:
    """Return what the work gives; it is cancelled when the watch raises.

    Raises:
        TimeoutError: it was not done after ``timeout_s`` seconds.
    """
    if watch is None:
        return work.result(timeout_s)
    ends = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        left = watch.every_s if ends is None else min(watch.every_s, max(0.0, ends - time.monotonic()))
        if wait([work], left).done or (ends is not None and time.monotonic() >= ends):
            return work.result(0)
        try:
            watch.look()
        except BaseException:
            work.cancel()
            raise


def start(work: Awaitable[T], timeout_s: float | None = None) -> Future[T]:
    """Return a future of the work, which runs beside the calling thread and is cancelled with the future.

    Called from the background loop itself it runs on a loop of its own, because waiting there for the
    same loop would never end.
    """
    work = keep_loop(work)
    bounded = work if timeout_s is None else asyncio.wait_for(work, timeout_s)
    loop = background_loop()
    if _is_current(loop):
        return _run_apart(bounded)
    return asyncio.run_coroutine_threadsafe(bounded, loop)


def background_loop() -> asyncio.AbstractEventLoop:
    """Return the process's background loop, started on first use in a daemon thread."""
    with _lock:
        if not _running:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="contextsite-background", daemon=True).start()
            _running.append(loop)
        return _running[0]


def _is_current(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _run_apart(work: Coroutine[object, object, T]) -> Future[T]:
    worker = ThreadPoolExecutor(1, "contextsite-nested")
    done: Future[T] = worker.submit(asyncio.run, work)
    worker.shutdown(wait=False)
    return done


async def keep_loop(work: Awaitable[T]) -> T:
    """Return what the work gives.

    Raises:
        EndingRefused: instead of what would end the loop, and with it every coroutine of the process.
            Cancelling passes.
    """
    try:
        return await work
    except (SystemExit, KeyboardInterrupt) as ending:
        raise EndingRefused(ending) from ending


def forget_loop() -> None:
    """Let the next use start a loop: a forked process inherits this one without its thread."""
    _running.clear()


os.register_at_fork(after_in_child=forget_loop)
