"""Operators work on the board and the conversation, with scripts and without."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.product import Product
from tests.browser.scene import Scene
from tests.browser.visitor import Tab

pytestmark = either_mode

MOST_RELOADS = 200

with_and_without_scripts = pytest.mark.parametrize(
    "has_scripts", [True, False], ids=["scripts", "no-scripts"]
)


def open_note(product: Product, scene: Scene, visit: Visit, *, has_scripts: bool = True) -> Tab:
    product.stage.do("write", session=scene.session, key="note", value="as it was")
    tab = visit(scene.operator.cookie, has_scripts=has_scripts).open(scene.path)
    expect(tab.value("note")).to_have_text("as it was")
    return tab


@with_and_without_scripts
def test_an_operator_edits_an_entry_from_its_card(
    product: Product, scene: Scene, visit: Visit, has_scripts: bool
) -> None:
    tab = open_note(product, scene, visit, has_scripts=has_scripts)
    tab.choose("note", "Edit")
    expect(tab.page.get_by_label("Value", exact=True)).to_have_value("as it was")
    tab.page.get_by_label("Value", exact=True).fill('{"rows": [1, 2.50]}')
    tab.page.get_by_role("radio", name="JSON").check()
    tab.page.get_by_label("Priority").select_option("high")
    tab.page.get_by_role("button", name="Save entry").click()
    expect(tab.value("note")).to_contain_text("rows")
    expect(tab.card("note").locator(".card__version")).to_contain_text(f"v2 by {scene.operator.name}")
    assert product.stage.do("entries", session=scene.session) == {"note": {"rows": [1, 2.5]}}


@with_and_without_scripts
def test_an_operator_adds_an_entry(product: Product, scene: Scene, visit: Visit, has_scripts: bool) -> None:
    tab = visit(scene.operator.cookie, has_scripts=has_scripts).open(scene.path)
    tab.page.get_by_role("link", name="Add an entry").click()
    tab.page.get_by_role("textbox", name="Key", exact=True).fill("mine/with a <b>name</b>")
    tab.page.get_by_label("Description").fill("Written by a person")
    tab.page.get_by_label("Value", exact=True).fill("hello")
    tab.page.get_by_role("button", name="Save entry").click()
    expect(tab.value("mine/with a <b>name</b>")).to_have_text("hello")


@with_and_without_scripts
def test_an_operator_deletes_an_entry_from_its_card(
    product: Product, scene: Scene, visit: Visit, has_scripts: bool
) -> None:
    tab = open_note(product, scene, visit, has_scripts=has_scripts)
    tab.choose("note", "Delete")
    tab.page.get_by_role("button", name="Delete entry").click()
    expect(tab.page.get_by_role("heading", name="Whiteboard")).to_be_visible()
    expect(tab.card("note")).to_have_count(0)
    assert product.stage.do("entries", session=scene.session) == {}


@with_and_without_scripts
def test_a_member_pins_and_unpins(product: Product, scene: Scene, visit: Visit, has_scripts: bool) -> None:
    product.stage.do("write", session=scene.session, key="quiet", value="shh", shown=False)
    tab = visit(scene.member.cookie, has_scripts=has_scripts).open(scene.path)
    if has_scripts:
        expect(tab.connection).to_have_text("Live")
    tab.pin_from_tray("quiet")
    expect(tab.value("quiet")).to_have_text("shh")
    assert product.stage.do("pins", name=scene.member.name) == ["quiet"]
    tab.pin("quiet").click()
    expect(tab.card("quiet")).to_have_count(0)
    assert product.stage.do("pins", name=scene.member.name) == []


@with_and_without_scripts
def test_an_operator_starts_a_session_sends_and_stops(
    product: Product, scene: Scene, visit: Visit, has_scripts: bool
) -> None:
    tab = visit(scene.operator.cookie, has_scripts=has_scripts).open("/")
    tab.page.get_by_role("button", name="New session").click()
    tab.page.get_by_role("textbox", name="Title").fill("By a person")
    tab.page.get_by_label("First message").fill("Survey the folder")
    tab.page.get_by_role("button", name="Start session").click()
    expect(tab.page.get_by_role("heading", name="By a person")).to_be_visible()
    log = tab.page.get_by_role("log")
    expect(log).to_contain_text("Survey the folder")
    tab.page.get_by_role("textbox", name=re.compile("^Message to")).fill("and one more thing")
    tab.page.get_by_role("button", name="Send").click()
    expect(log).to_contain_text("and one more thing")
    session = tab.page.url.rstrip("/").rsplit("/", 1)[-1]
    for turn in (1, 2):
        tab.page.get_by_role("button", name="Stop").click()
        if not has_scripts:
            reload_while(tab, f"Turn {turn} is")
        expect(tab.page.locator("#turn-state")).not_to_contain_text(f"Turn {turn} is")
    assert product.stage.do("turns", session=session) == ["cancelled", "cancelled"]


def reload_while(tab: Tab, sentence: str) -> None:
    """Look again, as a person without scripts does, until the turn's state says something else."""
    for _ in range(MOST_RELOADS):
        if sentence not in tab.page.locator("#turn-state").inner_text():
            return
        tab.page.reload()


def test_a_conflict_shows_both_values_and_overwrites_nothing(
    product: Product, scene: Scene, visit: Visit
) -> None:
    product.stage.do("write", session=scene.session, key="note", value="as it was")
    visitor = visit(scene.operator.cookie)
    visitor.expect_faults("status of 409")
    tab = visitor.open(scene.path)
    tab.choose("note", "Edit")
    page = tab.page
    page.get_by_label("Value", exact=True).fill("what I want")
    product.stage.do("write", session=scene.session, key="note", value="what the agent wrote")
    page.get_by_role("button", name="Save entry").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved")
    expect(page.get_by_role("region", name="Yours")).to_contain_text("what I want")
    expect(page.get_by_role("region", name="Theirs")).to_contain_text("what the agent wrote")
    assert product.stage.do("entries", session=scene.session) == {"note": "what the agent wrote"}
    page.get_by_role("button", name="Keep mine").click()
    expect(tab.value("note")).to_have_text("what I want")
