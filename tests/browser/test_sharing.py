"""Two people watch one session, each in a browser of their own: what one arranges is theirs alone."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.product import Product
from tests.browser.scene import Scene, session_path
from tests.browser.visitor import Tab

HIDDEN = "nobody was meant to see this"


def write(product: Product, session: str, key: str, value: str, *, shown: bool = True) -> None:
    product.stage.do("write", session=session, key=key, value=value, shown=shown)


def order(tab: Tab) -> list[str]:
    keys: list[str] = tab.page.locator("[data-cards] > .card").evaluate_all(
        "cards => cards.map((card) => card.dataset.entry)"
    )
    return keys


def expect_order(tab: Tab, *keys: str) -> None:
    for place, key in enumerate(keys):
        expect(tab.page.locator("[data-cards] > .card").nth(place)).to_have_attribute("data-entry", key)


def everybody_hears_a_change(product: Product, scene: Scene, tabs: list[Tab], value: str) -> None:
    """Show that what concerns all reaches all, and that what was pushed before has arrived: frames keep
    their order."""
    write(product, scene.session, "one", value)
    for tab in tabs:
        expect(tab.value("one")).to_have_text(value)


def test_a_pin_is_ones_own_and_holds_for_the_sessions_of_one_agent(
    product: Product, scene: Scene, visit: Visit
) -> None:
    sibling = product.stage.do("new_session", agent=scene.agent)
    other_agent = product.stage.do("new_agent", operator=scene.operator.name)
    unrelated = product.stage.do("new_session", agent=other_agent)
    for session in (scene.session, sibling, unrelated):
        write(product, session, "hidden", HIDDEN, shown=False)
        write(product, session, "one", "first")
    operator = visit(scene.operator.cookie)
    here, there = operator.open(scene.path), operator.open(scene.path, web=1)
    beside, apart = operator.open(session_path(sibling)), operator.open(session_path(unrelated))
    other = visit(scene.member.cookie).open(scene.path)
    for tab in (here, there, beside, apart, other):
        expect(tab.connection).to_have_text("Live")

    here.pin_from_tray("hidden")

    for tab in (here, there, beside):
        expect(tab.value("hidden")).to_have_text(HIDDEN)
        expect(tab.card("hidden")).to_contain_text("Pinned by you")
        # Shown at once although its entry did not change.
        expect(tab.card("hidden").locator(".card__version")).to_contain_text("v1")
    everybody_hears_a_change(product, scene, [here, there, other], "second")
    for tab in (other, apart):
        expect(tab.card("hidden")).to_have_count(0)
        assert HIDDEN not in tab.page.content()
        assert [frame for frame in tab.frames if HIDDEN in frame.text] == []

    there.pin("hidden").click()
    for tab in (here, there):
        expect(tab.card("hidden")).to_have_count(0)
        expect(tab.page.locator("#tray")).to_contain_text("hidden")


def test_order_height_and_folding_are_ones_own_in_every_tab(
    product: Product, scene: Scene, visit: Visit
) -> None:
    for key in ("one", "two", "three"):
        write(product, scene.session, key, "x\n\n" * 30)
    member = visit(scene.member.cookie)
    here, there = member.open(scene.path), member.open(scene.path, web=1)
    other = visit(scene.operator.cookie).open(scene.path)
    for tab in (here, there, other):
        expect(tab.connection).to_have_text("Live")
    first, second, third = before = order(here)
    assert order(other) == before

    grip = here.card(first).locator("[data-grip]")
    grip.focus()
    for key in ("Space", "ArrowDown", "Space"):
        here.page.keyboard.press(key)
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

    here.card(first).locator("[data-grip]").focus()
    here.page.keyboard.press("m")
    expect(here.page.locator(".card.maxi")).to_be_visible()
    write(product, scene.session, first, "changed while it fills the page")
    expect(here.value(first)).to_have_text("changed while it fills the page")
    here.page.keyboard.press("Escape")
    expect(here.page.locator(".card.maxi")).to_have_count(0)

    expect(other.value(first)).to_have_text("changed while it fills the page")
    assert order(other) == before
    expect(other.card(second)).not_to_have_attribute("data-size", "c")
    assert order(member.open(scene.path)) == [third, second, first]
