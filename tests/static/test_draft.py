from typing import Any

import pytest
from playwright.sync_api import expect

from tests.static.conftest import session_html
from tests.static.live_page import PATH, LivePage, conversation_frame
from tests.templates.samples import message

pytestmark = pytest.mark.browser


def piece(text: str = "", offset: int = 0, **changes: Any) -> dict[str, Any]:
    given = {
        "type": "piece",
        "turn": 2,
        "call": 1,
        "voice": "text",
        "calls": [],
        "note": "",
        "is_over": False,
    }
    return {**given, "text": text, "offset": offset, **changes}


def draft(text: str, **changes: Any) -> dict[str, Any]:
    given = {"turn": 2, "call": 1, "text": text, "thinking": "", "calls": [], "note": ""}
    return {"type": "draft", "draft": {**given, **changes}}


def lines(live: LivePage) -> list[str]:
    ids: list[str] = live.page.locator("li.turn").evaluate_all("all => all.map((one) => one.id || 'draft')")
    return ids


def shown(live: LivePage) -> str:
    return live.page.locator("[data-draft-text]").inner_text()


def test_text_appears_as_it_comes_and_is_never_read_as_html(live: LivePage) -> None:
    live.send(piece("<b>Hel"), piece("lo</b>\n  you", 6))
    assert shown(live) == "<b>Hello</b>\n  you"
    assert live.page.locator("[data-draft] b").count() == 0


def test_text_beyond_the_first_plane_loses_nothing(live: LivePage) -> None:
    live.send(piece("\U0001f600 ok"), piece(" then", 5))
    assert shown(live) == "\U0001f600 ok then"


def test_a_piece_that_comes_twice_counts_once(live: LivePage) -> None:
    live.send(piece("Hello"), piece("Hello"), piece("lo Ana", 3))
    assert shown(live) == "Hello Ana"


def test_a_missing_piece_is_asked_for_and_filled_in(live: LivePage) -> None:
    live.send(piece("Hel"))
    live.wait_for_answer(lambda: live.send(piece(" Ana", 5)), {"type": "resync", "part": "draft"})
    assert shown(live) == "Hel"
    live.send(draft("Hello"))
    assert shown(live) == "Hello Ana"


def test_a_page_that_comes_late_gets_the_draft_and_goes_on(live: LivePage) -> None:
    live.send(draft("Hel", thinking="Hm."), piece("lo", 3))
    assert shown(live) == "Hello"
    assert live.page.locator("[data-draft-thinking]").is_visible()


def test_thinking_is_folded(live: LivePage) -> None:
    live.send(piece("Hm.", voice="thinking"))
    thought = live.page.locator("[data-draft-thought]")
    expect(thought).to_be_hidden()
    live.page.click("[data-draft-thinking] summary")
    expect(thought).to_have_text("Hm.")


def test_calls_and_retries_are_told(live: LivePage) -> None:
    live.send(piece(calls=["store_set", "<i>x</i>"], note="Provider overloaded, trying again in 4 s"))
    assert live.text("[data-draft-note]") == "Provider overloaded, trying again in 4 s"
    assert live.text("[data-draft-calls]") == "store_set writing arguments <i>x</i> writing arguments"


def test_the_stored_message_takes_the_place_of_the_draft(live: LivePage) -> None:
    live.send(piece("Hello"))
    frame = conversation_frame(5, 6, message(id="3"))
    live.send({**frame, "spoken": {"turn": 2, "call": 1}})
    assert live.page.locator("[data-draft]").count() == 0
    live.send(piece("late", 5))
    assert live.page.locator("[data-draft]").count() == 0


def test_a_discarded_draft_leaves(live: LivePage) -> None:
    live.send(piece("Hello"), piece(is_over=True))
    assert live.page.locator("[data-draft]").count() == 0
    live.send(piece("Again", call=2))
    assert shown(live) == "Again"


def test_finished_blocks_take_the_place_of_their_text(live: LivePage) -> None:
    live.send(piece("# Title\n\nmore"))
    block = {"type": "block", "turn": 2, "call": 1, "start": 0, "end": 9}
    live.send({**block, "html": "<div><h3>Title</h3></div>"})
    assert shown(live) == "more"
    assert live.page.locator("[data-draft-blocks] h3").inner_text() == "Title"
    live.send({**block, "html": "<div>once more</div>"}, piece(" text", 13))
    assert shown(live) == "more text"
    # The last of three came first, and the text of the second is not complete yet.
    live.send({**block, "start": 20, "end": 22, "html": "<p>c</p>"}, piece("\n", 18))
    live.send({**block, "start": 9, "end": 20, "html": "<p>b</p>"})
    assert shown(live).strip() == "more text"
    live.send(piece("\nc\nrest", 19))
    assert shown(live) == "rest"
    assert live.page.locator("[data-draft-blocks]").inner_text().split() == ["Title", "b", "c"]


def test_messages_come_before_the_draft_and_waiting_ones_behind_it(live: LivePage) -> None:
    waiting = message(id="9", role="user", waits=True)
    live.send(piece("Hello"), {**conversation_frame(5, 6, waiting), "waiting": ["message-9"]})
    live.send({**conversation_frame(6, 7, message(id="3")), "waiting": ["message-9"]})
    assert lines(live) == ["message-1", "message-2", "message-3", "draft", "message-9"]
    live.send({**conversation_frame(7, 8), "waiting": []})
    assert live.page.locator("#message-9").count() == 0


def test_a_page_that_is_loaded_meanwhile_has_the_draft_before_what_waits(unopened: LivePage) -> None:
    written = {"turn": 2, "call": 1, "text": "Hel", "thinking": "", "calls": [], "note": ""}
    waiting = message(id="9", role="user", waits=True, place=1)
    unopened.site.pages[PATH] = session_html(draft=written, waiting=[waiting])
    live = unopened.open()
    assert lines(live)[2:] == ["draft", "message-9"]
    live.send(piece("lo", 3), {**conversation_frame(5, 6, message(id="3")), "waiting": ["message-9"]})
    assert shown(live) == "Hello"
    assert lines(live)[2:] == ["message-3", "draft", "message-9"]


def test_an_answer_that_begins_before_its_message_is_seen_to_be_taken_up_stands_behind_it(
    live: LivePage,
) -> None:
    waiting = [message(id=number, role="user", waits=True, place=1) for number in ("8", "9")]
    live.send({**conversation_frame(5, 6, *waiting), "waiting": ["message-8", "message-9"]}, piece("Hello"))
    taken, answer = message(id="8", role="user"), message(id="10")
    live.send({**conversation_frame(6, 7, taken, answer), "waiting": ["message-9"]})
    assert lines(live)[2:] == ["message-8", "message-10", "draft", "message-9"]


def test_a_growing_answer_keeps_the_place_of_a_reader_further_up(live: LivePage) -> None:
    live.send(piece("line\n" * 200))
    live.page.locator("[data-log]").evaluate("log => { log.scrollTop = -500; }")
    live.wait_until(lambda: live.page.locator("[data-log]").evaluate("log => log.scrollTop") == -500)
    before = live.page.locator("#message-1").bounding_box()
    live.send(piece("more\n" * 50, 1000))
    after = live.page.locator("#message-1").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 2
