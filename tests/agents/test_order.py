import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from agents.order import Order, Step

PATIENCE_S = 10


class Crowd:
    """Threads that want a place, and what they did in the order they did it."""

    def __init__(self, order: Order, pool: ThreadPoolExecutor) -> None:
        self.order, self.done = order, list[str]()
        self._pool = pool

    def come(self, name: str, step: Step) -> "Future[None]":
        """Return once the thread waits or is through."""
        waiting = len(self.order._waiting)
        future = self._pool.submit(self._do, name, step)
        while len(self.order._waiting) == waiting and not future.done():
            threading.Event().wait(0.001)
        return future

    def _do(self, name: str, step: Step) -> None:
        with self.order.place(step):
            self.done.append(name)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


def test_what_leads_to_a_model_comes_first_and_then_who_came_first(
    pool: ThreadPoolExecutor,
) -> None:
    crowd = Crowd(Order(1), pool)
    with crowd.order.place(Step.TAKE):
        comers = [
            crowd.come(name, step)
            for name, step in [
                ("stores", Step.STORE),
                ("takes", Step.TAKE),
                ("takes later", Step.TAKE),
                ("records", Step.RECORD),
                ("opens", Step.OPEN),
            ]
        ]
        assert crowd.done == []
    for each in comers:
        each.result(PATIENCE_S)
    assert crowd.done == ["opens", "takes", "takes later", "stores", "records"]


def test_as_many_as_there_are_places_go_at_once(pool: ThreadPoolExecutor) -> None:
    order, together = Order(3), threading.Barrier(3)

    def meet() -> None:
        with order.place(Step.TAKE):
            together.wait(PATIENCE_S)

    for each in [pool.submit(meet) for _ in range(9)]:
        each.result(PATIENCE_S)


def test_a_place_within_a_place_is_not_waited_for(pool: ThreadPoolExecutor) -> None:
    crowd = Crowd(Order(1), pool)
    with crowd.order.place(Step.STORE):
        with crowd.order.place(Step.RECORD):
            pass
        # The inner block gave nothing back.
        comer = crowd.come("later", Step.RECORD)
        assert not comer.done()
    comer.result(PATIENCE_S)


def test_a_fault_gives_the_place_back(pool: ThreadPoolExecutor) -> None:
    crowd = Crowd(Order(1), pool)
    with pytest.raises(ZeroDivisionError), crowd.order.place(Step.TAKE):
        raise ZeroDivisionError
    with crowd.order.place(Step.TAKE):
        pass
    crowd.come("next", Step.STORE).result(PATIENCE_S)
    assert crowd.done == ["next"]
