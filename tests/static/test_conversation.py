import itertools

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import expect

from memory.rendering.cards import render_markdown
from memory.rendering.sanitize import SafeHTML
from tests.static.live_page import LivePage, conversation_frame
from tests.templates.samples import budget, call, message, turn

pytestmark = pytest.mark.browser

# The parts of a row that can be seen and have no width or end outside it.
OUTSIDE = """row => [...row.children].filter((part) => {
  const { left, right, width } = part.getBoundingClientRect();
  const edge = row.getBoundingClientRect();
  const isShown = part.checkVisibility() && part.textContent !== "";
  return isShown && (width < 16 || left < edge.left || right > edge.right);
}).map((part) => part.className)"""
LONG = SafeHTML("<p>Line</p>" * 60)


def lines(live: LivePage) -> list[str]:
    ids: list[str] = live.page.locator("li.turn").evaluate_all("lines => lines.map((line) => line.id)")
    return ids


def scroll_place(live: LivePage) -> float:
    place: float = live.page.locator("[data-log]").evaluate("log => log.scrollTop")
    return place


def test_new_lines_are_appended_and_known_ones_replaced(live: LivePage) -> None:
    changed = message(id="2", html=SafeHTML("<p>Rewritten</p>"))
    live.send(conversation_frame(5, 6, changed, message(id="3"), turn=turn()))
    assert lines(live) == ["message-1", "message-2", "message-3"]
    assert "Rewritten" in live.text("#message-2")


def test_an_open_call_stays_open_when_its_result_arrives(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, message(id="3", calls=[call(state="running", result="")])))
    live.page.click("#message-3 summary")
    live.send(conversation_frame(6, 7, message(id="3", calls=[call(result="It worked")])))
    assert live.page.locator("#message-3 details").evaluate("call => call.open")
    assert "It worked" in live.text("#message-3")


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("effect", ["", 'Tool "x" not found. ' * 20])
def test_a_call_with_a_long_name_keeps_its_row(live: LivePage, width: int, effect: str) -> None:
    live.page.set_viewport_size({"width": width, "height": 900})
    long = call(name="x" * 500, summary="whiteboard/plan", effect=effect, state="failed")
    live.send(conversation_frame(5, 6, message(id="3", calls=[long])))
    row = live.page.locator("#message-3 summary")
    assert row.evaluate(OUTSIDE) == []
    row.click()
    name = row.locator(".call__name")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth && name.clientHeight > 40")


@pytest.mark.parametrize("width", [1440, 390])
def test_calls_that_are_being_written_stay_on_the_page(live: LivePage, width: int) -> None:
    live.page.set_viewport_size({"width": width, "height": 900})
    piece = {"type": "piece", "turn": 2, "call": 1, "voice": "text", "offset": 0, "text": "", "note": ""}
    live.send(piece | {"calls": ["x" * 500], "is_over": False})
    written = live.page.locator(".draft__calls")
    assert written.evaluate("list => list.scrollWidth <= list.clientWidth")


@pytest.mark.parametrize("chat_px", [390, 544.08, 620])
def test_a_line_shows_one_clock_at_every_width(live: LivePage, chat_px: float) -> None:
    live.page.locator(".chat").evaluate("(chat, px) => { chat.style.inlineSize = `${px}px`; }", chat_px)
    live.send(conversation_frame(5, 6, message(id="3")))
    for line in ("#message-1", "#message-3"):
        assert live.page.locator(f"{line} time").filter(visible=True).count() == 1


def test_frames_follow_the_cursor_of_the_conversation(live: LivePage) -> None:
    live.send(conversation_frame(3, 5, message(id="3")), conversation_frame(6, 7, message(id="4")))
    assert lines(live) == ["message-1", "message-2"]
    assert live.said.count({"type": "resync"}) == 1


def test_the_newest_line_stays_in_view_for_a_reader_at_the_end(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, message(id="3", html=LONG)))
    assert scroll_place(live) == 0
    expect(live.page.locator("[data-jump]")).to_be_hidden()


def test_a_reader_further_up_keeps_the_place_and_is_told_what_is_new(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, message(id="3", html=LONG)))
    live.page.locator("[data-log]").evaluate("log => { log.scrollTop = -500; }")
    live.wait_until(lambda: scroll_place(live) == -500)
    top = live.page.locator("#message-1").bounding_box()
    live.send(conversation_frame(6, 7, message(id="4", html=LONG), message(id="5")))
    jump = live.page.locator("[data-jump]")
    expect(jump).to_have_text("2 new, go to the latest")
    moved = live.page.locator("#message-1").bounding_box()
    assert top is not None
    assert moved is not None
    assert abs(moved["y"] - top["y"]) < 2
    jump.click()
    live.wait_until(lambda: scroll_place(live) > -1)
    expect(jump).to_be_hidden()


def test_times_are_shown_in_the_time_zone_of_the_reader(live: LivePage) -> None:
    zone = "new Date('2026-05-06T12:00:00Z').toLocaleTimeString('en', {hour12: false})"
    assert live.text("#message-1 .turn__time") == live.page.evaluate(zone)


def test_the_state_of_the_turn_brings_and_takes_its_controls(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, turn=turn(number=2, status="running")))
    assert live.text("#turn-state") == "Turn 2 is running; a message you send now waits for it Stop"
    live.send(conversation_frame(6, 7, turn=turn(number=2, status="failed", error="No answer.")))
    assert live.text("#turn-state") == "Turn 2 failed. No answer. Retry now Session settings"
    announcement = live.page.locator("#announce")
    expect(announcement).to_have_text("Turn 2 failed. No answer.")
    expect(announcement).to_have_attribute("aria-live", "assertive")


def test_a_finished_answer_is_said_once_it_is_finished(live: LivePage) -> None:
    live.send(conversation_frame(5, 6, turn=turn(status="running")))
    assert live.page.locator("#announce").text_content() == ""
    live.send(conversation_frame(6, 7, turn=turn(status="succeeded")))
    expect(live.page.locator("#announce")).to_have_text("Answer finished")


def test_the_head_of_the_page_follows_the_session(live: LivePage) -> None:
    status = {"status": "running", "turn_number": 3, "model": "gpt-4.1"}
    live.send(
        {
            "type": "session",
            "status": render_to_string("agents/_status.html", status),
            "budget": render_to_string(
                "agents/_budget.html", {"budget": budget(level="critical", percent=91)}
            ),
        }
    )
    assert live.text("#session-status") == "Running turn 3 gpt-4.1"
    assert live.page.locator("#budget").get_attribute("data-level") == "critical"
    expect(live.page.locator("#announce")).to_have_text("The context is above its compaction mark")


def test_another_title_shows_in_the_heading_and_in_the_tab(live: LivePage) -> None:
    live.send({"type": "session", "title": "<b>Site · contextsite", "status": "", "budget": ""})
    assert live.text("h1") == "<b>Site · contextsite"
    assert live.page.title() == "<b>Site · contextsite · contextsite"
    live.send({"type": "session", "title": "Garden", "status": "", "budget": ""})
    assert (live.text("h1"), live.page.title()) == ("Garden", "Garden · contextsite")


def test_no_formula_draws_over_another_message(live: LivePage) -> None:
    seen: list[bytes] = []
    for lowered in ("0em", "-3em"):
        formula = render_markdown(
            rf"$\raisebox{{{lowered}}}{{\text{{Yes, delete it.}}}}$ So?", "message"
        ).html
        live.send(
            conversation_frame(5 + len(seen), 6 + len(seen), message(id="3", html=formula), message(id="4"))
        )
        live.page.evaluate("document.fonts.ready.then(() => null)")
        seen.append(live.page.locator("#message-4").screenshot(animations="disabled"))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("source", ["# Head", "### Head\n\n##### Lower"])
def test_headings_of_messages_skip_no_level(live: LivePage, source: str) -> None:
    live.send(conversation_frame(5, 6, message(id="3", html=render_markdown(source, "message").html)))
    levels = live.page.get_by_role("heading").evaluate_all(
        "all => all.map((each) => Number(each.tagName[1]))"
    )
    assert 3 in levels
    assert all(lower - upper <= 1 for upper, lower in itertools.pairwise(levels))


def test_a_wide_formula_is_scrolled_by_key(live: LivePage) -> None:
    wide = f"$${'+'.join('abcdefghijkl' * 12)}$$"
    live.send(conversation_frame(5, 6, message(id="3", html=render_markdown(wide, "message").html)))
    formula = live.page.get_by_role("group", name="Formula")
    formula.focus()
    live.page.keyboard.press("ArrowRight")
    expect(formula).not_to_have_js_property("scrollLeft", 0)
