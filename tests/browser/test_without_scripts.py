"""Everything that people do works in a browser that runs no scripts."""

import json
import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene, session_path
from tests.browser.visitor import Tab
from tests.providers.answers import Answer, Call
from tests.providers.server import FakeProvider

FILLED = 60
MOST_RELOADS = 300


def press(place: Page | Locator, name: str) -> None:
    place.get_by_role("button", name=name, exact=True).click()


def reload_until(page: Page, place: Locator) -> None:
    """Look again, as a person without scripts does, until it is there."""
    for _ in range(MOST_RELOADS):
        if place.count():
            return
        page.reload()
    raise AssertionError(f"{place} never came.")


@either_mode
def test_the_whole_work_is_done_without_scripts(
    product: Product, provider: FakeProvider, agent: Scene, visit: Visit
) -> None:
    product.stage.do("fill_fleet", agent=agent.agent, count=FILLED)
    product.stage.do("write", session=agent.session, key="note", value="as **it** was")
    product.stage.do("write", session=agent.session, key="quiet", value="shh", shown=False)
    tab = visit(agent.operator.cookie, has_scripts=False).open("/")
    page_the_fleet(tab.page)
    tab.page.goto(tab.page.url.split("?")[0] + agent.path.lstrip("/"))
    expect(tab.value("note").locator("strong")).to_have_text("it")
    pin_and_unpin(product, agent, tab)
    change_entries(product, agent, tab)
    send_and_approve(provider, agent, tab)
    change_settings(agent, tab.page)
    start_and_stop(provider, product, tab)


def page_the_fleet(page: Page) -> None:
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_role("link", name="Next").click()
    expect(rows).to_have_count(FILLED + 1 - 50)
    page.get_by_role("link", name="Previous").click()
    expect(rows).to_have_count(50)
    page.get_by_role("link", name=re.compile("^Idle")).click()
    expect(page.locator("tbody .status--failed")).to_have_count(0)
    page.get_by_role("searchbox").fill("Under test")
    page.get_by_role("combobox", name="Sort by").select_option("use")
    press(page, "Apply")
    expect(rows).to_have_count(1)
    assert "sort=use" in page.url


def pin_and_unpin(product: Product, scene: Scene, tab: Tab) -> None:
    tab.pin_from_tray("quiet")
    expect(tab.value("quiet")).to_have_text("shh")
    assert product.stage.do("pins", name=scene.operator.name) == ["quiet"]
    tab.pin("quiet").click()
    expect(tab.card("quiet")).to_have_count(0)
    assert product.stage.do("pins", name=scene.operator.name) == []


def change_entries(product: Product, scene: Scene, tab: Tab) -> None:
    tab.choose("note", "Edit")
    tab.page.get_by_label("Value", exact=True).fill("as I want it")
    press(tab.page, "Save entry")
    expect(tab.value("note")).to_have_text("as I want it")
    tab.page.get_by_role("link", name="Add an entry").click()
    tab.page.get_by_role("textbox", name="Key", exact=True).fill("mine")
    tab.page.get_by_label("Description").fill("Written by a person")
    tab.page.get_by_label("Value", exact=True).fill("hello")
    press(tab.page, "Save entry")
    expect(tab.value("mine")).to_have_text("hello")
    tab.choose("note", "Delete")
    press(tab.page, "Delete entry")
    expect(tab.card("note")).to_have_count(0)
    assert product.stage.do("entries", session=scene.session) == {"mine": "hello", "quiet": "shh"}


def send_and_approve(provider: FakeProvider, scene: Scene, tab: Tab) -> None:
    calls = [
        Call(f"c{number}", "workspace_delete", (json.dumps({"path": f"{number}.txt"}),)) for number in (1, 2)
    ]
    provider.script(Answer(calls=tuple(calls)))
    tab.page.get_by_label("Message to").fill("Delete them.")
    press(tab.page, "Send")
    asked = tab.page.get_by_role("group", name="Approval of workspace_delete")
    reload_until(tab.page, asked)
    expect(asked).to_have_count(2)
    provider.script(Answer(text=("As you wish.",)))
    press(asked.first, "Approve")
    assert tab.page.url.endswith(session_path(scene.session))
    reload_until(tab.page, asked)
    expect(asked).to_have_count(1)
    asked.get_by_role("textbox").fill("Not today.")
    press(asked, "Deny")
    reload_until(tab.page, tab.page.get_by_role("log").get_by_text("As you wish."))
    assert "Reason: Not today." in json.dumps(provider.requests[-1].body)


def change_settings(scene: Scene, page: Page) -> None:
    site = page.url.split("/sessions/")[0]
    page.goto(f"{site}/agents/{scene.agent}/")
    page.get_by_label("Entries, at most").fill("7")
    press(page, "Save settings")
    expect(page.get_by_label("Entries, at most")).to_have_value("7")
    page.goto(f"{site}{scene.path}manage/")
    page.get_by_role("button", name="Apply the agent").click()
    expect(page.get_by_text("settings that its agent has now")).to_be_visible()


def start_and_stop(provider: FakeProvider, product: Product, tab: Tab) -> None:
    page = tab.page
    page.goto(page.url.split("/sessions/")[0])
    press(page, "New session")
    page.get_by_role("textbox", name="Title").fill("By a person")
    provider.script(Answer(calls=(Call("c9", "sleep_until", ('{"minutes": 30}',)),)))
    page.get_by_label("First message").fill("Sleep a little.")
    press(page, "Start session")
    expect(page.get_by_role("heading", name="By a person")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("Sleep a little.")
    reload_until(page, page.locator("#turn-state").get_by_text("waits until"))
    press(page, "Stop")
    reload_until(page, page.locator("#turn-state[data-status=cancelled]"))
    assert product.stage.do("turns", session=page.url.rstrip("/").rsplit("/", 1)[-1]) == ["cancelled"]
