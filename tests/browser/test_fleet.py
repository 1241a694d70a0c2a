"""The fleet page lives: rows change where they stand, and the order waits for the reader."""

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
