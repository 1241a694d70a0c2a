"""Every screen, in every state, at every width: for assistive technology, by keyboard, within the policy."""

from dataclasses import dataclass
from functools import partial

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser import drawings
from tests.browser.conftest import IS_FULL, Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.screens import MOST_TABS, expect_good_page, expect_keyboard_page, picture
from tests.browser.visitor import SERVER_AWAY, Screen, Tab, Visitor

pytestmark = [either_mode, pytest.mark.timeout(600)]

SCREENS = [Screen(width, theme) for width in (360, 768, 1440, 2560) for theme in ("light", "dark")]
# The head of a page and its first controls.
FEW_TABS = 12
NOTES = "# Title\n\ntext[^1] and $x^2$[^2]\n\n$$\\frac{a}{b}$$\n\n[^1]: one\n[^2]: two"
WIDE = "| a | b |\n|---|---|\n| " + "long " * 60 + " | `" + "x" * 300 + "` |"
VALUES = {
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
# Screens with nothing to do before they are looked at, for somebody who is signed in.
PAGES = {
    "fleet": "/",
    "fleet-grid": "/?view=grid",
    "fleet-nothing": "/?q=nothing+fits",
    "session-new": "/sessions/new/",
    "agents": "/agents/",
    "agent": "/agents/{agent}/",
    "manage": "{session}manage/",
    "entry-edit": "{session}entries/edit/?key=rows",
    "entry-source": "{session}entries/source/?key=rows",
    "history-board": "{session}history/",
    "history-key": "{session}history/?key=list",
    "history-blame": "{session}history/?key=list&view=blame",
    "context": "{session}context/",
    "compaction": "{session}compaction/",
}
STAFF_PAGES = {
    "agent-new": "/agents/new/",
    "admin": "/admin/",
    "admin-sessions": "/admin/agents/agentsession/",
    "admin-agent": "/admin/agents/agentprofile/add/",
}


@dataclass
class Look:
    """Looks at pages on one screen and keeps a picture of each."""

    product: Product
    screen: Screen

    def at(self, page: Page, name: str, *, by_keyboard: bool = True) -> None:
        if IS_FULL:
            picture(page, self.product.mode, self.screen, name)
        expect_good_page(page)
        if by_keyboard:
            expect_keyboard_page(page, MOST_TABS if IS_FULL else FEW_TABS)


@pytest.fixture(params=SCREENS if IS_FULL else SCREENS[4:5], ids=str)
def look(product: Product, request: pytest.FixtureRequest) -> Look:
    return Look(product, request.param)


def fill(product: Product, scene: Scene) -> None:
    for key, value in VALUES.items():
        product.stage.do("write", session=scene.session, key=key, value=value, priority="high")
    for value in ("- [ ] open", VALUES["list"]):
        product.stage.do("write", session=scene.session, key="list", value=value)
    for trigger in ("gate", "rollover"):
        product.stage.do("compact", session=scene.session, trigger=trigger)
    product.stage.do("write", session=scene.session, key="hidden", value="x", shown=False)


def show_board(page: Page) -> None:
    """Turn to the whiteboard where it shares its place with the conversation."""
    if page.locator("#pane-board").is_visible():
        page.locator("#pane-board").check()


def test_every_screen_of_people_who_are_signed_in(
    product: Product, scene: Scene, visit: Visit, look: Look
) -> None:
    fill(product, scene)
    operator = visit(scene.operator.cookie, screen=look.screen)
    tab = operator.open(scene.path)
    look_at_session(look, tab)
    for name, path in PAGES.items():
        tab.page.goto(product.urls[0] + path.format(agent=scene.agent, session=scene.path))
        look.at(tab.page, name)
    look_at_wall(look, operator, scene)
    tab.page.goto(f"{product.urls[0]}/")
    look_at_menu_and_keys(look, tab.page)


def look_at_session(look: Look, tab: Tab) -> None:
    expect(tab.connection).to_have_text("Live")
    look.at(tab.page, "session")
    show_board(tab.page)
    expect(tab.value("wide")).to_be_visible()
    tab.value("deep").locator("summary").first.click()
    tab.page.locator("#tray > summary").click()
    look.at(tab.page, "session-tray")
    tab.page.locator("#tray > summary").click()
    tab.card("list").locator("summary").first.click()
    look.at(tab.page, "session-card-menu", by_keyboard=False)
    tab.page.keyboard.press("Escape")


def look_at_wall(look: Look, operator: Visitor, scene: Scene) -> None:
    wall = operator.open(scene.path.replace("/sessions/", "/wall/"))
    expect(wall.connection).to_have_text("Live")
    look.at(wall.page, "wall")


def look_at_menu_and_keys(look: Look, page: Page) -> None:
    menu = page.locator("summary", has_text="your menu")
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="Dark")).to_be_visible()
    look.at(page, "user-menu", by_keyboard=False)
    page.keyboard.press("Escape")
    expect(page.get_by_role("radio", name="Dark")).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard")).to_be_visible()
    look.at(page, "keyboard", by_keyboard=False)
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keyboard")).to_be_hidden()


def test_every_screen_of_people_who_are_not_and_of_staff(
    product: Product, scene: Scene, visit: Visit, look: Look
) -> None:
    nobody = visit(screen=look.screen)
    page = nobody.open("/accounts/login/").page
    for name in ("User name", "Password"):
        page.get_by_label(name).fill("nobody at all")
    page.get_by_role("button", name="Sign in").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("is not right")
    expect(page.get_by_label("User name")).to_be_focused()
    look.at(page, "login")
    page.get_by_role("link", name="Forgot the password?").press("Enter")
    look.at(page, "password-reset")
    page.get_by_label("Email address").fill("nobody@example.org")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Look into your mailbox")).to_be_visible()
    look.at(page, "password-reset-sent")
    page.goto(product.urls[0] + product.stage.do("reset_path", name=scene.operator.name))
    look.at(page, "password-reset-choose")
    for name in ("New password", "The same again"):
        page.get_by_label(name).fill("a long enough secret 4711")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your password is set")).to_be_visible()
    look.at(page, "password-reset-done")

    staff = visit(product.stage.do("staff"), screen=look.screen)
    tab = staff.open("/admin/")
    for name, path in STAFF_PAGES.items():
        tab.page.goto(product.urls[0] + path)
        look.at(tab.page, name, by_keyboard=not name.startswith("admin"))


def test_every_screen_of_what_goes_wrong(product: Product, scene: Scene, visit: Visit, look: Look) -> None:
    member = visit(scene.member.cookie, screen=look.screen)
    member.expect_faults(r"status of (403|404|500)", SERVER_AWAY)
    tab = member.open(f"{scene.path}entries/edit/")
    assert tab.response
    assert tab.response.status == 403
    look.at(tab.page, "403")
    for status in (404, 500):
        body = product.stage.do("error_page", template=f"{status}.html")
        tab.page.route(f"**/error-{status}/", partial(answer_with, status, body))
        tab.page.goto(f"{product.urls[0]}/error-{status}/")
        look.at(tab.page, str(status))
    look_at_lost_connection(look, member, scene)


def answer_with(status: int, body: str, route: Route) -> None:
    route.fulfill(status=status, body=body, content_type="text/html")


def look_at_lost_connection(look: Look, visitor: Visitor, scene: Scene) -> None:
    """Cut the line of a page and let its time pass."""
    sockets: list[WebSocketRoute] = []
    is_down = False

    def between(socket: WebSocketRoute) -> None:
        if is_down:
            socket.close()
            return
        socket.connect_to_server()
        sockets.append(socket)

    tab = visitor.blank()
    tab.page.route_web_socket("**/ws/**", between)
    tab.page.clock.install()
    visitor.go(tab, scene.path)
    expect(tab.connection).to_have_text("Live")
    is_down = True
    for socket in sockets:
        socket.close()
    tab.page.clock.run_for(11_000)
    expect(tab.page.locator("[data-banner]")).to_contain_text("Reconnecting.")
    look.at(tab.page, "reconnecting", by_keyboard=False)
    tab.page.clock.run_for(31_000)
    expect(tab.page.locator("[data-banner]")).to_contain_text("Offline since")
    look.at(tab.page, "offline", by_keyboard=False)


def test_a_card_is_pinned_and_the_theme_chosen_with_the_keyboard_alone(
    product: Product, scene: Scene, visit: Visit, look: Look
) -> None:
    product.stage.do("write", session=scene.session, key="note", value="pin me")
    member = visit(scene.member.cookie, screen=look.screen)
    tab = member.open(scene.path)
    page = tab.page
    expect(tab.connection).to_have_text("Live")
    show_board(page)
    press_tab_until_focused(page, "Pin note")
    page.keyboard.press("Enter")
    expect(tab.pin("note")).to_have_attribute("aria-pressed", "true")
    expect(tab.pin("note")).to_be_focused()
    assert product.stage.do("pins", name=scene.member.name) == ["note"]

    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    page.locator("summary", has_text="your menu").press("Enter")
    other = "light" if look.screen.theme == "dark" else "dark"
    with page.expect_response("**/theme/"):
        page.locator(f"#theme-{other}").press("Space")
    assert page.evaluate(background) != before
    assert member.open("/").page.evaluate(background) != before


def press_tab_until_focused(page: Page, name: str) -> None:
    most = 60
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == name:
            return
    raise AssertionError(f"{name} is not among the first {most} stops of the Tab key.")
