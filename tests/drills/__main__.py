"""Runs every drill and prints what came of it: ``python -m tests.drills [name …]``."""

import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.product import Product, environment_of, running
from tests.drills.services import Postgres, Redis, missing

# Where tests.drills.steps lets the worker die.
STEPS = (
    *("turn taken", "context opened", "input stored", "request sent", "call recorded", "reply stored"),
    *("tool begun", "results stored", "half of the answer", "answer stored", "before the end", "turn ended"),
)
RANDOM_KILLS = 20
# As in tests.drills.steps.
KEYS = 15
TURN_S = 1.5
AWAY_S = 2.0
PATIENCE_S = 90
LOOK_S = 0.1
MOST_DIFFERENCES = 12
SEAM = "between the cards and the conversation"
FINISHED = {"succeeded", "failed", "cancelled"}


@dataclass
class Ground:
    """What is drilled, and a page that is open all the time."""

    product: Product
    postgres: Postgres
    redis: Redis
    session: str
    page: Page
    cookie: str

    def do(self, command: str, **more: Any) -> Any:
        return self.product.stage.do(command, session=self.session, **more)


@dataclass(frozen=True)
class Outcome:
    """What came of a drill.

    Attributes:
        problem: what is wrong; empty when nothing is.
        over_s: from the harm to the end of the turn.
        shown_s: from there until the page that was open shows what a new one shows, which is loaded first.
    """

    problem: str
    over_s: float
    shown_s: float

    def line(self, name: str) -> str:
        times = f"turn over after {self.over_s:5.1f} s, shown after {self.shown_s:4.1f} s"
        return f"{self.problem or 'fine':<8} {times}  {name}"


@contextmanager
def ground() -> Iterator[Ground]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        folder.chmod(0o755)
        postgres, redis = Postgres(folder), Redis(folder)
        for service in (postgres, redis):
            stack.callback(service.kill)
            service.start()
        environment = environment_of(folder, folder) | {
            "DATABASE_URL": postgres.url,
            "REDIS_URL": redis.url,
            "DJANGO_SETTINGS_MODULE": "tests.drills.settings",
        }
        product = stack.enter_context(running(Product("scaled", folder, environment)))
        scene = product.stage.do("scene", model="drill:x")
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False)
        stack.callback(browser.close)
        cookie = scene["operator"]["cookie"]
        page = _open(browser.new_context(), product, scene["session"], cookie)
        yield Ground(product, postgres, redis, scene["session"], page, cookie)


def main(wanted: list[str]) -> None:
    if missing() or not CHROMIUM.exists():
        raise SystemExit(f"Drills need {', '.join(missing()) or 'Chromium'}.")
    # Whoever ends the drills ends their servers with them.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    failures = 0
    with ground() as here:
        for name, harm in _drills():
            if wanted and not any(each in name for each in wanted):
                continue
            outcome = _drill(here, harm)
            failures += bool(outcome.problem)
            print(outcome.line(name), flush=True)
    raise SystemExit(1 if failures else 0)


def _drills() -> Iterator[tuple[str, Callable[[Ground], None]]]:
    for step in STEPS:
        yield f"kill -9 of the worker: {step}", partial(_die_at, step)
    chance = random.Random(4711)
    for number in range(1, RANDOM_KILLS + 1):
        instant = chance.uniform(0, TURN_S)
        yield (
            f"kill -9 of the worker: instant {number}, after {instant:.2f} s",
            partial(_die_after, instant),
        )
    yield "restart of Redis", lambda here: _restart(here, here.redis)
    yield "restart of PostgreSQL", lambda here: _restart(here, here.postgres)
    yield "restart of the web processes", _restart_web


def _drill(here: Ground, harm: Callable[[Ground], None]) -> Outcome:
    """Return what came of a turn in which the harm was done."""
    before = here.do("entries")
    turns = len(here.do("turns"))
    harm(here)
    begin = time.monotonic()
    status = _wait_for_end(here)
    if status == "failed":
        here.do("retry")
        status = _wait_for_end(here)
    over = time.monotonic()
    problems = [] if status == "succeeded" else [f"the turn is {status}"]
    if len(here.do("turns")) != turns + 1:
        problems.append("a turn is lost or doubled")
    after = here.do("entries")
    problems += [f"the entry {key} is lost" for key in before if key not in after]
    if after.get(f"turn-{(turns + 1) % KEYS}") != turns + 1:
        problems.append("the turn's entry is lost")
    violations = here.product.folder / "violations"
    if violations.exists():
        problems.append(violations.read_text().strip())
        violations.unlink()
    problems += _differences(here)
    return Outcome("; ".join(problems), over - begin, time.monotonic() - over)


def _wait_for_end(here: Ground) -> str:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        status = str(here.do("turns")[-1])
        if status in FINISHED:
            return status
        if here.product.workers[0].has_ended():
            here.product.workers[0].start()
        time.sleep(LOOK_S)
    return f"still {status}"


def _differences(here: Ground) -> list[str]:
    """Return how the page that was open differs from one that is loaded now, once it had time to follow."""
    assert here.page.context.browser is not None
    context = here.page.context.browser.new_context()
    fresh = _open(context, here.product, here.session, here.cookie)
    wanted = _content(fresh)
    context.close()
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        # The page that was open keeps the lines that a fresh one leaves to a page of earlier messages.
        shown = _content(here.page)
        seam = shown.index(SEAM) + 1
        spoken = wanted[wanted.index(SEAM) + 1 :]
        if shown[:seam] + shown[seam:][-len(spoken) :] == wanted:
            return []
        here.page.wait_for_timeout(100)
    compared = unified_diff(wanted, shown, "new page", "open page", n=0, lineterm="")
    return [f"the page differs: {list(compared)[2 : 2 + MOST_DIFFERENCES]}"]


def _content(page: Page) -> list[str]:
    spoken = page.locator(".turn__body, #turn-state").all_inner_texts()
    # A page that is open shows new cards last, whatever their rank.
    cards = page.locator(".card").all_inner_texts()
    return [" ".join(line.split()) for line in [*sorted(map(_ageless, cards)), SEAM, *spoken]]


def _ageless(card: str) -> str:
    """Return what a card says without its age, and without the mark of a change that was just seen."""
    seen = re.sub(r"\+\d+\s+\u2212\d+\s+lines in the last change, open history", "", card)
    return re.sub(r"\bnow$|\d+\s(s|min)\sago$", "", seen.strip())


def _open(context: Any, product: Product, session: str, cookie: str) -> Page:
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": product.urls[0]}])
    page: Page = context.new_page()
    page.goto(f"{product.urls[0]}/sessions/{session}/")
    return page


def _die_at(step: str, here: Ground) -> None:
    (here.product.folder / "last-step").write_text(step)
    here.do("submit", text="Go on.")
    end = time.monotonic() + PATIENCE_S
    while not here.product.workers[0].has_ended() and time.monotonic() < end:
        time.sleep(LOOK_S)
    if not here.product.workers[0].has_ended():
        raise SystemExit(f"The worker never came to {step!r}.\n{here.product.logs()}")


def _die_after(instant: float, here: Ground) -> None:
    here.do("submit", text="Go on.")
    time.sleep(instant)
    here.product.workers[0].kill()


def _restart(here: Ground, service: Postgres | Redis) -> None:
    here.do("submit", text="Go on.")
    time.sleep(TURN_S / 2)
    service.kill()
    time.sleep(AWAY_S)
    service.start()


def _restart_web(here: Ground) -> None:
    here.do("submit", text="Go on.")
    here.product.restart_web()


if __name__ == "__main__":
    main(sys.argv[1:])
