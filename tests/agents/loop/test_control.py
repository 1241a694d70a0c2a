import threading

import pytest

from agents.loop.control import MAX_INJECTED, Control, InboxFull
from agents.loop.turn import TurnStopped


def test_nothing_is_cancelled_while_nothing_runs() -> None:
    control = Control()
    assert not control.cancel()
    with control.running():
        control.check_stop()
        assert control.is_running
    assert not control.is_running


def test_a_cancel_ends_this_run_and_not_the_next() -> None:
    control = Control()
    with control.running():
        assert control.cancel()
        with pytest.raises(TurnStopped):
            control.check_stop()
    with control.running():
        control.check_stop()


def test_a_run_that_failed_is_over() -> None:
    control = Control()
    with pytest.raises(ZeroDivisionError), control.running():
        raise ZeroDivisionError
    assert not control.is_running


def test_injected_messages_are_read_once_and_in_order() -> None:
    control = Control()
    control.inject("one")
    control.inject("two")
    assert control.read_inbox() == ["one", "two"]
    assert control.read_inbox() == []


def test_a_hundred_injected_messages_are_the_most() -> None:
    control = Control()
    for number in range(MAX_INJECTED):
        control.inject(str(number))
    with pytest.raises(InboxFull, match="100 messages wait"):
        control.inject("one too many")
    assert len(control.read_inbox()) == 100


@pytest.mark.parametrize("release", [Control.resume, Control.cancel])
def test_a_held_run_goes_on_when_resumed_or_cancelled(release: object) -> None:
    control, passed = Control(), threading.Event()

    def wait() -> None:
        control.hold()
        passed.set()

    control.pause()
    assert control.is_paused
    with control.running():
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not passed.is_set()
        release(control)  # type: ignore[operator]
        waiting.join(10)
    assert passed.is_set()


def test_nobody_is_held_without_a_pause() -> None:
    Control().hold()
