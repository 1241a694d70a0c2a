import asyncio
import concurrent.futures
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.context import ToolManager, background
from agents.context.background import Watch, background_loop, call_bounded, settle, start
from agents.context.errors import EndingRefused
from agents.context.json_values import JSON


async def _answer(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def _never() -> int:
    await asyncio.Event().wait()
    return 0


def test_a_value_is_settled_as_it_is() -> None:
    assert settle(7) == 7


def test_a_coroutine_is_run_to_its_end() -> None:
    assert settle(_answer(7)) == 7


def test_all_coroutines_share_one_loop() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert settle(loop()) is settle(loop()) is background_loop()


def test_an_error_in_a_coroutine_reaches_the_caller() -> None:
    async def fail() -> None:
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        settle(fail())


def test_a_late_coroutine_is_cancelled() -> None:
    cancelled = threading.Event()

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(TimeoutError):
        settle(slow(), 0.01)
    assert cancelled.wait(5)


def test_a_coroutine_may_use_the_library_and_wait_for_another_one() -> None:
    async def outer() -> int:
        return settle(_answer(3)) + 1

    assert settle(outer()) == 4


def test_a_started_coroutine_can_be_cancelled() -> None:
    future = start(_never())
    assert future.cancel()
    assert future.cancelled()


def test_a_plain_function_without_limit_runs_on_the_callers_thread() -> None:
    assert call_bounded(threading.get_ident) == threading.get_ident()


def test_a_plain_function_with_a_limit_runs_on_another_thread_with_the_callers_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    variable.set("mine")
    thread, value = call_bounded(lambda: (threading.get_ident(), variable.get()), 5)
    assert thread != threading.get_ident()
    assert value == "mine"


def test_a_plain_function_that_is_late_is_left_behind() -> None:
    release = threading.Event()
    with pytest.raises(TimeoutError):
        call_bounded(lambda: release.wait(10), 0.01)
    release.set()


def test_an_async_function_with_a_limit_is_bounded_too() -> None:
    assert call_bounded(lambda: _answer(2), 5) == 2
    with pytest.raises(TimeoutError):
        call_bounded(_never, 0.01)


def test_an_error_under_a_limit_reaches_the_caller() -> None:
    def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        call_bounded(fail, 5)


class PanicException(BaseException):
    """As libraries in other languages raise for a fault of their own."""


ENDINGS = [
    SystemExit,
    GeneratorExit,
    asyncio.CancelledError,
    concurrent.futures.CancelledError,
    PanicException,
]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("limit_s", [None, 5])
def test_host_code_cannot_end_the_process_the_task_or_the_generator(
    ending: type[BaseException], limit_s: float | None
) -> None:
    def leave() -> None:
        raise ending

    async def leave_later() -> None:
        raise ending

    for call in (leave, leave_later):
        with pytest.raises(EndingRefused, match=ending.__name__):
            call_bounded(call, limit_s)


def test_the_end_that_was_refused_is_kept() -> None:
    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(EndingRefused) as refused:
        call_bounded(leave)
    assert isinstance(refused.value.ending, SystemExit)


@pytest.mark.parametrize("ending", [*ENDINGS, KeyboardInterrupt])
def test_the_loop_outlives_what_its_coroutines_raise(ending: type[BaseException]) -> None:
    async def leave() -> None:
        raise ending

    with pytest.raises(EndingRefused):
        settle(leave())
    assert settle(_answer(7)) == 7


def test_a_person_may_still_interrupt_host_code() -> None:
    def wait() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call_bounded(wait)


def test_a_forked_process_starts_a_loop_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = background_loop()
    before = set(threading.enumerate())
    monkeypatch.setattr(background, "_running", [parents])
    background.forget_loop()
    child = background_loop()
    assert child is not parents
    assert settle(_answer(1)) == 1
    [thread] = set(threading.enumerate()) - before
    child.call_soon_threadsafe(child.stop)
    thread.join(5)
    child.close()


def test_many_threads_may_wait_at_the_same_time() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: settle(_answer(n)), range(100))) == list(range(100))


def test_a_tool_that_awaits_may_itself_be_called_from_a_coroutine() -> None:
    manager = ToolManager()

    @manager.register
    async def inner(value: int) -> int:
        return await _answer(value)

    @manager.register
    async def outer(value: int) -> JSON:
        return manager.execute("inner", {"value": value})

    assert manager.execute("outer", {"value": 5}) == 5
    assert (inner.name, outer.name) == ("inner", "outer")


class Enough(Exception):
    """The one who watches has waited long enough."""


def leaving_after(looks: int) -> Watch:
    left = iter(range(looks))

    def look() -> None:
        if next(left, None) is None:
            raise Enough

    return Watch(look, 0.001)


def test_a_coroutine_that_is_left_behind_is_cancelled() -> None:
    cancelled = threading.Event()

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    for limit_s in (None, 60):
        with pytest.raises(Enough):
            call_bounded(hang, limit_s, leaving_after(2))
        assert cancelled.wait(5)
        cancelled.clear()


def test_a_function_with_a_limit_of_time_is_left_behind_on_its_thread() -> None:
    may_end = threading.Event()
    with pytest.raises(Enough):
        call_bounded(may_end.wait, 60, leaving_after(2))
    may_end.set()


def test_a_limit_of_time_holds_while_somebody_watches() -> None:
    may_end = threading.Event()
    with pytest.raises(TimeoutError):
        call_bounded(may_end.wait, 0.01, leaving_after(10_000))
    may_end.set()


def test_what_is_watched_to_its_end_gives_its_value() -> None:
    assert call_bounded(lambda: _answer(7), None, leaving_after(10_000)) == 7
    assert call_bounded(lambda: 8, 60, leaving_after(10_000)) == 8
