"""The fleet page lives: rows change where they stand, and the order waits for the reader."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene


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


def test_the_list_follows_search_order_and_filter_in_place(
    product: Product, scene: Scene, visit: Visit
) -> None:
    titles = ("Apples", "Apricots", "Beans")
    made = {title: product.stage.do("new_session", agent=scene.agent, title=title) for title in titles}
    tab = visit(scene.member.cookie).open("/", web=1)
    page, rows = tab.page, tab.page.locator("tbody tr")
    search = page.get_by_role("searchbox", name="Search by agent")
    expect(tab.connection).to_have_text("Live")
    page.keyboard.press("/")
    page.keyboard.type("apr")
    expect(rows).to_have_count(1)
    expect(search).to_be_focused()
    expect(page).to_have_url(re.compile(r"\?q=apr&"))
    expect(page.get_by_role("status").filter(has_text="1 session matches")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    expect(rows).to_have_count(0)
    expect(page.get_by_role("heading", name="No session fits")).to_be_visible()
    page.keyboard.type("p")
    expect(rows).to_have_count(1)

    # The socket follows: what changes is shown, and only what the search finds.
    product.stage.do("write", session=made["Beans"], key="note", value="x")
    product.stage.do("write", session=made["Apricots"], key="note", value="x")
    expect(page.locator(f"{row(made['Apricots'])} .c-entries")).to_have_text("1")
    expect(rows).to_have_count(1)

    page.locator(f"{row(made['Apricots'])} a").click()
    expect(page.get_by_role("heading", name="Whiteboard")).to_be_visible()
    page.go_back()
    expect(search).to_have_value("apr")
    expect(rows).to_have_count(1)
    expect(tab.connection).to_have_text("Live")


def test_the_focus_stays_on_what_searches_sorts_or_filters(
    product: Product, scene: Scene, visit: Visit
) -> None:
    for title in ("Apples", "Apricots", "Beans"):
        product.stage.do("new_session", agent=scene.agent, title=title)
    page = visit(scene.member.cookie).open("/", web=1).page
    rows, search = page.locator("tbody tr"), page.get_by_role("searchbox", name="Search by agent")
    search.fill("s")
    search.press("Enter")
    expect(page).to_have_url(re.compile(r"\?q=s&"))
    expect(search).to_be_focused()
    search.fill("ap")
    search.press("Enter")
    expect(rows).to_have_count(2)
    expect(search).to_be_focused()
    sort = page.get_by_label("Sort by")
    sort.focus()
    sort.select_option("title")
    expect(page.get_by_role("columnheader", name="Session")).to_have_attribute("aria-sort", "ascending")
    expect(rows.locator("a")).to_have_text(["Apples", "Apricots"])
    expect(sort).to_be_focused()
    heading = page.get_by_role("link", name="Entries")
    heading.press("Enter")
    expect(page.get_by_role("columnheader", name="Entries")).to_have_attribute("aria-sort", "descending")
    expect(heading).to_be_focused()
    expect(sort).to_have_value("entries")
    failed = page.get_by_role("navigation", name="Filter by status").get_by_role("link", name="Failed")
    failed.press("Enter")
    expect(rows).to_have_count(0)
    expect(failed).to_be_focused()
    page.reload()
    expect(search).to_have_value("ap")
    expect(rows).to_have_count(0)
