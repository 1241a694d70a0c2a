"""Changes keys of a whiteboard again and again, in a process of its own; prints how often it did.

Started as ``python -m tests.browser.writer SESSION KEY[,KEY …] EVERY_MS FOR_SECONDS`` in a product's
environment.
"""

import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from uuid import UUID

import django

django.setup()

from memory.actors import Actor  # noqa: E402
from memory.bindings import change_board  # noqa: E402
from memory.plugins.whiteboard import InContextMemory, SetResult  # noqa: E402

WRITER = Actor.client("writer")


def tick(keys: Sequence[str], number: int, board: InContextMemory) -> list[SetResult]:
    # Shown whether or not they were on the board before.
    return [board.set(key, "A counter", number, None, True) for key in keys]


def main(session: str, keys: str, every_ms: str, for_seconds: str) -> None:
    pace, step = threading.Event(), int(every_ms) / 1000
    start = due = time.monotonic()
    number = 0
    while due - start < float(for_seconds):
        number += 1
        change_board(UUID(session), partial(tick, keys.split(","), number), actor=WRITER)
        # A write that took longer than the pace is not made up for: the next one keeps its distance.
        due = max(due + step, time.monotonic())
        pace.wait(due - time.monotonic())
    sys.stdout.write(f"{number}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
