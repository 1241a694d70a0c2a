import gc
import logging
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import debounce
from memory.debounce import Debouncer, TimerScheduler
from tests.memory.manual_time import ManualTime


@pytest.fixture
def time() -> ManualTime:
    return ManualTime()


@pytest.fixture
def deliveries() -> list[float]:
    return []


@pytest.fixture
def debouncer(time: ManualTime, deliveries: list[float]) -> Debouncer:
    return Debouncer(lambda: deliveries.append(time.now), scheduler=time)


def test_a_single_change_is_delivered_after_the_quiet_time(
    debouncer: Debouncer, time: ManualTime, deliveries: list[float]
) -> None:
    debouncer.notify()

    time.advance_to(99)
    assert deliveries == []
    time.advance_to(1_000)
    assert deliveries == [100]


def test_a_burst_is_one_delivery_after_its_last_change(
    debouncer: Debouncer, time: ManualTime, deliveries: list[float]
) -> None:
    for moment in (0, 1, 2, 50, 90):
        time.advance_to(moment)
        debouncer.notify()
    time.advance_to(1_000)

    assert deliveries == [190]


@pytest.mark.trap("W1.2")
def test_a_steady_stream_is_delivered_at_the_maximum_wait(
    debouncer: Debouncer, time: ManualTime, deliveries: list[float]
) -> None:
    for moment in range(0, 2_000, 50):
        time.advance_to(moment)
        debouncer.notify()
    time.advance_to(5_000)

    assert deliveries == [500, 1_000, 1_500, 2_000]


def test_a_burst_arms_one_timer(debouncer: Debouncer, time: ManualTime) -> None:
    for _ in range(1_000):
        debouncer.notify()

    assert time.waiting == 1


def test_nothing_is_armed_when_nothing_changed(
    debouncer: Debouncer, time: ManualTime, deliveries: list[float]
) -> None:
    debouncer.notify()
    time.advance_to(10_000)

    assert deliveries == [100]
    assert time.waiting == 0


def test_flush_delivers_now_and_once(debouncer: Debouncer, time: ManualTime, deliveries: list[float]) -> None:
    debouncer.notify()
    debouncer.flush()
    debouncer.flush()
    time.advance_to(1_000)

    assert deliveries == [0]


def test_a_change_after_a_flush_gets_its_own_quiet_time(
    debouncer: Debouncer, time: ManualTime, deliveries: list[float]
) -> None:
    debouncer.notify()
    time.advance_to(40)
    debouncer.flush()
    debouncer.notify()
    time.advance_to(1_000)

    assert deliveries == [40, 140]


def test_close_delivers_the_rest_and_ignores_later_changes(
    debouncer: Debouncer, time: ManualTime, deliveries: list[float]
) -> None:
    debouncer.notify()
    debouncer.close()
    debouncer.notify()
    debouncer.close()
    time.advance_to(1_000)

    assert deliveries == [0]
    assert time.waiting == 0


def test_an_error_of_the_callback_is_logged_and_later_changes_are_delivered(
    time: ManualTime, caplog: pytest.LogCaptureFixture
) -> None:
    outcomes = iter([ValueError("sidebar is gone"), None])
    seen = []

    def deliver() -> None:
        seen.append(time.now)
        outcome = next(outcomes)
        if outcome:
            raise outcome

    debouncer = Debouncer(deliver, scheduler=time)
    with caplog.at_level(logging.ERROR):
        debouncer.notify()
        time.advance_to(200)
        debouncer.notify()
        time.advance_to(400)

    assert seen == [100, 300]
    assert "sidebar is gone" in caplog.text
    assert len(caplog.records) == 1


def test_a_change_made_by_the_callback_is_delivered_afterwards(time: ManualTime) -> None:
    seen: list[float] = []

    def deliver() -> None:
        seen.append(time.now)
        if len(seen) == 1:
            nested.notify()
            nested.flush()

    nested = Debouncer(deliver, scheduler=time)
    nested.notify()
    time.advance_to(1_000)

    assert seen == [100, 200]


def test_changes_during_a_delivery_longer_than_the_maximum_wait_follow_at_once(time: ManualTime) -> None:
    seen: list[float] = []

    def deliver() -> None:
        seen.append(time.now)
        if len(seen) == 1:
            nested.notify()
            time.now += 2_000

    nested = Debouncer(deliver, scheduler=time)
    nested.notify()
    time.advance_to(2_100)

    assert seen == [100, 2_100]


def test_two_deliveries_never_run_at_once() -> None:
    entered = threading.Event()
    release = threading.Event()
    running: list[int] = []
    most_at_once: list[int] = []

    def deliver() -> None:
        running.append(1)
        most_at_once.append(len(running))
        entered.set()
        assert release.wait(30)
        running.pop()

    debouncer = Debouncer(deliver, quiet_ms=0, scheduler=TimerScheduler())
    debouncer.notify()
    assert entered.wait(30)
    debouncer.notify()
    others = [threading.Thread(target=debouncer.flush) for _ in range(3)]
    for other in others:
        other.start()
    release.set()
    for other in others:
        other.join(30)
    debouncer.close()

    assert most_at_once == [1, 1]


@given(
    gaps=st.lists(st.integers(0, 700), min_size=1, max_size=40),
    quiet=st.integers(0, 200),
    extra=st.integers(0, 600),
)
def test_every_change_is_delivered_within_the_maximum_wait(gaps: list[int], quiet: int, extra: int) -> None:
    time = ManualTime()
    undelivered: list[float] = []
    ages: list[float] = []
    last_change = 0.0

    def deliver() -> None:
        ages.append(time.now - undelivered[0])
        assert time.now - last_change >= quiet or ages[-1] == quiet + extra
        undelivered.clear()

    debouncer = Debouncer(deliver, quiet_ms=quiet, max_wait_ms=quiet + extra, scheduler=time)
    for gap in gaps:
        time.advance_to(time.now + gap)
        last_change = time.now
        undelivered.append(time.now)
        debouncer.notify()
    time.advance_to(time.now + 10_000)

    assert undelivered == []
    assert max(ages) <= quiet + extra


def test_a_debouncer_without_changes_is_not_kept_alive() -> None:
    debouncer = Debouncer(lambda: None)
    gone = weakref.ref(debouncer)

    del debouncer
    gc.collect()

    assert gone() is None


def test_exit_delivers_for_every_open_debouncer(monkeypatch: pytest.MonkeyPatch, time: ManualTime) -> None:
    monkeypatch.setattr(debounce, "_open", weakref.WeakSet())
    delivered: list[str] = []
    first = Debouncer(lambda: delivered.append("first"), scheduler=time)
    second = Debouncer(lambda: delivered.append("second"), scheduler=time)
    first.notify()
    second.notify()

    debounce._close_all()

    assert sorted(delivered) == ["first", "second"]


def test_real_timers_run_on_daemon_threads() -> None:
    fired = threading.Event()
    is_daemon: list[bool] = []

    def call() -> None:
        is_daemon.append(threading.current_thread().daemon)
        fired.set()

    scheduler = TimerScheduler()
    before = scheduler.now_ms()
    scheduler.call_later(1, call)

    assert fired.wait(30)
    assert is_daemon == [True]
    assert scheduler.now_ms() >= before + 1


def test_a_change_just_before_the_process_ends_is_delivered() -> None:
    script = """
        from memory.debounce import Debouncer
        debouncer = Debouncer(lambda: print("delivered", flush=True))
        debouncer.notify()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )

    assert done.stdout == "delivered\n"
    assert done.stderr == ""
