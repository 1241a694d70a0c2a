"""Draws the whole gallery by the real pages, in light and dark, for people to look at.

Usage: python -m tests.gallery FOLDER
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.demo_folder import build_demo_folder
from tests.browser.product import Product, embedded
from tests.browser.scene import Scene
from tests.browser.visitor import Screen, Visitor
from tests.gallery import CHARTS, DIAGRAMS, FORMULAS, mind_map

PER_SHEET = 4
FORMULAS_PER_SHEET = 29
PATIENCE_MS = 60_000
TALL = 4_000
# Cards scroll; a picture of one shows all of it.
WHOLE = """card => {
  card.style.gridRow = "1 / span 200";
  card.style.alignSelf = "start";
  for (const element of [card, ...card.querySelectorAll(".card__body")]) {
    element.style.blockSize = "auto";
    element.style.maxBlockSize = "none";
    element.style.overflow = "visible";
  }
}"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        surveyed = Path(data, "surveyed")
        surveyed.mkdir()
        build_demo_folder(surveyed)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, chromium_sandbox=False)
        Path(data, "product").mkdir()
        with embedded(Path(data, "product"), surveyed) as product:
            for name, value in sheets():
                take(browser, product, name, value, folder)
        browser.close()


def sheets() -> Iterator[tuple[str, str]]:
    """Yield the name and the card of each sheet."""
    for kind, drawings in (("mermaid", DIAGRAMS), ("vega-lite", CHARTS)):
        titles = list(drawings)
        for start in range(0, len(titles), PER_SHEET):
            parts = (
                f"### {title}\n\n```{kind}\n{drawings[title]}\n```" for title in titles[start:][:PER_SHEET]
            )
            yield f"{kind}-{start // PER_SHEET + 1}", "\n\n".join(parts)
    yield "markmap", f"```markmap\n{mind_map()}\n```"
    for start in range(0, len(FORMULAS), FORMULAS_PER_SHEET):
        lines = (
            f"{start + number}. $${tex}$$"
            for number, tex in enumerate(FORMULAS[start:][:FORMULAS_PER_SHEET], 1)
        )
        yield f"formulas-{start // FORMULAS_PER_SHEET + 1}", "\n".join(lines)


def take(browser: Browser, product: Product, name: str, value: str, folder: Path) -> None:
    """Write one picture of a card in each theme."""
    scene = Scene.of(product.stage.do("scene"))
    product.stage.do("write", session=scene.session, key=name, value=value, priority="high")
    for theme in ("light", "dark"):
        visitor = Visitor(browser, product, scene.operator.cookie, screen=Screen(1440, theme))
        tab = visitor.open(scene.path)
        expect(tab.connection).to_have_text("Live")
        card = tab.card(name)
        wanted = value.count("```") // 2
        for figure in card.locator(".md-widget").all():
            figure.scroll_into_view_if_needed()
        drawn = card.locator(".md-widget-out:not([data-state=waiting]) > *")
        expect(drawn).to_have_count(wanted, timeout=PATIENCE_MS)
        for notice in card.locator(".md-widget-out .notice").all_inner_texts():
            sys.stdout.write(f"{name}: {notice}\n")
        tab.page.set_viewport_size({"width": 1440, "height": TALL})
        card.evaluate(WHOLE)
        card.screenshot(path=folder / f"{name}-{theme}.png")
        visitor.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
