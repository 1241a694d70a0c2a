"""A part of `make attack` for every run: all vectors, each through a few of the ways, and some mutants."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import sync_playwright

from tests.attack.lookout import Lookout, Verdict
from tests.attack.mutation import mutants
from tests.attack.vectors import VECTORS
from tests.attack.ways import CONTROLS, WAYS
from tests.browser.conftest import ARGUMENTS, CHROMIUM

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

WAYS_EACH = 2
MUTANTS = 250
# The controls show that this browser runs what it is given, which a few do.
CONTROLS_EVERY = 6


@pytest.fixture(scope="module")
def lookout() -> Iterator[Lookout]:
    if not CHROMIUM.exists():
        pytest.skip(f"Chromium is not installed at {CHROMIUM}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False)
        yield Lookout(browser)
        browser.close()


def expect_harmless(verdict: Verdict) -> None:
    assert (verdict.executed, verdict.foreign, sorted(set(verdict.faults))) == (0, [], [])


def test_there_are_enough_vectors() -> None:
    assert len(set(VECTORS)) >= 300


@pytest.mark.parametrize("name", CONTROLS)
def test_the_same_browser_runs_them_when_nobody_cleans_them(lookout: Lookout, name: str) -> None:
    verdict = lookout.judge(map(CONTROLS[name], VECTORS[::CONTROLS_EVERY]))
    assert verdict.executed > 0
    assert verdict.foreign
    assert verdict.faults


def test_no_vector_gets_through(lookout: Lookout) -> None:
    ways = list(WAYS.values())
    outputs = (
        ways[(number * WAYS_EACH + turn) % len(ways)](vector)
        for number, vector in enumerate(VECTORS)
        for turn in range(WAYS_EACH)
    )
    expect_harmless(lookout.judge(outputs))


def test_no_mutant_gets_through(lookout: Lookout) -> None:
    ways = list(WAYS.values())
    outputs = (ways[number % len(ways)](text) for number, text in enumerate(mutants(MUTANTS, seed=2)))
    expect_harmless(lookout.judge(outputs))
