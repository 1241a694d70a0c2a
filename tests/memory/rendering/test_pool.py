"""Who waits for whom when texts are slow."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from memory.rendering.cards import CardHTML
from memory.rendering.child import RenderChild
from memory.rendering.pool import MOST_PROCESSES, RenderPool
from memory.rendering.sanitize import SafeHTML

PATIENCE_S = 20.0


class Child(RenderChild):
    """Renders a text at once, the text ``slow`` when it is told to, and the text ``broken`` never."""

    def __init__(self, go_on: threading.Event, begun: threading.Semaphore) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._go_on, self._begun = go_on, begun

    def render_markdown(self, text: str, card_id: str) -> CardHTML:
        self.texts.append(text)
        self._begun.release()
        if text == "slow":
            assert self._go_on.wait(PATIENCE_S)
        if text == "broken":
            raise RuntimeError("no more memory")
        return CardHTML(SafeHTML(text))


class Stage:
    """A pool whose slow texts take until ``go_on`` is set."""

    def __init__(self) -> None:
        self.go_on, self.begun = threading.Event(), threading.Semaphore(0)
        self.children: list[Child] = []
        self.pool = RenderPool(self._child)
        self._threads = ThreadPoolExecutor()

    def ask(self, text: str, owner: str) -> Future[CardHTML]:
        return self._threads.submit(self.pool.render_markdown, text, "m-1", owner)

    def _child(self) -> Child:
        self.children.append(Child(self.go_on, self.begun))
        return self.children[-1]


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_a_slow_text_holds_up_its_owner_and_nobody_else(stage: Stage) -> None:
    slow = stage.ask("slow", "one")
    assert stage.begun.acquire(timeout=PATIENCE_S)
    behind = stage.ask("quick", "one")
    assert stage.ask("quick", "two").result(PATIENCE_S).html == "quick"
    assert not behind.done()
    stage.go_on.set()
    assert [each.result(PATIENCE_S).html for each in (slow, behind)] == ["slow", "quick"]


def test_owners_that_are_slow_at_once_let_the_next_one_wait(stage: Stage) -> None:
    slow = [stage.ask("slow", f"owner {number}") for number in range(MOST_PROCESSES)]
    for _ in slow:
        assert stage.begun.acquire(timeout=PATIENCE_S)
    behind = stage.ask("quick", "another")
    assert not behind.done()
    stage.go_on.set()
    assert behind.result(PATIENCE_S).html == "quick"


def test_one_process_is_enough_while_nobody_is_slow(stage: Stage) -> None:
    for number in range(3):
        stage.ask("quick", f"owner {number}").result(PATIENCE_S)
    assert sorted(len(child.texts) for child in stage.children) == [0, 3]


def test_an_owner_whose_text_failed_is_served_again(stage: Stage) -> None:
    with pytest.raises(RuntimeError):
        stage.ask("broken", "one").result(PATIENCE_S)
    assert stage.ask("quick", "one").result(PATIENCE_S).html == "quick"


def test_a_closed_pool_shows_sources() -> None:
    pool = RenderPool(RenderChild)
    pool.close()
    assert pool.render('"x"', "card", "one").error == "Shown as text: rendering has been shut down."
