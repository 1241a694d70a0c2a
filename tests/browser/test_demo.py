"""The demonstration: somebody signs in with the printed account and watches the survey work."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Visit, either_mode
from tests.browser.demo_folder import totals_by_find_and_wc
from tests.browser.product import Product
from tests.browser.visitor import Tab

ACCOUNT = re.compile(r"^ +operator +(\S+)", re.MULTILINE)
SESSION = re.compile(r"/sessions/[-0-9a-f]+/")


def set_card(tab: Tab, key: str, value: str) -> None:
    """Change a card as an operator does, and come back to the session."""
    tab.choose(key, "Edit")
    tab.page.get_by_label("Value", exact=True).fill(value)
    tab.page.get_by_role("button", name="Save entry").click()
    expect(tab.card(key).locator(".card__version")).to_contain_text("by ")
    expect(tab.connection).to_have_text("Live")


def loads(tab: Tab) -> str:
    """Return what differs after any navigation."""
    return str(tab.page.evaluate("performance.timeOrigin"))


def sign_in(product: Product, visit: Visit) -> tuple[Tab, str]:
    """Follow what the demo command prints; return its session's page and id."""
    printed = product.manage("demo")
    if product.mode == "embedded":
        # As `make run` does it: the rows first. The process finds the queued turn when it starts.
        product.restart_web()
    account, session = ACCOUNT.search(printed), SESSION.search(printed)
    assert account, printed
    assert session, printed
    tab = visit().open(session[0])
    tab.page.get_by_label("User name").fill("operator")
    tab.page.get_by_label("Password").fill(account[1])
    tab.page.get_by_role("button", name="Sign in").click()
    expect(tab.connection).to_have_text("Live")
    return tab, session[0].split("/")[2]


@either_mode
def test_the_survey_shows_itself_live_obeys_and_counts_as_find_and_wc_do(
    product: Product, demo_folder: Path, visit: Visit
) -> None:
    tab, session = sign_in(product, visit)
    set_card(tab, "mode", "quick")
    page_load = loads(tab)
    expect(tab.value("progress")).to_contain_text("Mode: quick")
    status = tab.page.locator("#session-status")
    expect(status).to_have_attribute("data-status", "idle", timeout=60_000)
    assert loads(tab) == page_load
    changed = {card["key"] for frame in tab.frames_of("board") for card in frame.content["cards"]}
    assert {"progress", "counters", "chart_data", "findings"} <= changed

    totals = totals_by_find_and_wc(demo_folder)
    board = product.stage.do("entries", session=session)
    assert {name: board["counters"][name] for name in totals} == totals
    for name, total in totals.items():
        expect(tab.value("counters").locator("div", has_text=name).locator("dd")).to_have_text(str(total))
        expect(tab.page.get_by_role("log")).to_contain_text(f"{total:,} {name}")

    box = tab.page.get_by_role("textbox", name=re.compile("^Message to"))
    box.fill("Survey it again")
    box.press("Enter")
    set_card(tab, "abort", "true")
    expect(tab.value("progress")).to_contain_text("Stopped by the abort flag")
    expect(status).to_have_attribute("data-status", "idle")
    expect(tab.page.get_by_role("log")).to_contain_text("abort flag on the whiteboard is set")
    assert product.stage.do("turns", session=session) == ["succeeded", "succeeded"]
