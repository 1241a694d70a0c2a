"""A slice of the generated histories; ``python -m tests.fuzz`` runs as many as you like."""

import pytest

from tests.fuzz.compaction import run

SLICES = 8
PER_SLICE = 25


@pytest.mark.parametrize("number", range(SLICES))
def test_generated_histories_go_through_gate_and_ladder(number: int) -> None:
    first = number * PER_SLICE
    outcomes = [run(seed, exact=seed == first) for seed in range(first, first + PER_SLICE)]
    assert any(outcome.compacted for outcome in outcomes)
    assert sum(outcome.overflowed for outcome in outcomes) < PER_SLICE / 2
