import json

import pytest
from playwright.sync_api import expect

from memory.rendering.cards import render_card
from memory.rendering.sanitize import SafeHTML
from tests.static.conftest import FIRST, LONG, PINNED
from tests.static.live_page import LivePage, board_frame, card_frame, gone
from tests.templates.samples import HOSTILE, card, hidden

pytestmark = pytest.mark.browser

NEW = card(key=HOSTILE, dom_id="card-9", description=HOSTILE)
NEWER = card(key="progress", dom_id="card-1", version=16, body=SafeHTML("<p>Done</p>"))


def order(live: LivePage) -> list[str]:
    ids: list[str] = live.page.locator(".card").evaluate_all("cards => cards.map((card) => card.id)")
    return ids


def test_a_change_replaces_the_parts_of_a_card_where_it_lies(live: LivePage) -> None:
    live.send(board_frame(7, 8, NEWER))
    assert live.text("#card-1-body") == "Done"
    assert "v16" in live.text("#card-1-foot")
    assert order(live) == ["card-1", "card-2", "card-3"]
    assert live.text("#board-summary") == "8 of 20 entries, 2,412 of 40,000 tokens"


def test_a_changed_card_is_inked_for_a_while(timed: LivePage) -> None:
    timed.send(board_frame(7, 8, NEWER))
    # The page's own time goes on beside it.
    timed.page.clock.run_for(200)
    assert "is-changed" in timed.card("card-1")
    assert "is-changed" not in timed.card("card-2")
    timed.page.clock.run_for(3000)
    assert "is-changed" not in timed.card("card-1")


def test_a_change_keeps_focus_selection_scroll_and_open_menus(live: LivePage) -> None:
    live.page.fill("#message", "half a thought")
    live.page.locator("#card-3-head details").evaluate("menu => { menu.open = true; }")
    live.page.locator("#card-3-body").evaluate("body => { body.scrollTop = 50; }")
    line = "document.querySelector('#card-3-body p:nth-child(3)')"
    live.page.evaluate(f"getSelection().selectAllChildren({line})")
    live.page.focus("#message")
    longer = card(key="log", dom_id="card-3", version=16, body=SafeHTML(f"{LONG.body}<p>More</p>"))
    live.send(board_frame(7, 8, longer))
    assert "More" in live.text("#card-3-body")
    assert live.page.evaluate("document.activeElement.id") == "message"
    assert live.page.locator("#card-3-head details").evaluate("menu => menu.open")
    assert live.page.locator("#card-3-body").evaluate("body => body.scrollTop") == 50
    assert live.page.input_value("#message") == "half a thought"


def test_a_selected_line_stays_selected_while_its_card_changes(live: LivePage) -> None:
    line = "document.querySelector('#card-3-body p:nth-child(3)')"
    live.page.evaluate(f"getSelection().selectAllChildren({line})")
    longer = card(key="log", dom_id="card-3", version=16, body=SafeHTML(f"{LONG.body}<p>More</p>"))
    live.send(board_frame(7, 8, longer))
    assert live.page.evaluate("getSelection().toString()") == "Line 2"


def test_new_cards_come_last_and_their_keys_stay_text(live: LivePage) -> None:
    live.send(board_frame(7, 8, NEW))
    assert order(live)[-1] == "card-9"
    assert live.page.locator(".card script").count() == 0
    assert live.page.locator("#card-9 .card__key").text_content() == HOSTILE


def test_frames_that_lead_nowhere_new_are_dropped(live: LivePage) -> None:
    live.send(board_frame(7, 9), board_frame(6, 9, NEWER), board_frame(7, 8, NEWER))
    assert "v15" in live.text("#card-1-foot")


def test_a_frame_that_overlaps_what_the_page_has_applies(live: LivePage) -> None:
    live.send(board_frame(3, 9, NEWER))
    assert "v16" in live.text("#card-1-foot")


def test_a_gap_asks_once_for_everything_again(live: LivePage) -> None:
    live.send(board_frame(9, 10, NEWER), board_frame(10, 11, NEWER))
    assert live.said.count({"type": "resync"}) == 1
    assert "v15" in live.text("#card-1-foot")
    live.send(board_frame(0, 12, NEWER, PINNED, LONG, snapshot=True), board_frame(12, 13, NEW))
    assert "v16" in live.text("#card-1-foot")
    assert order(live)[-1] == "card-9"
    live.send(board_frame(20, 21))
    assert live.said.count({"type": "resync"}) == 2


def test_what_a_snapshot_does_not_list_leaves(live: LivePage) -> None:
    live.send(board_frame(0, 12, FIRST, snapshot=True))
    assert [live.card(dom_id) for dom_id in ("card-1", "card-2", "card-3")] == [
        "card",
        "card is-gone",
        "card is-gone",
    ]


def test_a_pinned_card_that_is_gone_stays_and_the_others_leave_when_nobody_is_busy(timed: LivePage) -> None:
    live, clock = timed, timed.page.clock
    live.page.mouse.move(400, 400)
    live.send(board_frame(7, 8, gone=[gone(FIRST, "evicted"), gone(PINNED, "deleted")]))
    assert "is-gone" in live.card("card-1")
    assert live.text("#card-1-foot .origin") == "Evicted"
    clock.run_for(4000)
    assert "is-gone" in live.card("card-1")
    clock.run_for(3000)
    assert live.card("card-1") == ""
    assert "is-gone" in live.card("card-2")
    assert live.text("#card-2-foot .origin") == "Deleted"


def test_a_card_stays_while_the_reader_is_on_the_board(timed: LivePage) -> None:
    timed.page.focus("#card-3-body")
    timed.send(board_frame(7, 8, gone=[gone(FIRST, "evicted")]))
    timed.page.clock.run_for(30_000)
    assert "is-gone" in timed.card("card-1")


def test_a_card_that_comes_back_is_whole_again(live: LivePage) -> None:
    live.send(board_frame(7, 8, gone=[gone(PINNED, "evicted")]))
    back = card(key="limits", dom_id="card-2", pinned=True, show_in_ui=False, version=1)
    live.send(board_frame(8, 9, back))
    assert "is-gone" not in live.card("card-2")
    assert live.text("#card-2-foot .origin") == "Pinned by you"


def test_own_pins_apply_at_once_whatever_the_revision(live: LivePage) -> None:
    pinned = card(key="cursor", dom_id="card-987654321098", pinned=True, show_in_ui=False)
    view = {"type": "view", "view": "mine", "cards": [card_frame(pinned, changed=False)]}
    tray = board_frame(0, 0, tray=[hidden(key="other")])["tray"]
    live.send({**view, "gone": [gone(PINNED, "hidden")], "tray": tray})
    assert order(live) == ["card-1", "card-3", "card-987654321098"]
    assert "1 entry" in live.text("#tray")


def test_focus_stays_with_its_row_when_the_tray_changes(live: LivePage) -> None:
    live.page.click("#tray summary")
    live.page.focus("#tray [data-key='card-5'] button")
    rows = [hidden(key="first", dom_id="card-4"), hidden(key="other", dom_id="card-5")]
    live.send(board_frame(7, 8, tray=rows))
    assert live.page.evaluate("document.activeElement.value") == "other"
    assert live.page.locator("#tray").evaluate("tray => tray.open")


def test_the_empty_board_says_so_until_the_first_card(live: LivePage) -> None:
    blank = live.page.locator(".blank--board")
    expect(blank).to_be_hidden()
    live.page.locator(".card").evaluate_all("cards => cards.forEach((card) => card.remove())")
    expect(blank).to_be_visible()


def nodes_after(live: LivePage, start: int, changes: int) -> int:
    """Return how many nodes there are, in the document or held by scripts, after so many more changes."""
    live.send(
        *(
            board_frame(
                number,
                number + 1,
                card(key="progress", dom_id="card-1", version=number, body=SafeHTML(f"<p>{number}</p>" * 5)),
                tray=[hidden(), hidden(key="other", dom_id="card-5")],
            )
            for number in range(start, start + changes)
        )
    )
    wire = live.page.context.new_cdp_session(live.page)
    wire.send("HeapProfiler.collectGarbage")
    nodes: int = wire.send("Memory.getDOMCounters")["nodes"]
    wire.detach()
    return nodes


def test_changes_leave_no_nodes_behind(live: LivePage) -> None:
    few = nodes_after(live, 7, 20)
    assert nodes_after(live, 27, 200) <= few * 1.02


def test_many_changes_move_nothing_on_the_page(live: LivePage) -> None:
    live.page.evaluate(
        """window.shifts = [];
        const moved = ({ node, previousRect, currentRect }) =>
          [node?.parentElement?.outerHTML, JSON.stringify(previousRect), JSON.stringify(currentRect)];
        const note = (entry) => shifts.push([entry.value, ...entry.sources.map(moved)]);
        new PerformanceObserver((list) => list.getEntries().forEach(note))
          .observe({ type: "layout-shift" })"""
    )
    frames = [
        board_frame(
            7 + n,
            8 + n,
            card(
                key="progress",
                dom_id="card-1",
                version=n,
                tokens=n * 97 % 5000,
                description="d" * (n % 90),
                body=SafeHTML("<p>Line</p>" * (n % 30)),
            ),
            tray=[hidden(), hidden(key="other", dom_id="card-5")],
        )
        for n in range(100)
    ]
    for frame in frames:
        live.send(frame)
    assert live.page.evaluate("shifts") == []
    assert "v99" in live.text("#card-1-foot")


def test_a_receipt_arrives_without_touching_the_rest_of_the_card(live: LivePage) -> None:
    assert live.text("#card-1-seen") == "not yet seen"
    html = '<span id="card-1-seen" class="num card__seen">turn 3, call 2</span>'
    live.send({"type": "receipts", "cards": [{"id": "card-1", "html": html}, {"id": "card-9", "html": html}]})
    assert live.text("#card-1-seen") == "turn 3, call 2"
    assert "is-changed" not in live.card("card-1")


@pytest.mark.parametrize("width", [390, 1440])
def test_long_keys_leave_room_for_values_which_stay_inside(live: LivePage, width: int) -> None:
    record = {"frontend/src/" * 9: "failing", "due": "2026-11-29T23:34:07.25+02:00", "n": 10**40}
    grid = render_card(json.dumps(record), "card-1").html
    live.page.set_viewport_size({"width": width, "height": 900})
    if width < 400:
        live.page.locator("#pane-board").check(force=True)
    live.send(board_frame(7, 8, card(key="progress", dom_id="card-1", version=16, body=grid)))
    values = live.page.locator("#card-1 dd")
    shares = values.evaluate_all("all => all.map((dd) => dd.clientWidth / dd.closest('dl').clientWidth)")
    assert min(shares) > 0.45
    assert values.evaluate_all("all => all.filter((dd) => dd.scrollWidth > dd.clientWidth).length") == 0
