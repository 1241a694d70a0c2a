from collections.abc import Callable


class ManualTime:
    """A scheduler whose time moves only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self._calls: list[tuple[float, Callable[[], None]]] = []

    def now_ms(self) -> float:
        return self.now

    def call_later(self, delay_ms: float, call: Callable[[], None]) -> None:
        assert delay_ms >= 0
        self._calls.append((self.now + delay_ms, call))

    @property
    def waiting(self) -> int:
        return len(self._calls)

    def advance_to(self, moment: float) -> None:
        while self._calls and min(due for due, _ in self._calls) <= moment:
            due, call = min(self._calls, key=lambda planned: planned[0])
            self._calls.remove((due, call))
            self.now = max(self.now, due)
            call()
        self.now = moment
