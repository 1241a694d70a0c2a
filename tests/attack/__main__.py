"""The whole attack, for `make attack`: slow texts, every vector every way, mutants in random ways."""

import itertools
import random
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing import Pool

from playwright.sync_api import sync_playwright

from memory.rendering.child import RenderChild
from tests.attack.generators import markdown_texts, value_texts
from tests.attack.lookout import Lookout, Verdict
from tests.attack.mutation import mutants
from tests.attack.vectors import VECTORS
from tests.attack.ways import CONTROLS, WAYS, every_way
from tests.browser.conftest import ARGUMENTS, CHROMIUM

PROCESSES = 2


def main(number: int, seed: int) -> None:
    _endure()
    with sync_playwright() as playwright, Pool(PROCESSES) as pool:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False)
        lookout = Lookout(browser)
        controls = [_report(lookout, f"control, {name}", map(way, VECTORS)) for name, way in CONTROLS.items()]
        outputs = itertools.chain.from_iterable(pool.imap(_all, VECTORS, chunksize=4))
        verdicts = [_report(lookout, f"{len(VECTORS)} vectors, {len(WAYS)} ways", outputs)]
        fuzzed = pool.imap(_one, enumerate(mutants(number, seed)), chunksize=50)
        verdicts.append(_report(lookout, f"{number:,} mutants, seed {seed}", fuzzed))
        browser.close()
    if not all(control.executed for control in controls):
        raise SystemExit("The controls executed nothing: this attack proves nothing.")
    if any(verdict.executed or verdict.foreign or verdict.faults for verdict in verdicts):
        raise SystemExit("Something got through.")


def _report(lookout: Lookout, name: str, outputs: Iterable[str]) -> Verdict:
    begin = time.monotonic()
    verdict = lookout.judge(outputs)
    sys.stdout.write(f"{name}: {verdict} ({time.monotonic() - begin:.0f} s)\n")
    for fault in sorted(set(verdict.faults))[:5] if "control" not in name else ():
        sys.stdout.write(f"  {fault[:100]!r}\n")
    sys.stdout.flush()
    return verdict


def _endure() -> None:
    """Render what is slow, one text after the other, in the process that is killed after its time."""
    child = RenderChild()
    taken: list[tuple[float, str]] = []
    refused = killed = 0
    cases = [(child.render_markdown, case) for case in markdown_texts()]
    for render, (name, text) in [*cases, *((child.render, case) for case in value_texts())]:
        begin = time.monotonic()
        card = render(text, "card")
        taken.append((time.monotonic() - begin, name))
        refused += card.error is not None and card.lasting
        killed += not card.lasting
        if child.render("1", "card").error is not None:
            raise SystemExit(f"The card after {name!r} was not rendered.")
    child.close()
    slowest = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in sorted(taken, reverse=True)[:4])
    sys.stdout.write(
        f"{len(taken)} slow texts: {refused} shown as text, {killed} killed, every next card right; "
        f"slowest: {slowest}\n"
    )


def _all(vector: str) -> list[str]:
    return list(every_way(vector))


def _one(numbered: tuple[int, str]) -> str:
    number, text = numbered
    return random.Random(number).choice(list(WAYS.values()))(text)


def _numbers(words: list[str]) -> Iterator[int]:
    yield from map(int, [*words, *["50000", "1"][len(words) :]])


if __name__ == "__main__":
    main(*_numbers(sys.argv[1:]))
