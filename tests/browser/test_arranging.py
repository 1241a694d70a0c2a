"""Cards are arranged by hand and by keyboard; the person's other pages follow, other people's do not."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab

KEYS = ("one", "two", "three")


def order(tab: Tab) -> list[str]:
    keys: list[str] = tab.page.locator("[data-cards] > .card").evaluate_all(
        "cards => cards.map((card) => card.dataset.entry)"
    )
    return keys


def expect_order(tab: Tab, *keys: str) -> None:
    for place, key in enumerate(keys):
        expect(tab.page.locator("[data-cards] > .card").nth(place)).to_have_attribute("data-entry", key)


def test_order_height_and_folding_are_ones_own_in_every_tab(
    product: Product, scene: Scene, visit: Visit
) -> None:
    for key in KEYS:
        product.stage.do("write", session=scene.session, key=key, value="x\n\n" * 30)
    member = visit(scene.member.cookie)
    here, there = member.open(scene.path), member.open(scene.path, web=1)
    other = visit(scene.operator.cookie).open(scene.path)
    for tab in (here, there, other):
        expect(tab.connection).to_have_text("Live")
    first, second, third = before = order(here)
    assert order(other) == before

    grip = here.card(first).locator("[data-grip]")
    grip.focus()
    here.page.keyboard.press("Space")
    here.page.keyboard.press("ArrowDown")
    here.page.keyboard.press("Space")
    expect(grip).to_be_focused()
    for tab in (here, there):
        expect_order(tab, second, first, third)

    here.page.keyboard.press("Alt+ArrowDown")
    for tab in (here, there):
        expect_order(tab, second, third, first)

    here.card(third).locator("[data-grip]").drag_to(here.card(second).locator(".card__key"))
    for tab in (here, there):
        expect_order(tab, third, second, first)

    here.choose(second, "Collapse")
    expect(there.card(second)).to_have_attribute("data-size", "c")
    there.card(first).locator("summary").first.click()
    there.card(first).get_by_role("button", name="XL", exact=True).click()
    expect(here.card(first)).to_have_attribute("data-size", "xl")

    assert order(other) == before
    expect(other.card(second)).not_to_have_attribute("data-size", "c")
    reloaded = member.open(scene.path)
    assert order(reloaded) == [third, second, first]


def test_a_card_fills_the_page_stays_live_and_goes_back(product: Product, scene: Scene, visit: Visit) -> None:
    product.stage.do("write", session=scene.session, key="note", value="first")
    tab = visit(scene.member.cookie).open(scene.path)
    expect(tab.connection).to_have_text("Live")
    tab.card("note").locator("[data-grip]").focus()
    tab.page.keyboard.press("m")
    expect(tab.page.locator(".card.maxi")).to_be_visible()
    product.stage.do("write", session=scene.session, key="note", value="second line")
    expect(tab.value("note")).to_have_text("second line")
    tab.page.keyboard.press("Escape")
    expect(tab.page.locator(".card.maxi")).to_have_count(0)
    expect(tab.card("note").locator(".delta")).to_contain_text("+1")
