import threading

import pytest

from agents.process_thread import ProcessThread

PATIENCE_S = 20.0


def test_a_round_that_fails_is_logged_and_the_next_one_follows(caplog: pytest.LogCaptureFixture) -> None:
    rounds: list[int] = []
    again = threading.Event()

    def work() -> None:
        rounds.append(len(rounds))
        if len(rounds) == 1:
            raise RuntimeError("no connection")
        again.set()

    thread = ProcessThread("stop-watch", 0.001, work)
    thread.go_on()
    assert again.wait(PATIENCE_S)
    thread.rest()
    assert "A round of stop-watch failed" in caplog.text
    assert "no connection" in caplog.text


def test_a_thread_that_rests_goes_on_when_there_is_work() -> None:
    done = threading.Event()
    thread = ProcessThread("draft-pump", 0.001, done.set)
    assert not done.is_set()
    for _ in range(2):
        thread.go_on()
        assert done.wait(PATIENCE_S)
        thread.rest()
        done.clear()
