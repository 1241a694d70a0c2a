import re
import time

from agents.context.ids import new_id, wall_clock
from tests.agents.context.cast import START_MS, StoppedClock


def test_the_wall_clock_gives_epoch_milliseconds() -> None:
    before = time.time() * 1000 - 1
    assert before <= wall_clock() <= time.time() * 1000 + 1


def test_an_id_is_the_time_and_seven_random_characters() -> None:
    made = new_id(StoppedClock())
    assert re.fullmatch(rf"{START_MS}_[0-9a-z]{{7}}", made)


def test_ids_of_the_same_moment_differ() -> None:
    clock = StoppedClock()
    assert len({new_id(clock) for _ in range(2_000)}) == 2_000
