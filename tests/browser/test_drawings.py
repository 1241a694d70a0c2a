"""Diagrams, charts and mind maps are drawn in view, follow their source, and do no harm."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Locator, Page, expect

from memory.bundles import KINDS, bundle_url
from tests.browser import drawings
from tests.browser.conftest import IS_FULL, Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Screen, Tab
from tests.conftest import Measured
from tests.gallery import CHARTS, DIAGRAMS

pytestmark = [
    either_mode,
    pytest.mark.skipif(
        not all(bundle_url(f"{kind}.js") for kind in KINDS),
        reason="the bundles were not built: make build/bundles/math.css",
    ),
]

# What stops a hostile drawing is the frame's policy, and the browser says so.
STOPPED = r"Content Security Policy|Content-Security-Policy|net::ERR_BLOCKED_BY_CSP"
# The page's own limit, or less of the tester's time.
LIMIT_S = 8 if IS_FULL else 1
PICTURE = ".md-widget-out img.md-picture"


def write(product: Product, scene: Scene, key: str, kind: str, source: str) -> None:
    value = f"```{kind}\n{source}\n```"
    product.stage.do("write", session=scene.session, key=key, value=value, priority="high")


def open_page(visit: Visit, scene: Scene) -> Tab:
    tab = visit(scene.operator.cookie).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    return tab


class Elsewhere:
    """Another site, which counts who asks it for anything."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    site = Elsewhere()
    yield site
    site.close()


def test_drawings_are_drawn_and_follow_their_source_and_the_theme(
    product: Product, scene: Scene, visit: Visit
) -> None:
    for kind, source in (
        ("mermaid", drawings.MERMAID),
        ("vega-lite", drawings.CHART),
        ("markmap", drawings.MIND_MAP),
    ):
        write(product, scene, kind, kind, source)
    write(product, scene, "mistake", "mermaid", "flowchart TD\n A[ --> B")
    tab = open_page(visit, scene)
    for kind in KINDS:
        expect_drawn(tab.card(kind))
        expect_all_in_view_where_it_was_expected(tab, kind)
    expect_reason(tab.card("mistake"))
    expect_kept_while_the_rest_changes(product, scene, tab)
    expect_followed(product, scene, tab)
    expect_drawn_anew_in_the_dark(tab)


def expect_drawn(card: Locator) -> None:
    """Wait for the picture above the folded source."""
    card.scroll_into_view_if_needed()
    expect(card.locator(PICTURE)).to_have_count(1)
    assert card.locator(PICTURE).evaluate("image => image.decode().then(() => image.naturalWidth > 40)")
    expect(card.locator("details").first).not_to_have_attribute("open", "")


def expect_all_in_view_where_it_was_expected(tab: Tab, key: str) -> None:
    picture = tab.card(key).locator(PICTURE).bounding_box()
    value = tab.value(key).bounding_box()
    assert picture is not None
    assert value is not None
    assert picture["y"] >= value["y"]
    assert picture["y"] + picture["height"] <= value["y"] + value["height"]
    # The place is as high as before, so nothing below it moved.
    place = tab.card(key).locator(".md-widget-out")
    assert place.evaluate("place => place.offsetHeight === parseFloat(getComputedStyle(place).minBlockSize)")


def expect_reason(card: Locator) -> None:
    card.scroll_into_view_if_needed()
    expect(card.locator(".md-widget-out .notice")).to_contain_text("Diagram not drawn: ")
    expect(card.locator("details[open] pre")).to_contain_text("A[ --> B")


def expect_kept_while_the_rest_changes(product: Product, scene: Scene, tab: Tab) -> None:
    # Only what is in view is drawn.
    tab.card("mermaid").scroll_into_view_if_needed()
    picture = tab.card("mermaid").locator(PICTURE)
    picture.evaluate("image => { image.dataset.first = 1 }")
    value = f"```mermaid\n{drawings.MERMAID}\n```\n\nand a line"
    product.stage.do("write", session=scene.session, key="mermaid", value=value)
    expect(tab.value("mermaid").get_by_text("and a line")).to_be_visible()
    expect(picture).to_have_attribute("data-first", "1")


def expect_followed(product: Product, scene: Scene, tab: Tab) -> None:
    write(product, scene, "mermaid", "mermaid", "flowchart TD\n A --> C[Other]")
    expect(tab.card("mermaid").locator(f"{PICTURE}:not([data-first])")).to_have_count(1)


def expect_drawn_anew_in_the_dark(tab: Tab) -> None:
    picture = tab.card("mermaid").locator(PICTURE)
    light = picture.get_attribute("src")
    tab.page.evaluate(
        "const dark = document.querySelector('#theme-dark'); dark.checked = true;"
        "dark.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    expect(picture).not_to_have_attribute("src", light or "")


def test_a_wide_drawing_stays_legible_and_one_too_wide_says_so(
    product: Product, scene: Scene, visit: Visit
) -> None:
    write(product, scene, "chain", "mermaid", drawings.WIDE_MERMAID)
    write(product, scene, "endless", "markmap", drawings.ENDLESS_MIND_MAP)
    tab = open_page(visit, scene)
    expect_drawn(tab.card("chain"))
    expect_a_box_that_scrolls(tab)
    endless = tab.card("endless")
    endless.scroll_into_view_if_needed()
    expect(endless.locator(".md-widget-out .notice")).to_have_text("Mind map not drawn: too wide to draw")
    expect(endless.locator("details[open] .md-outline")).to_be_visible()


def expect_a_box_that_scrolls(tab: Tab) -> None:
    shown, whole = tab.card("chain").locator(PICTURE).evaluate("i => [i.clientWidth, i.naturalWidth]")
    assert shown >= 0.6 * whole
    box = tab.card("chain").locator(".md-widget-out").get_by_role("group", name="Diagram", exact=True)
    box.focus()
    tab.page.keyboard.press("End")
    tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())
    assert box.evaluate("box => box.clientWidth <= box.closest('.card__body').clientWidth")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


HOSTILE = [
    ("mermaid", drawings.HOSTILE_MERMAID),
    ("vega-lite", drawings.HOSTILE_CHARTS),
    ("markmap", drawings.HOSTILE_MIND_MAPS),
]
# Draws one source after the other by the page's own frame, and loads every picture into an image.
DRAW_ALL = """async ([address, sources, limitMs]) => {
  const { Frame } = await import(address.frame);
  const { palette } = await import(address.palette);
  const frame = new Frame(address.document);
  const ends = [];
  for (const source of sources) {
    // A frame that must start first has all the time.
    const started = document.querySelector(`.frame-host[src="${address.document}"]`);
    frame.limitMs = started && limitMs ? limitMs : 8000;
    try {
      const { svg } = await frame.draw(source, palette());
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      document.body.append(image);
      await image.decode();
      ends.push("drawn");
    } catch (error) { ends.push(String(error.message ?? error)); }
  }
  return ends;
}"""


GAPS = """() => {
  window.largestGap = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    window.largestGap = Math.max(window.largestGap, now - last);
    last = now;
  }, 10);
}"""


def address_of(page: Page, kind: str) -> dict[str, str]:
    """Return where the page has its modules and its frame of that kind."""
    names = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    modules = {name: next(url for url in names if f"/js/{name}." in url) for name in ("frame", "palette")}
    return modules | {"document": f"{page.evaluate('document.body.dataset.frames')}{kind}/"}


@pytest.fixture(params=["light", "dark"] if IS_FULL else ["light"])
def page(request: pytest.FixtureRequest, scene: Scene, visit: Visit) -> Page:
    """Return a session page that keeps what a hostile script would say."""
    visitor = visit(scene.operator.cookie, screen=Screen(1440, request.param))
    visitor.expect_faults(STOPPED)
    page = visitor.open(scene.path).page
    page.evaluate("addEventListener('message', ({ data }) => { if (data.pwned) window.pwned = 1 })")
    return page


def test_hostile_drawings_run_nothing_ask_nobody_and_end(
    page: Page, elsewhere: Elsewhere, measured: Measured
) -> None:
    for kind, sources in HOSTILE:
        expect_harmless(page, elsewhere, kind, sources, measured)
    expect_the_end_of_a_bomb(page, measured)
    expect_a_legible_reason(page)


def expect_a_legible_reason(page: Page) -> None:
    # The library itself ends with an error about its own code.
    ends = page.evaluate(DRAW_ALL, [address_of(page, "vega-lite"), ['{"layer": 5}'], 0])
    assert ends[0].startswith("too large or not valid (")


def expect_harmless(
    page: Page, elsewhere: Elsewhere, kind: str, sources: tuple[str, ...], measured: Measured
) -> None:
    aimed = [source.replace(drawings.AWAY, f"{elsewhere.address}/x.png") for source in sources]
    ends: list[str] = page.evaluate(DRAW_ALL, [address_of(page, kind), aimed, 0])
    assert len(ends) == len(sources)
    assert elsewhere.asked == []
    assert page.evaluate("window.pwned") is None
    measured(f"{kind}: {len(ends)} hostile sources, {ends.count('drawn')} drawn inert, 0 requests, 0 scripts")


def expect_the_end_of_a_bomb(page: Page, measured: Measured) -> None:
    page.evaluate("document.querySelectorAll('.frame-host').forEach((frame) => frame.remove())")
    page.evaluate(GAPS)
    sources = [drawings.CHART, drawings.CHART_BOMB, drawings.CHART]
    ends = page.evaluate(DRAW_ALL, [address_of(page, "vega-lite"), sources, LIMIT_S * 1000])
    assert ends == ["drawn", f"drawing took longer than {LIMIT_S} s", "drawn"]
    assert page.locator(".frame-host").count() == 1
    gap = page.evaluate("window.largestGap")
    measured(f"4 million points: the frame ended after {LIMIT_S} s, largest gap of the page {gap:.0f} ms")


@pytest.mark.long
def test_everything_that_cards_can_draw_is_drawn(page: Page) -> None:
    for kind, sources in (("mermaid", DIAGRAMS), ("vega-lite", CHARTS)):
        ends = page.evaluate(DRAW_ALL, [address_of(page, kind), list(sources.values()), 0])
        assert dict(zip(sources, ends, strict=True)) == dict.fromkeys(sources, "drawn")
