"""What every screen must be, in whatever state: accessible, within its width, and worked by keyboard."""

import os
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.processes import ROOT
from tests.browser.visitor import Screen

PICTURES = Path(os.environ.get("BROWSER_PICTURES", ROOT / "build" / "screens"))
# Through the controls of any page; what comes behind them is more of the same.
MOST_TABS = 45

# The control with the focus: its place in the document, and whether a person sees that it has it. Radios and
# boxes that are drawn by their labels show it there.
FOCUSED = """() => {
  const here = document.activeElement;
  if (!here || here === document.body) return null;
  const drawnBy = here.closest("label, .seg, .search, .composer__box");
  const shown = [here, ...(here.labels ?? []), drawnBy].filter(Boolean);
  const isDrawn = ({ outlineStyle, outlineWidth, boxShadow }) =>
    (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  const isOutlined = (each) => isDrawn(getComputedStyle(each)) || isDrawn(getComputedStyle(each, "::after"));
  const drawn = here.getBoundingClientRect().width > 1 ? here : (here.labels?.[0] ?? here);
  const { top, bottom, left, right } = drawn.getBoundingClientRect();
  return {
    place: [...document.querySelectorAll("*")].indexOf(here),
    name: here.outerHTML.slice(0, 120),
    isSeen: bottom > 0 && right > 0 && top < innerHeight && left < innerWidth && here.checkVisibility(),
    isOutlined: shown.some(isOutlined),
  };
}"""


def expect_good_page(page: Page) -> None:
    """Fail unless axe finds nothing and nothing sticks out to the side."""
    # Without preloading: it would write styles into the page, which the policy stops.
    found = Axe().run(page, options={"preload": False, "resultTypes": ["violations"]})
    assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, f"{page.url} is {wide} pixels too wide"


def expect_keyboard_page(page: Page, most_tabs: int = MOST_TABS) -> None:
    """Fail unless the Tab key goes from control to control, each of them in view and marked."""
    places: list[int] = []
    for _ in range(most_tabs):
        page.keyboard.press("Tab")
        focused: dict[str, Any] | None = page.evaluate(FOCUSED)
        if focused is None or focused["place"] in places[:1]:
            break
        assert focused["place"] not in places[-1:], f"{page.url}: the focus is caught at {focused['name']}"
        assert focused["isSeen"], f"{page.url}: the focus is out of sight at {focused['name']}"
        assert focused["isOutlined"], f"{page.url}: nothing shows the focus at {focused['name']}"
        places.append(focused["place"])
    assert places, f"{page.url} has nothing to reach by keyboard"


def picture(page: Page, mode: str, screen: Screen, name: str) -> None:
    """Keep what the page shows, to be looked at."""
    folder = PICTURES / mode / str(screen)
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png")
