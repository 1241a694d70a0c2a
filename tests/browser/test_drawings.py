"""Diagrams, charts and mind maps are drawn in view, follow their source, and do no harm."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from memory.bundles import KINDS, bundle_url
from tests.browser import drawings
from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab
from tests.conftest import Measured

pytestmark = [
    either_mode,
    pytest.mark.skipif(
        not all(bundle_url(f"{kind}.js") for kind in KINDS),
        reason="the bundles were not built: make build/bundles/math.css",
    ),
]

# What stops a hostile drawing is the frame's policy, and the browser says so.
STOPPED = r"Content Security Policy|Content-Security-Policy|net::ERR_BLOCKED_BY_CSP"
PICTURE = ".md-widget-out > img.md-picture"


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


def test_each_kind_is_drawn_above_its_folded_source(product: Product, scene: Scene, visit: Visit) -> None:
    for kind, source in (
        ("mermaid", drawings.MERMAID),
        ("vega-lite", drawings.CHART),
        ("markmap", drawings.MIND_MAP),
    ):
        write(product, scene, kind, kind, source)
    tab = open_page(visit, scene)
    for kind in KINDS:
        card = tab.card(kind)
        card.scroll_into_view_if_needed()
        expect(card.locator(PICTURE)).to_have_count(1)
        assert card.locator(PICTURE).evaluate("image => image.decode().then(() => image.naturalWidth > 40)")
        expect(card.locator("details").first).not_to_have_attribute("open", "")


def test_a_picture_stays_when_its_card_is_patched_and_follows_its_source(
    product: Product, scene: Scene, visit: Visit
) -> None:
    write(product, scene, "plan", "mermaid", drawings.MERMAID)
    tab = open_page(visit, scene)
    picture = tab.card("plan").locator(PICTURE)
    expect(picture).to_have_count(1)
    picture.evaluate("image => { image.dataset.first = 1 }")
    value = f"```mermaid\n{drawings.MERMAID}\n```\n\nand a line"
    product.stage.do("write", session=scene.session, key="plan", value=value)
    expect(tab.value("plan").get_by_text("and a line")).to_be_visible()
    expect(picture).to_have_attribute("data-first", "1")
    write(product, scene, "plan", "mermaid", "flowchart TD\n A --> C[Other]")
    expect(tab.card("plan").locator(f"{PICTURE}:not([data-first])")).to_have_count(1)


def test_a_picture_follows_the_theme(product: Product, scene: Scene, visit: Visit) -> None:
    write(product, scene, "plan", "mermaid", drawings.MERMAID)
    tab = open_page(visit, scene)
    picture = tab.card("plan").locator(PICTURE)
    expect(picture).to_have_count(1)
    light = picture.get_attribute("src")
    tab.page.evaluate(
        "const dark = document.querySelector('#theme-dark'); dark.checked = true;"
        "dark.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    expect(picture).not_to_have_attribute("src", light or "")


def test_a_diagram_with_a_mistake_shows_its_source_and_the_reason(
    product: Product, scene: Scene, visit: Visit
) -> None:
    write(product, scene, "plan", "mermaid", "flowchart TD\n A[ --> B")
    tab = open_page(visit, scene)
    expect(tab.card("plan").locator(".md-widget-out .notice")).to_contain_text("Diagram not drawn: ")
    expect(tab.card("plan").locator("details[open] pre")).to_contain_text("A[ --> B")


HOSTILE = [
    ("mermaid", drawings.HOSTILE_MERMAID),
    ("vega-lite", drawings.HOSTILE_CHARTS),
    ("markmap", drawings.HOSTILE_MIND_MAPS),
]
# Draws one source after the other by the page's own frame, and loads every picture into an image.
DRAW_ALL = """async ([address, sources]) => {
  const { Frame } = await import(address.frame);
  const { palette } = await import(address.palette);
  const frame = new Frame(address.document);
  const ends = [];
  for (const source of sources) {
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


def address_of(page: Page, kind: str) -> dict[str, str]:
    """Return where the page has its modules and its frame of that kind."""
    names = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    modules = {name: next(url for url in names if f"/js/{name}." in url) for name in ("frame", "palette")}
    return modules | {"document": f"{page.evaluate('document.body.dataset.frames')}{kind}/"}


@pytest.fixture
def page(product: Product, scene: Scene, visit: Visit) -> Page:
    """Return a session page that keeps what a hostile script would say."""
    visitor = visit(scene.operator.cookie)
    visitor.expect_faults(STOPPED)
    page = visitor.open(scene.path).page
    page.evaluate("addEventListener('message', ({ data }) => { if (data.pwned) window.pwned = 1 })")
    return page


@pytest.mark.parametrize(("kind", "sources"), HOSTILE, ids=KINDS)
def test_hostile_drawings_run_nothing_and_ask_nobody(
    page: Page, elsewhere: Elsewhere, kind: str, sources: tuple[str, ...], measured: Measured
) -> None:
    aimed = [source.replace(drawings.AWAY, f"{elsewhere.address}/x.png") for source in sources]
    ends: list[str] = page.evaluate(DRAW_ALL, [address_of(page, kind), aimed])
    assert len(ends) == len(sources)
    assert elsewhere.asked == []
    assert page.evaluate("window.pwned") is None
    measured(f"{kind}: {len(ends)} hostile sources, {ends.count('drawn')} drawn inert, 0 requests, 0 scripts")


GAPS = """() => {
  window.largestGap = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    window.largestGap = Math.max(window.largestGap, now - last);
    last = now;
  }, 10);
}"""


def test_a_bomb_ends_with_its_frame_and_the_next_chart_is_drawn(page: Page, measured: Measured) -> None:
    page.evaluate(GAPS)
    address = address_of(page, "vega-lite")
    ends = page.evaluate(DRAW_ALL, [address, [drawings.CHART_BOMB, drawings.CHART]])
    assert ends == ["drawing took longer than 8 s", "drawn"]
    assert page.locator(".frame-host").count() == 1
    gap = page.evaluate("window.largestGap")
    measured(f"4 million points: the frame ended after 8 s, largest gap of the page {gap:.0f} ms")
