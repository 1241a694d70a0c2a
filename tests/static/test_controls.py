from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.static.conftest import PINNED, session_html
from tests.static.live_page import PATH, LivePage, board_frame, conversation_frame, gone
from tests.static.still_site import StillSite
from tests.templates.samples import card, fleet_row, turn

pytestmark = pytest.mark.browser


def sent(live: LivePage, count: int = 1) -> Any:
    live.wait_until(lambda: len(live.site.posts) == count)
    return live.site.posts[-1]


def field(post: Any, name: str) -> str:
    """Return a field of a posted form as browsers write them."""
    _, _, rest = post.body.partition(f'name="{name}"\r\n\r\n')
    return str(rest.partition("\r\n--")[0])


def test_a_pin_is_sent_without_leaving_the_page(live: LivePage) -> None:
    live.page.click("#card-1 [data-pin]")
    post = sent(live)
    assert (post.path, post.accept, field(post, "pin")) == (f"{PATH}pins/", "application/json", "progress")
    expect(live.page.locator("[data-toast]")).to_have_text("Pinned progress")
    assert len(live.sockets) == 1


def test_unpinning_a_card_that_is_gone_takes_it_away(live: LivePage) -> None:
    live.send(board_frame(7, 8, gone=[gone(PINNED, "evicted")]))
    live.page.click("#card-2 [data-pin]")
    assert field(sent(live), "unpin") == "limits"
    live.wait_until(lambda: live.card("card-2") == "")


def test_a_refused_pin_says_why(live: LivePage) -> None:
    live.site.status, live.site.answer = 400, '{"error": "Too many pins.", "field": "key"}'
    live.page.click("#card-1 [data-pin]")
    expect(live.page.locator("[data-toast]")).to_have_text("Too many pins.")
    live.problems.clear()  # the browser logs the 400


def test_enter_sends_and_shift_enter_starts_a_line(live: LivePage) -> None:
    live.page.focus("#message")
    live.page.keyboard.type("first")
    live.page.keyboard.press("Shift+Enter")
    live.page.keyboard.type("second")
    live.page.keyboard.press("Enter")
    post = sent(live)
    assert post.path == f"{PATH}messages/"
    assert field(post, "message").splitlines() == ["first", "second"]
    expect(live.page.locator("#message")).to_have_value("")


def test_each_message_has_a_key_of_its_own_and_keeps_it_until_it_is_sent(live: LivePage) -> None:
    live.site.status, live.site.answer = 409, '{"error": "Busy."}'
    for count in (1, 2):
        live.page.fill("#message", "hello")
        live.page.keyboard.press("Enter")
        sent(live, count)
        expect(live.page.locator("[data-composer-error]")).to_have_text("Busy.")
    live.site.status, live.site.answer = 200, "{}"
    for count in (3, 4):
        live.page.fill("#message", "hello")
        live.page.keyboard.press("Enter")
        sent(live, count)
        expect(live.page.locator("#message")).to_have_value("")
    keys = [field(post, "idempotency_key") for post in live.site.posts]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert all(keys)
    live.problems.clear()


def test_a_message_that_was_changed_after_a_refusal_gets_a_new_key(live: LivePage) -> None:
    live.site.status, live.site.answer = 409, '{"error": "Busy."}'
    for count, text in enumerate(("hello", "goodbye"), start=1):
        live.page.fill("#message", text)
        live.page.keyboard.press("Enter")
        sent(live, count)
        expect(live.page.locator("[data-composer-error]")).to_have_text("Busy.")
    first, second = (field(post, "idempotency_key") for post in live.site.posts)
    assert first != second
    live.problems.clear()


@pytest.mark.parametrize("is_removed", [True, False])
def test_the_refusal_of_an_image_goes_when_it_is_removed_or_another_is_chosen(
    live: LivePage, is_removed: bool
) -> None:
    live.site.status, live.site.answer = 400, '{"error": "a.png cannot be attached."}'
    image = FilePayload(name="a.png", mimeType="image/png", buffer=b"x")
    live.page.locator("[name=images]").set_input_files(image)
    live.page.get_by_role("button", name="Send").click()
    problem = live.page.locator("[data-composer-error]")
    expect(problem).to_have_text("a.png cannot be attached.")
    if is_removed:
        live.page.get_by_role("button", name="Remove a.png").click()
    else:
        live.page.locator("[name=images]").set_input_files({**image, "name": "b.png"})
    expect(problem).to_be_hidden()
    live.problems.clear()  # the browser logs the 400


def test_a_draft_is_there_again_after_leaving_the_page(live: LivePage) -> None:
    live.page.fill("#message", "half a thought")
    live.page.reload()
    live.expect_state("live")
    assert live.page.input_value("#message") == "half a thought"


def test_nothing_but_spaces_is_not_sent(live: LivePage) -> None:
    live.page.fill("#message", "  \n ")
    live.page.keyboard.press("Enter")
    live.send()
    assert live.site.posts == []


def test_stop_is_sent_without_leaving_the_page(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, turn=turn(status="running")))
    live.page.click("#turn-state button")
    assert sent(live).path == f"{PATH}stop/"
    assert len(live.sockets) == 1


@pytest.mark.parametrize("is_by_key", [True, False])
def test_a_second_press_right_after_the_first_is_not_meant_for_what_took_its_place(
    live: LivePage, is_by_key: bool
) -> None:
    live.send(conversation_frame(5, 6, turn=turn(status="failed", error="No answer.")))
    retry = live.page.get_by_role("button", name="Retry now")
    if is_by_key:
        retry.focus()
        live.page.keyboard.down("Enter")
    else:
        retry.click()
    assert sent(live).path == f"{PATH}retry/"
    live.send(conversation_frame(6, 7, turn=turn(status="running")))
    if is_by_key:
        live.page.keyboard.down("Enter")
        live.page.keyboard.up("Enter")
    else:
        live.page.get_by_role("button", name="Stop").click(click_count=2)
    live.send()
    # Of two clicks the first may be meant.
    assert [post.path for post in live.site.posts[1:]] == ([] if is_by_key else [f"{PATH}stop/"])


def test_escape_closes_a_menu_and_gives_the_focus_back(live: LivePage) -> None:
    live.page.click("#card-1 summary")
    live.page.keyboard.press("ArrowDown")
    assert "Copy text" in live.page.evaluate("document.activeElement.textContent")
    live.page.keyboard.press("ArrowDown")
    assert "View source" in live.page.evaluate("document.activeElement.textContent")
    live.page.keyboard.press("ArrowUp")
    live.page.keyboard.press("ArrowUp")
    assert live.page.evaluate("document.activeElement.textContent").strip() == "Delete"
    live.page.keyboard.press("Escape")
    assert not live.page.locator("#card-1 details").evaluate("menu => menu.open")
    assert live.page.evaluate("document.activeElement.localName") == "summary"


def test_a_click_elsewhere_closes_a_menu(live: LivePage) -> None:
    live.page.click("#card-1 summary")
    live.page.mouse.click(500, 300)
    assert not live.page.locator("#card-1 details").evaluate("menu => menu.open")


def test_the_text_of_a_card_is_copied(live: LivePage) -> None:
    live.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    live.page.click("#card-1 summary")
    live.page.click("#card-1 [data-copy]")
    expect(live.page.locator("[data-toast]")).to_have_text("Copied progress")
    assert live.page.evaluate("navigator.clipboard.readText()") == "Half done"
    live.page.context.clear_permissions()


def test_where_the_clipboard_is_closed_the_text_is_selected(live: LivePage) -> None:
    live.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    live.page.click("#card-1 summary")
    live.page.click("#card-1 [data-copy]")
    expect(live.page.locator("[data-toast]")).to_contain_text("Selected progress")
    assert live.page.evaluate("getSelection().toString().trim()") == "Half done"


def test_the_theme_changes_at_once_and_is_stored(live: LivePage) -> None:
    live.page.click(".topbar details summary")
    live.page.check("#theme-dark")
    assert live.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert live.page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    post = sent(live)
    assert (post.path, field(post, "theme")) == ("/theme/", "dark")


def test_ages_grow_without_the_server(page_alone: Page, site: StillSite) -> None:
    clock = page_alone.clock
    clock.install(time="2026-05-06T12:00:02Z")
    clock.pause_at("2026-05-06T12:00:03Z")
    html = session_html()
    start = html.index('data-now="') + len('data-now="')
    end = html.index('"', start)
    site.pages[PATH] = html[:start] + "1778068803" + html[end:]
    live = LivePage(page_alone, site).open()
    assert live.text("#card-1-foot time") == "3 s ago"
    for moment, words in ((10_000, "14 s ago"), (60_000, "1 min ago"), (3_600_000, "1 h ago")):
        clock.fast_forward(moment)
        clock.run_for(1000)
        assert live.text("#card-1-foot time") == words


def test_readers_hear_at_most_one_sentence_in_ten_seconds(timed: LivePage) -> None:
    heard, clock = timed.page.locator("#announce"), timed.page.clock
    timed.send(board_frame(7, 8, card(key="progress", dom_id="card-1", version=16)))
    clock.run_for(50)
    expect(heard).to_have_text("progress changed")
    timed.send(board_frame(8, 9, card(key="log", dom_id="card-3", version=16), PINNED))
    clock.run_for(5000)
    expect(heard).to_have_text("progress changed")
    clock.run_for(6000)
    expect(heard).to_have_text("log and 1 more card changed")


def test_a_change_of_the_card_in_focus_is_said_at_once(live: LivePage) -> None:
    live.page.focus("#card-1-body")
    live.send(board_frame(7, 8, card(key="progress", dom_id="card-1", version=16)))
    expect(live.page.locator("#announce")).to_have_text("progress, version 16")


def test_on_a_phone_the_hidden_board_says_that_it_changed(unopened: LivePage) -> None:
    unopened.page.set_viewport_size({"width": 360, "height": 800})
    live = unopened.open()
    dot = live.page.locator("[data-newdot]")
    expect(dot).to_be_hidden()
    live.send(board_frame(7, 8, card(key="progress", dom_id="card-1", version=16)))
    expect(dot).to_be_visible()
    live.page.check("#pane-board", force=True)
    expect(dot).to_be_hidden()
    live.page.click("#card-1 [data-pin]")
    assert field(sent(live), "pin") == "progress"


def test_without_scripts_every_form_and_menu_still_works(chromium: Browser, site: StillSite) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(site.address + PATH)
    assert page.locator("noscript .banner").is_visible()
    assert not page.locator("[data-live]").is_visible()
    page.click("#card-1 summary")
    assert page.locator("#card-1").get_by_text("Edit").is_visible()
    assert not page.locator("#card-1 [data-copy]").is_visible()
    page.click("#card-1 summary")
    page.click("#tray summary")
    page.click("#tray [data-key='card-5'] button")
    post = site.posts[-1]
    assert post.path == f"{PATH}pins/"
    assert "pin=other" in post.body
    assert f"next={PATH.replace('/', '%2F')}" in post.body
    context.close()


@pytest.mark.parametrize("place", [0, 40, 79])
def test_the_rail_opens_at_the_session_of_the_page(unopened: LivePage, place: int) -> None:
    rail = [fleet_row(id=UUID(int=number)) for number in range(1, 81)]
    rail[place] = fleet_row()
    unopened.site.pages[PATH] = session_html(rail=rail)
    live = unopened.open()
    expect(live.page.locator("#rail [aria-current]")).to_be_in_viewport(ratio=1)
    assert live.page.evaluate("scrollY") == 0
