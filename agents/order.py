"""In which order the turns of a process are read from rows and written to them, and how many at once."""

import heapq
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from itertools import count

# The interpreter runs one thread at a time. With more at once all of them would ask their models late,
# instead of one after the other, and the thread that talks to the models would wait for each of them; two
# are enough to read rows while another one computes.
PLACES = 2


class Step(IntEnum):
    """What a turn is about to do with rows: what leads to its model comes first, as models take longest.

    ``STORE`` writes down an answer, which may free a thread for the next turn; ``RECORD`` a request that has
    left, for which there is time while the model works.
    """

    OPEN = 0
    TAKE = 1
    STORE = 2
    RECORD = 3


class Order:
    """Lets the first few through and the others wait: by their step, then by when they came."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[Step, int, threading.Event]] = []
        self._came = count()
        self._lock = threading.Lock()
        self._held = threading.local()

    @contextmanager
    def place(self, step: Step) -> Iterator[None]:
        """Hold a place for as long as the block takes; waiting for a model or a tool has none in it.

        Inside another such block of the same thread nothing is waited for.
        """
        if getattr(self._held, "is_held", False):
            yield
            return
        self._enter(step)
        self._held.is_held = True
        try:
            yield
        finally:
            self._held.is_held = False
            self._leave()

    def _enter(self, step: Step) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            called = threading.Event()
            heapq.heappush(self._waiting, (step, next(self._came), called))
        called.wait()

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                heapq.heappop(self._waiting)[2].set()
            else:
                self._free += 1


order = Order(PLACES)
