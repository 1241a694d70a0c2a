"""Nothing piles up on a page that stays open for thousands of changes."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab
from tests.conftest import Measured

KEYS = ("ticker", *(f"card-{number}" for number in range(14)))
# Slower than frames come, so that nearly every change is an update of its own.
EVERY_MS = 250
EARLY, LATE = 1_000, 5_000
MOST_GROWTH = 1.1

pytestmark = [either_mode, pytest.mark.long, pytest.mark.timeout(900)]


def test_memory_and_nodes_do_not_grow_with_the_changes(
    product: Product, scene: Scene, visit: Visit, measured: Measured
) -> None:
    tab = visit(scene.operator.cookie).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    early = sizes_after(product, scene, tab, EARLY)
    late = sizes_after(product, scene, tab, LATE)
    growth = {name: late[name] / early[name] for name in early}
    measured(
        f"{product.mode}: heap {late['heap'] / 1e6:.1f} MB and {late['nodes']:.0f} nodes after {LATE:,} "
        f"updates, {growth['heap']:.3f} and {growth['nodes']:.3f} times those after {EARLY:,}"
    )
    assert max(growth.values()) <= MOST_GROWTH


def sizes_after(product: Product, scene: Scene, tab: Tab, updates: int) -> dict[str, float]:
    """Return heap and nodes once the page has received so many card updates in all."""
    while (missing := updates - received(tab)) > 0:
        seconds = max(1.0, missing / len(KEYS) * EVERY_MS / 1000)
        product.run("-m", "tests.browser.writer", scene.session, ",".join(KEYS), str(EVERY_MS), str(seconds))
        last = str(product.stage.do("entries", session=scene.session)["ticker"])
        expect(tab.value("ticker")).to_have_text(last)
    return sizes(tab.page)


def received(tab: Tab) -> int:
    return sum(len(frame.content["cards"]) for frame in tab.frames_of("board"))


def sizes(page: Page) -> dict[str, float]:
    """Return the bytes and nodes that are left after a collection."""
    wire = page.context.new_cdp_session(page)
    wire.send("HeapProfiler.enable")
    wire.send("HeapProfiler.collectGarbage")
    wire.send("Performance.enable")
    told = {each["name"]: float(each["value"]) for each in wire.send("Performance.getMetrics")["metrics"]}
    wire.detach()
    return {"heap": told["JSHeapUsedSize"], "nodes": told["Nodes"]}
