"""A page stays current and still while others write, whatever happens to its socket."""

import re
from itertools import pairwise

from playwright.sync_api import Page, expect

from tests.browser.conftest import IS_FULL, Visit, both_modes
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import SERVER_AWAY, Tab
from tests.conftest import Measured

WRITER = ["-m", "tests.browser.writer"]
# 200 changes at 20 a second; the short run has the pace of the worst case and fewer of them.
EVERY_MS, FOR_SECONDS = (50, 10) if IS_FULL else (25, 2)
# A machine under load may merge many changes into one frame; these are far fewer than even that gives.
MOST_WRITERS = 3
LEAST_FRAMES = 7 if IS_FULL else 3

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


def watch_ticker(product: Product, scene: Scene, visit: Visit) -> Tab:
    for key in ("ticker", "other", "third"):
        product.stage.do("write", session=scene.session, key=key, value="not yet")
    visitor = visit(scene.operator.cookie)
    visitor.expect_faults(SERVER_AWAY)
    tab = visitor.open(scene.path)
    expect(tab.connection).to_have_text("Live")
    return tab


def expect_last_value(product: Product, scene: Scene, tab: Tab) -> None:
    expect(tab.value("ticker")).to_have_text(
        str(product.stage.do("entries", session=scene.session)["ticker"])
    )


def ticks(tab: Tab) -> list[float]:
    """Return when frames with the ticker arrived, in seconds."""
    return [
        frame.at
        for frame in tab.frames_of("board")
        if any(card["key"] == "ticker" for card in frame.content["cards"])
    ]


def disturb(tab: Tab) -> None:
    """Type half a sentence, open a menu, and note from now on whatever moves."""
    box = tab.page.locator("#message")
    box.press_sequentially("half a sen")
    box.press("ArrowLeft")
    tab.card("other").locator("summary").first.evaluate("summary => { summary.parentElement.open = true; }")
    tab.page.evaluate(WATCH_SHIFTS)


def shifts(page: Page) -> list[tuple[float, list[str]]]:
    """Return what moved, once the browser has drawn everything that arrived."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: list[tuple[float, list[str]]] = page.evaluate("window.shifts")
    return found


@both_modes
def test_a_page_is_current_and_nobody_on_it_is_disturbed_while_a_writer_never_pauses(
    product: Product, scene: Scene, visit: Visit, measured: Measured
) -> None:
    tab = watch_ticker(product, scene, visit)
    disturb(tab)
    written = 0
    for _ in range(MOST_WRITERS):
        written += int(product.run(*WRITER, scene.session, "ticker", str(EVERY_MS), str(FOR_SECONDS)))
        expect_last_value(product, scene, tab)
        # A browser that the machine starves has few frames; the next writer finds it awake.
        if len(ticks(tab)) >= LEAST_FRAMES:
            break
    moved, arrived = shifts(tab.page), ticks(tab)
    assert len(arrived) >= LEAST_FRAMES
    gaps = sorted(1000 * (after - before) for before, after in pairwise(arrived))
    measured(
        f"{product.mode}: {written} changes in {FOR_SECONDS} s came in {len(arrived)} frames, largest gap "
        f"{gaps[-1]:.0f} ms, median {gaps[len(gaps) // 2]:.0f} ms; "
        f"layout shift {sum(value for value, _ in moved):g}"
    )
    assert moved == []
    box = tab.page.locator("#message")
    expect(box).to_be_focused()
    assert tab.card("other").locator("details.menu").evaluate("menu => menu.open")
    box.press_sequentially("t")
    expect(box).to_have_value("half a setn")

    product.stage.do("write", session=scene.session, key="third", value="changed")
    expect(tab.card("third")).to_have_class(re.compile("is-changed"))
    product.stage.do("remove", session=scene.session, key="third")
    expect(tab.card("third")).to_contain_text("Deleted")
    product.stage.do("fill_board", session=scene.session, count=19)
    expect(tab.page.locator("#dock-line")).to_contain_text("other")
    expect(tab.value("entry-18")).to_have_text("18")
    expect(tab.card("ticker")).not_to_have_class(re.compile("is-changed"))


def test_a_page_catches_up_after_its_servers_were_away(product: Product, scene: Scene, visit: Visit) -> None:
    product.stage.do("write", session=scene.session, key="hidden", value="pinned", shown=False)
    tab = watch_ticker(product, scene, visit)
    tab.pin_from_tray("hidden")
    expect(tab.value("hidden")).to_have_text("pinned")
    writer = product.background("writer", *WRITER, scene.session, "ticker", "30", "4")
    expect(tab.value("ticker")).to_have_text(re.compile(r"\d+"))
    for process in product.web:
        process.stop()
    expect(tab.connection).to_have_text(re.compile("^Reconnecting, try"))
    product.stage.do("write", session=scene.session, key="other", value="written while away")
    product.start_web()
    expect(tab.connection).to_have_text("Live")
    expect(tab.value("other")).to_have_text("written while away")
    writer.wait()
    expect_last_value(product, scene, tab)
    expect(tab.value("hidden")).to_have_text("pinned")
    assert tab.page.evaluate("performance.getEntriesByType('navigation').length") == 1
    assert product.stage.do("pins", name=scene.operator.name) == ["hidden"]
