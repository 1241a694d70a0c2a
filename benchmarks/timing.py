"""Takes times and prints them as tables."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")
Timed = Callable[[], float]
"""Does its work once and returns the seconds it took."""


def timed(
    prepare: Callable[[], T], work: Callable[[T], object], clock: Callable[[], float] = time.perf_counter
) -> Timed:
    """Return a measurement of ``work``; what it needs is made anew each time and not measured.

    ``time.process_time`` as clock leaves out what the machine did meanwhile for others, and waiting.
    """

    def once() -> float:
        given = prepare()
        begin = clock()
        work(given)
        return clock() - begin

    return once


def medians_ms(measurements: Mapping[str, Timed], rounds: int) -> dict[str, float]:
    """Return the median of each in milliseconds.

    Every round takes each of them once, so that a slow moment of the machine meets all alike. A first round
    warms up and does not count.
    """
    taken: dict[str, list[float]] = {name: [] for name in measurements}
    for turn in range(rounds + 1):
        for name, measurement in measurements.items():
            seconds = measurement()
            if turn:
                taken[name].append(seconds * 1000)
    return {name: statistics.median(values) for name, values in taken.items()}


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print columns as wide as they need, numbers to the right; a float gets three digits that matter."""
    cells = [list(head), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return str(value)
