"""Whoever works by keyboard keeps their place: no action of the session page leaves the focus nowhere."""

from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.static.conftest import PINNED, session_html
from tests.static.live_page import PATH, LivePage, board_frame, card_frame, conversation_frame, gone
from tests.templates.samples import call, card, hidden, message, turn

pytestmark = pytest.mark.browser

COLLAPSED = card(key="progress", dom_id="card-1", size="c")
APPROVAL = SimpleNamespace(id="a1", tool="delete", risk="low", arguments="{}", digest="d", url="approvals/")


def view_frame(*cards: Any) -> dict[str, Any]:
    """Return the frame that answers a change of somebody's own view."""
    return {**board_frame(7, 7, *cards), "type": "view", "cards": [card_frame(each) for each in cards]}


def waiting_frame(start: int, end: int, *ids: str) -> dict[str, Any]:
    waiting = [message(id=each, role="user", waits=True, place=1) for each in ids]
    frame = conversation_frame(start, end, *waiting)
    # The controls are for those who may act.
    for line in frame["messages"]:
        line["html"] = line["html"].replace("</li>", '<button form="withdraw-form">Withdraw</button></li>')
    return {**frame, "waiting": [f"message-{each}" for each in ids]}


@pytest.mark.parametrize("action", ["Copy text", "Move up", "Move down", "Collapse", "S", "Fit"])
@pytest.mark.parametrize("is_by_key", [True, False])
def test_an_action_of_a_cards_menu_gives_the_focus_back_to_its_button(
    live: LivePage, action: str, is_by_key: bool
) -> None:
    menu = live.page.locator("#card-1 details.menu")
    menu.locator("summary").click()
    button = menu.get_by_role("button", name=action, exact=action in {"S", "Fit"})
    if is_by_key:
        button.focus()
        button.press("Enter")
    else:
        button.click()
    expect(menu).not_to_have_attribute("open", "")
    expect(menu.locator("summary")).to_be_focused()
    live.send(view_frame(COLLAPSED))
    expect(menu.locator("summary")).to_be_focused()


def test_a_card_that_is_folded_from_inside_keeps_the_focus(live: LivePage) -> None:
    live.page.focus("#card-1-body")
    live.page.keyboard.press("c")
    live.send(view_frame(COLLAPSED))
    expect(live.page.locator("#card-1 [data-grip]")).to_be_focused()


def test_pinning_goes_on_to_the_next_entry_and_at_last_to_the_card(live: LivePage) -> None:
    live.page.click("#tray > summary")
    tray = live.page.locator("#tray")
    tray.get_by_role("button", name="Pin cursor").press("Enter")
    shown = [card(key=key, dom_id=f"card-{key}", pinned=True) for key in ("cursor", "other")]
    rest = board_frame(7, 7, tray=[hidden(key="other", dom_id="card-5")])["tray"]
    live.send({**view_frame(shown[0]), "tray": rest})
    expect(tray.get_by_role("button", name="Pin other")).to_be_focused()
    live.page.keyboard.press("Enter")
    live.send(view_frame(shown[1]))
    expect(tray).to_be_hidden()
    expect(live.page.locator("#card-other [data-pin]")).to_be_focused()


def test_unpinning_a_card_that_is_gone_leaves_the_focus_on_the_board(live: LivePage) -> None:
    live.send(board_frame(7, 8, gone=[gone(PINNED, "evicted")]))
    live.page.locator("#card-2 [data-pin]").press("Enter")
    expect(live.page.locator("#card-2")).to_have_count(0)
    expect(live.page.get_by_role("group", name="Cards")).to_be_focused()


def test_a_withdrawn_message_leaves_the_focus_on_the_conversation(live: LivePage) -> None:
    live.send(waiting_frame(5, 6, "8", "9"))
    live.page.locator("#message-8").get_by_role("button", name="Withdraw").focus()
    live.send(waiting_frame(6, 7, "9"))
    expect(live.page.get_by_role("log")).to_be_focused()


def test_an_answered_approval_leaves_the_focus_on_its_call(unopened: LivePage) -> None:
    asked = message(id="3", calls=[call(state="waiting", result="", approval=APPROVAL)])
    unopened.site.pages[PATH] = session_html(conversation=[message(id="1", calls=[call()]), asked])
    live = unopened.open()
    live.page.get_by_role("button", name="Approve").focus()
    live.send(conversation_frame(5, 6, message(id="3", calls=[call(state="running", result="")])))
    expect(live.page.locator("#message-3 summary")).to_be_focused()


def test_controls_of_a_turn_that_go_leave_the_focus_on_the_conversation(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, turn=turn(status="running")))
    live.page.get_by_role("button", name="Stop").focus()
    live.send(conversation_frame(6, 7, turn=turn(status="succeeded")))
    expect(live.page.get_by_role("log")).to_be_focused()


def test_going_to_the_latest_leaves_the_focus_on_the_conversation(live: LivePage) -> None:
    live.page.locator("[data-jump]").evaluate("jump => { jump.hidden = false; }")
    live.page.locator("[data-jump]").press("Enter")
    expect(live.page.get_by_role("log")).to_be_focused()


def test_sending_leaves_the_focus_in_the_composer(live: LivePage) -> None:
    live.page.fill("#message", "hello")
    live.page.get_by_role("button", name="Send").press("Enter")
    expect(live.page.locator("#message")).to_have_value("")
    assert live.page.locator("[data-composer] :focus").count() == 1


def test_a_message_that_is_dismissed_gives_the_focus_back(live: LivePage) -> None:
    pin = live.page.locator("#card-1 [data-pin]")
    pin.press("Enter")
    live.page.get_by_role("button", name="Dismiss").focus()
    live.page.keyboard.press("Enter")
    expect(live.page.locator("[data-toast]")).to_be_hidden()
    expect(pin).to_be_focused()


def test_the_list_of_keys_gives_the_focus_back_to_the_menu_it_came_from(live: LivePage) -> None:
    button = live.page.locator(".topbar details.menu > summary")
    button.click()
    live.page.get_by_role("button", name="Keyboard").press("Enter")
    expect(live.page.get_by_role("dialog")).to_be_visible()
    live.page.get_by_role("dialog").get_by_role("button", name="Close").press("Enter")
    expect(live.page.get_by_role("dialog")).to_be_hidden()
    expect(button).to_be_focused()
