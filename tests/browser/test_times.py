"""How soon large pages can be used, in a browser: measured and shown, never asserted."""

from statistics import median

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.conftest import Measured

ROUNDS = 7
SESSIONS, MESSAGES, CARDS = 1_000, 10_000, 20
# When the page can be used, in ms since the navigation began, and when its socket was open.
INTERACTIVE = "performance.getEntriesByType('navigation')[0].domInteractive"
SINCE_START = "performance.now()"

pytestmark = [either_mode, pytest.mark.long]


def test_large_pages_are_measured(product: Product, scene: Scene, visit: Visit, measured: Measured) -> None:
    small = product.stage.do("new_session", agent=scene.agent)
    product.stage.do("fill_conversation", session=small, count=100)
    product.stage.do("fill_conversation", session=scene.session, count=MESSAGES)
    for session in (small, scene.session):
        product.stage.do("fill_board", session=session, count=CARDS)
    product.stage.do("fill_fleet", agent=scene.agent, count=SESSIONS)
    pages = {
        f"a fleet of {SESSIONS:,} sessions": "/",
        "a session of 100 messages": f"/sessions/{small}/",
        f"a session of {MESSAGES:,} messages": scene.path,
    }
    tab = visit(scene.operator.cookie).open("/")
    for name, path in pages.items():
        interactive, live = [], []
        for _ in range(ROUNDS):
            tab.page.goto(product.urls[0] + path)
            expect(tab.connection).to_have_text("Live")
            live.append(float(tab.page.evaluate(SINCE_START)))
            interactive.append(float(tab.page.evaluate(INTERACTIVE)))
        measured(
            f"{product.mode}: {name} is interactive after {median(interactive):.0f} ms and live after "
            f"{median(live):.0f} ms, medians of {ROUNDS}"
        )
