"""Nothing moves, loses its focus or piles up while cards change."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import IS_FULL, Visit
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab
from tests.conftest import Measured

WRITER = ["-m", "tests.browser.writer"]
EVERY_MS, FOR_SECONDS = 50, 10
MOST_GROWTH = 1.1

WATCH_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const moved = sources.map(({ node, previousRect: a, currentRect: b }) =>
        `${(node?.outerHTML ?? node?.textContent ?? "").slice(0, 80)} ${a.x},${a.y} to ${b.x},${b.y}`);
      window.shifts.push([value, moved]);
    }
  }).observe({ type: "layout-shift", buffered: false });
}"""


def watch(product: Product, scene: Scene, visit: Visit) -> Tab:
    for key in ("ticker", "other", "third"):
        product.stage.do("write", session=scene.session, key=key, value="not yet")
    tab = visit(scene.operator.cookie).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    return tab


def test_nothing_shifts_and_nobody_is_disturbed_by_two_hundred_changes(
    product: Product, scene: Scene, visit: Visit, measured: Measured
) -> None:
    tab = watch(product, scene, visit)
    page = tab.page
    box = page.locator("#message")
    box.press_sequentially("half a sen")
    tab.card("other").locator("summary").first.evaluate("summary => { summary.parentElement.open = true; }")
    page.evaluate(WATCH_SHIFTS)
    written = product.run(*WRITER, scene.session, "ticker", str(EVERY_MS), str(FOR_SECONDS)).strip()
    expect(tab.value("ticker")).to_have_text(
        str(product.stage.do("entries", session=scene.session)["ticker"])
    )
    shifts = page.evaluate("window.shifts")
    total = sum(value for value, _ in shifts)
    measured(f"{product.mode}: layout shift {total:g} while {written} changes arrived in {FOR_SECONDS} s")
    assert shifts == []
    expect(box).to_be_focused()
    expect(box).to_have_value("half a sen")
    assert tab.card("other").locator("details.menu").evaluate("menu => menu.open")


@pytest.mark.skipif(not IS_FULL, reason="takes minutes; `make browser` runs it")
@pytest.mark.timeout(900)
def test_memory_and_nodes_do_not_grow_with_the_changes(
    product: Product, scene: Scene, visit: Visit, measured: Measured
) -> None:
    tab = watch(product, scene, visit)
    early = sizes_after(product, scene, tab, 1_000)
    late = sizes_after(product, scene, tab, 4_000)
    growth = {name: late[name] / early[name] for name in early}
    measured(
        f"{product.mode}: heap times {growth['heap']:.3f}, nodes times {growth['nodes']:.3f} at 5,000 changes"
    )
    assert max(growth.values()) <= MOST_GROWTH


def sizes_after(product: Product, scene: Scene, tab: Tab, changes: int) -> dict[str, float]:
    product.run(*WRITER, scene.session, "ticker", "20", str(changes * 0.02))
    expect(tab.value("ticker")).to_have_text(
        str(product.stage.do("entries", session=scene.session)["ticker"])
    )
    return sizes(tab.page)


def sizes(page: Page) -> dict[str, float]:
    wire = page.context.new_cdp_session(page)
    wire.send("HeapProfiler.enable")
    wire.send("HeapProfiler.collectGarbage")
    wire.send("Performance.enable")
    told = {each["name"]: float(each["value"]) for each in wire.send("Performance.getMetrics")["metrics"]}
    wire.detach()
    return {"heap": told["JSHeapUsedSize"], "nodes": told["Nodes"]}
