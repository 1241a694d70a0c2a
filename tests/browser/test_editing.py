"""Operators work on the board: with mouse and keyboard, and never over each other."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene

pytestmark = either_mode


def test_an_operator_adds_edits_and_deletes_entries_and_overwrites_nobody(
    product: Product, scene: Scene, visit: Visit
) -> None:
    product.stage.do("write", session=scene.session, key="note", value="as it was")
    visitor = visit(scene.operator.cookie)
    visitor.expect_faults("status of 409")
    tab = visitor.open(scene.path)
    page, value = tab.page, tab.page.get_by_label("Value", exact=True)

    page.get_by_role("link", name="Add an entry").click()
    page.get_by_role("textbox", name="Key", exact=True).fill("mine/with a <b>name</b>")
    page.get_by_label("Description").fill("Written by a person")
    value.fill('{"rows": [1, 2.50]}')
    page.get_by_role("radio", name="JSON").check()
    page.get_by_label("Priority").select_option("high")
    page.get_by_role("button", name="Save entry").click()
    expect(tab.value("mine/with a <b>name</b>")).to_contain_text("rows")
    assert product.stage.do("entries", session=scene.session)["mine/with a <b>name</b>"] == {"rows": [1, 2.5]}

    tab.choose("note", "Edit")
    expect(value).to_have_value("as it was")
    value.fill("what I want")
    product.stage.do("write", session=scene.session, key="note", value="what the agent wrote")
    page.get_by_role("button", name="Save entry").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved")
    expect(page.get_by_role("region", name="Yours")).to_contain_text("what I want")
    expect(page.get_by_role("region", name="Theirs")).to_contain_text("what the agent wrote")
    assert product.stage.do("entries", session=scene.session)["note"] == "what the agent wrote"
    page.get_by_role("button", name="Keep mine").click()
    expect(tab.value("note")).to_have_text("what I want")
    expect(tab.card("note").locator(".card__version")).to_contain_text(f"v3 by {scene.operator.name}")

    tab.choose("note", "Delete")
    page.get_by_role("button", name="Delete entry").click()
    expect(page.get_by_role("heading", name="Whiteboard")).to_be_visible()
    expect(tab.card("note")).to_have_count(0)
    assert "note" not in product.stage.do("entries", session=scene.session)


def test_a_refused_form_has_the_focus_where_to_mend_it_and_is_not_left_by_mistake(
    product: Product, scene: Scene, visit: Visit
) -> None:
    visitor = visit(scene.operator.cookie)
    visitor.expect_faults("status of 400")
    page = visitor.open(f"/agents/{scene.agent}/").page
    page.get_by_label("Members").fill("nobody-here")
    page.get_by_label("Gate, percent").fill("7")
    page.get_by_role("button", name="Save settings").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("2 fields need another value")
    expect(page.get_by_label("Gate, percent")).to_be_focused()
    stay(page)
    page.get_by_label("Members").fill("")
    page.get_by_label("Gate, percent").fill("85")
    page.get_by_role("button", name="Save settings").press("Enter")
    expect(page.get_by_text("Saved. New sessions start").first).to_be_visible()
    page.wait_for_load_state()
    page.get_by_label("Gate, percent").press("ArrowUp")
    stay(page)
    page.get_by_role("button", name="Discard").press("Enter")
    page.get_by_role("link", name="Agents", exact=True).click()
    expect(page.get_by_role("heading", name="Agents")).to_be_visible()


def stay(page: Page) -> None:
    """Follow a link, and stay when the browser asks."""
    # The scripts of the page run before that.
    page.wait_for_load_state()
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog") as asked:
        page.get_by_role("link", name="Agents", exact=True).click(no_wait_after=True)
    assert asked.value.type == "beforeunload"
    expect(page.get_by_label("Gate, percent")).to_be_visible()
