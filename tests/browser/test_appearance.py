"""Every page works by keyboard, for assistive technology, and at every width."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import drawings
from tests.browser.conftest import IS_FULL, Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Screen, Visitor

pytestmark = either_mode

ALL_SCREENS = [Screen(width, theme) for width in (360, 768, 1440, 2560) for theme in ("light", "dark")]
# Light and dark, narrow and wide are all seen once.
SCREENS = ALL_SCREENS if IS_FULL else [Screen(360, "dark"), Screen(1440, "light")]
MOST_TABS = 60
NOTES = "# Title\n\ntext[^1] and $x^2$[^2]\n\n$$\\frac{a}{b}$$\n\n[^1]: one\n[^2]: two"
PATHS = (
    "/",
    "/?view=grid",
    "/?q=nothing+fits",
    "/sessions/new/",
    "/agents/",
    "/agents/{agent}/",
    "{session}manage/",
    "{session}entries/edit/?key=rows",
    "{session}entries/source/?key=rows",
    "{session}history/",
    "{session}history/?key=rows",
    "{session}history/?key=list&view=blame",
    "{session}context/",
    "{session}compaction/",
)
WIDE = "| a | b |\n|---|---|\n| " + "long " * 60 + " | `" + "x" * 300 + "` |"

on_every_screen = pytest.mark.parametrize("screen", SCREENS, ids=str)


def fill_board(product: Product, scene: Scene) -> None:
    values: dict[str, object] = {
        "wide": WIDE,
        "list": "- [x] done\n- [ ] open\n\n1. one\n2. two",
        "code": "```python\nprint('" + "y" * 200 + "')\n```",
        "number": 12345.5,
        "rows": [{"type": "py", "files": 3, "of": "z" * 80}, {"type": "md", "files": 4, "of": ""}],
        "deep": {"a": {"b": {"c": [1, 2, {"d": None}]}}},
        "a" * 90: "a long key",
        # The same notes and headings twice on one page.
        "notes": NOTES,
        "more notes": NOTES,
        "drawn": f"```mermaid\n{drawings.MERMAID}\n```\n\n```vega-lite\n{drawings.CHART}\n```",
    }
    for key, value in values.items():
        product.stage.do("write", session=scene.session, key=key, value=value, priority="high")
    product.stage.do("write", session=scene.session, key="hidden", value="x", shown=False)


def show_board(page: Page) -> None:
    """Turn to the whiteboard where it shares its place with the conversation."""
    if page.locator("#pane-board").is_visible():
        page.locator("#pane-board").check()


def expect_good_page(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, f"{page.url} is {wide} pixels too wide"


@on_every_screen
def test_every_page_is_accessible_and_fits(
    product: Product, scene: Scene, visit: Visit, screen: Screen
) -> None:
    fill_board(product, scene)
    nobody, operator = visit(screen=screen), visit(scene.operator.cookie, screen=screen)
    expect_good_page(nobody.open("/accounts/login/").page)
    entry_pages = (f"{scene.path}entries/edit/?key=rows", f"{scene.path}entries/source/?key=rows")
    for path in ("/", "/sessions/new/", *entry_pages, f"{scene.path}compaction/"):
        expect_good_page(operator.open(path).page)
    session = operator.open(scene.path)
    expect(session.connection).to_have_text("Live")
    expect_good_page(session.page)
    show_board(session.page)
    expect(session.value("wide")).to_be_visible()
    session.value("deep").locator("summary").first.click()
    session.page.locator("#tray > summary").click()
    expect_good_page(session.page)


@on_every_screen
def test_a_card_is_pinned_with_the_keyboard_alone(
    product: Product, scene: Scene, visit: Visit, screen: Screen
) -> None:
    product.stage.do("write", session=scene.session, key="note", value="pin me")
    tab = visit(scene.member.cookie, screen=screen).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    show_board(tab.page)
    press_tab_until_focused(tab.page, "Pin note")
    tab.page.keyboard.press("Enter")
    expect(tab.pin("note")).to_have_attribute("aria-pressed", "true")
    expect(tab.pin("note")).to_be_focused()
    assert product.stage.do("pins", name=scene.member.name) == ["note"]


def press_tab_until_focused(page: Page, name: str) -> None:
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == name:
            return
    raise AssertionError(f"{name} is not among the first {MOST_TABS} stops of the Tab key.")


def open_menu(visitor: Visitor, path: str) -> Page:
    page = visitor.open(path).page
    page.locator("summary", has_text="your menu").click()
    return page


def test_the_chosen_theme_shows_at_once_and_stays(product: Product, scene: Scene, visit: Visit) -> None:
    operator = visit(scene.operator.cookie)
    page = open_menu(operator, scene.path)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    with page.expect_response("**/theme/"):
        page.get_by_role("radio", name="Dark").check()
    assert page.evaluate(background) != light
    assert operator.open("/").page.evaluate(background) != light
