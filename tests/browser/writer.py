"""Changes one key of a whiteboard again and again, in a process of its own; prints how often it did.

Started as ``python -m tests.browser.writer SESSION KEY EVERY_MS FOR_SECONDS`` in a product's environment.
"""

import sys
import threading
import time
from functools import partial
from uuid import UUID

import django

django.setup()

from memory.actors import Actor  # noqa: E402
from memory.bindings import change_board  # noqa: E402
from memory.plugins.whiteboard import InContextMemory, SetResult  # noqa: E402

WRITER = Actor.client("writer")


def tick(key: str, number: int, board: InContextMemory) -> SetResult:
    return board.set(key, "A counter", number)


def main(session: str, key: str, every_ms: str, for_seconds: str) -> None:
    pace, step = threading.Event(), int(every_ms) / 1000
    start = due = time.monotonic()
    number = 0
    while due - start < float(for_seconds):
        number += 1
        change_board(UUID(session), partial(tick, key, number), actor=WRITER)
        # A write that took longer than the pace is not made up for: the next one keeps its distance.
        due = max(due + step, time.monotonic())
        pace.wait(due - time.monotonic())
    sys.stdout.write(f"{number}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
