import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.static.conftest import FIRST, session_html
from tests.static.live_page import PATH, LivePage, board_frame, conversation_frame
from tests.static.still_site import StillSite
from tests.templates.samples import fleet_row, message, turn

pytestmark = pytest.mark.browser

SIGNED_OUT = 4401
NOT_ALLOWED = 4403
TOO_SLOW = 4008
SERVER_LEAVES = 4012


def address(live: LivePage) -> tuple[str, dict[str, str]]:
    parts = urlsplit(live.sockets[-1].url)
    return parts.path, dict(parse_qsl(parts.query))


def lose(live: LivePage, code: int = SERVER_LEAVES) -> None:
    live.sockets[-1].close(code=code)


def refuse_sockets(live: LivePage, code: int = SERVER_LEAVES) -> None:
    live.refusal = code


def test_the_socket_says_what_the_page_already_has(live: LivePage) -> None:
    assert address(live) == (f"/ws{PATH}", {"board": "7", "conversation": "5", "view": "first"})


@pytest.mark.parametrize("code", [1006, TOO_SLOW, SERVER_LEAVES])
def test_a_lost_socket_is_opened_again_where_it_stopped(live: LivePage, code: int) -> None:
    live.send(board_frame(7, 9, FIRST), conversation_frame(5, 6, message(id="3"), turn=turn()))
    lose(live, 1011 if code == 1006 else code)
    live.wait_until(lambda: len(live.sockets) == 2)
    live.expect_state("live")
    assert address(live)[1] == {"board": "9", "conversation": "6", "view": "seen"}


def test_the_page_goes_on_trying_and_says_how_often(live: LivePage) -> None:
    refuse_sockets(live)
    lose(live)
    live.expect_state("reconnecting")
    expect(live.page.locator("[data-live-text]")).to_have_text("Reconnecting, try 3")


def test_a_gap_asked_for_on_a_lost_socket_is_asked_for_again(live: LivePage) -> None:
    live.send(board_frame(9, 10))
    lose(live)
    live.wait_until(lambda: len(live.sockets) == 2)
    live.expect_state("live")
    live.send(board_frame(9, 10))
    assert live.said.count({"type": "resync"}) == 2


def test_keepalives_are_answered_and_unknown_frames_ignored(live: LivePage) -> None:
    live.send({"type": "text", "turn": 1, "text": "…"}, {"type": "nobody knows"})
    assert live.said == [{"type": "pong"}]


def test_what_was_received_is_acknowledged_in_large_pieces(live: LivePage) -> None:
    live.send({"type": "filler", "text": "x" * 60_000})
    assert not [said for said in live.said if said["type"] == "ack"]
    live.send({"type": "filler", "text": "x" * 10_000})
    acknowledged = [said["bytes"] for said in live.said if said["type"] == "ack"]
    assert len(acknowledged) == 1
    assert acknowledged[0] > 70_000


@pytest.mark.parametrize(
    ("code", "words", "login"),
    [(SIGNED_OUT, "Your session ended.", True), (NOT_ALLOWED, "not open to you", False)],
)
def test_a_person_who_may_not_watch_any_more_is_told_and_nothing_is_tried(
    live: LivePage, code: int, words: str, login: bool
) -> None:
    banner, retry = live.page.locator("[data-banner]"), live.page.locator("[data-banner-retry]")
    banner.evaluate("banner => { banner.hidden = false; }")
    retry.focus()
    lose(live, code)
    expect(banner).to_contain_text(words)
    expect(retry).to_be_hidden()
    link = live.page.locator("[data-banner-login]")
    assert link.is_visible() is login
    expect(link if login else live.page.get_by_role("log")).to_be_focused()
    assert link.get_attribute("href") == f"/accounts/login/?next={PATH}"
    assert len(live.sockets) == 1


@pytest.mark.parametrize(("code", "left"), [(SIGNED_OUT, 2), (NOT_ALLOWED, 1)])
def test_a_session_that_is_not_open_any_more_leaves_the_list(
    unopened: LivePage, code: int, left: int
) -> None:
    unopened.site.pages[PATH] = session_html(rail=[fleet_row(), fleet_row(id=UUID(int=2), title="Other")])
    live = unopened.open()
    live.page.locator("#rail [aria-current]").focus()
    lose(live, code)
    expect(live.page.locator("#rail a")).to_have_count(left)
    expect(live.page.locator("#rail a").last).to_contain_text("Other")
    expect(live.page.locator("#rail a").first).to_be_focused()


def test_a_refused_handshake_is_told_from_a_lost_server_by_the_page_itself(live: LivePage) -> None:
    live.site.page_status = 404
    refuse_sockets(live)
    lose(live)
    expect(live.page.locator("[data-banner]")).to_contain_text("not open to you")
    live.problems.clear()  # the browser logs the 404 that the page asked for


def test_the_banner_waits_ten_seconds_and_can_try_at_once(timed: LivePage) -> None:
    banner = timed.page.locator("[data-banner]")
    refuse_sockets(timed)
    lose(timed)
    timed.expect_state("reconnecting")
    timed.page.clock.run_for(5000)
    expect(banner).to_be_hidden()
    timed.page.clock.run_for(8000)
    expect(banner).to_contain_text("Reconnecting. You see the state of")
    timed.refusal = None
    # Pressed by script: on a slow machine the page may try by itself first, and the button is gone then.
    timed.page.locator("[data-banner-retry]").evaluate("button => button.click()")
    timed.expect_state("live")
    expect(banner).to_be_hidden()


def test_after_half_a_minute_the_page_says_that_it_is_offline(timed: LivePage) -> None:
    refuse_sockets(timed)
    lose(timed)
    timed.expect_state("reconnecting")
    for _ in range(45):
        timed.page.clock.run_for(1000)
        timed.page.wait_for_timeout(5)
    timed.expect_state("offline")
    # As clocks are written everywhere, whatever the browser prefers.
    expect(timed.page.locator("[data-banner]")).to_contain_text(re.compile(r"Offline since \d\d:\d\d:\d\d\."))


def test_a_socket_that_fell_silent_is_given_up(timed: LivePage) -> None:
    timed.page.clock.run_for(40_000)
    timed.send()
    timed.page.clock.run_for(40_000)
    assert len(timed.sockets) == 1
    timed.page.clock.run_for(20_000)
    timed.wait_until(lambda: len(timed.sockets) == 2)


def test_losing_the_network_shows_at_once(page_alone: Page, site: StillSite) -> None:
    live = LivePage(page_alone, site).open()
    refuse_sockets(live)
    live.page.context.set_offline(True)
    live.page.evaluate("dispatchEvent(new Event('offline'))")
    live.expect_state("offline")


def announced(live: LivePage) -> Any:
    return live.page.locator("#announce").text_content()


def test_readers_of_the_screen_hear_of_the_connection(live: LivePage) -> None:
    assert announced(live) == ""
    lose(live)
    live.wait_until(lambda: announced(live) == "Live again")
