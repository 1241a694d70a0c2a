"""The fleet page lives: rows change where they stand, the order waits for the reader, filters are links."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene

FILLED = 60


def row(session: str) -> str:
    return f"#session-{session}"


def test_rows_change_where_they_stand_and_new_ones_wait_for_the_reader(
    product: Product, scene: Scene, visit: Visit
) -> None:
    other = product.stage.do("new_session", agent=scene.agent, title="Second")
    tab = visit(scene.member.cookie).open("/", web=1)
    page = tab.page
    expect(tab.connection).to_have_text("Live")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)

    product.stage.do("write", session=scene.session, key="note", value="x")
    expect(page.locator(f"{row(scene.session)} .c-entries")).to_have_text("1")
    expect(rows.first).to_have_id(f"session-{scene.session}")

    page.locator(f"{row(other)} a").focus()
    third = product.stage.do("new_session", agent=scene.agent, title="Third")
    product.stage.do("write", session=third, key="note", value="x")
    held = page.locator("[data-held]")
    expect(held).to_contain_text("Order held while you read")
    expect(rows).to_have_count(2)
    page.keyboard.press("o")
    expect(rows).to_have_count(3)
    expect(held).not_to_contain_text("held while")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('.fleet__link')")


def test_search_filter_sort_and_pages_work_without_scripts(
    product: Product, scene: Scene, visit: Visit
) -> None:
    product.stage.do("fill_fleet", agent=scene.agent, count=FILLED)
    page = visit(scene.member.cookie, has_scripts=False).open("/").page
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
    page.get_by_role("button", name="Apply").click()
    expect(rows).to_have_count(1)
    assert "sort=use" in page.url


def test_a_setting_is_changed_without_scripts(product: Product, scene: Scene, visit: Visit) -> None:
    page = visit(scene.operator.cookie, has_scripts=False).open(f"/agents/{scene.agent}/").page
    page.get_by_label("Entries, at most").fill("7")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_label("Entries, at most")).to_have_value("7")
    page.goto(page.url + "../../" + scene.path.lstrip("/") + "manage/")
    page.get_by_role("button", name="Apply the agent").click()
    expect(page.get_by_text("settings that its agent has now")).to_be_visible()
