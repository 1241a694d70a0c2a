from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from memory.rendering.sanitize import SafeHTML
from tests.templates.markup import rendered
from tests.templates.samples import HOSTILE, SESSION_ID, call, message, turn


def test_a_line_is_one_element_that_frames_address() -> None:
    page = rendered("agents/_message.html", message=message())
    assert len(page.children) == 1
    assert page.children[0].attributes["id"] == "message-01970000-0000-7000-8000-000000000002"


@pytest.mark.parametrize("role", ["user", "assistant", "error", "marker"])
def test_each_role_has_its_style_and_its_icon(role: str) -> None:
    page = rendered("agents/_message.html", message=message(role=role))
    line = page.one("li")
    assert f"turn--{role}" in line.classes
    assert next(line.all("use")).attributes["href"] == f"#r-{role}"
    assert "Eleven lines are left." in line.text
    assert "survey" in line.text


def test_text_that_nobody_sanitized_is_escaped() -> None:
    page = rendered("agents/_message.html", message=message(html=HOSTILE, who=HOSTILE))
    assert not list(page.all("script"))


def test_attached_images_are_shown_from_our_own_address_in_their_size() -> None:
    image = SimpleNamespace(url=HOSTILE, width=1600, height=900)
    page = rendered("agents/_message.html", message=message(html="", images=[image]))
    shown = page.one("img").attributes
    assert (shown["src"], shown["width"], shown["height"]) == (HOSTILE, "1600", "900")
    assert shown["alt"] == "Attached image 1"
    assert page.one("a").attributes["href"] == HOSTILE
    unknown = SimpleNamespace(url="/i/", width=None, height=None)
    page = rendered("agents/_message.html", message=message(html="", images=[unknown]))
    assert "width" not in page.one("img").attributes


def test_an_answer_that_is_not_whole_says_why() -> None:
    page = rendered("agents/_message.html", message=message(remark=HOSTILE + "stopped here"))
    assert "stopped here" in page.text
    assert not list(page.all("script"))
    assert "turn--replaced" not in page.one("li").classes


def test_an_answer_that_was_asked_for_again_is_muted() -> None:
    page = rendered("agents/_message.html", message=message(is_replaced=True))
    assert "turn--replaced" in page.one("li").classes


def test_a_waiting_message_says_its_place_to_everybody_and_can_be_withdrawn_by_operators() -> None:
    waiting = message(role="user", waits=True, place=2)
    for may_act, buttons in ((True, ["withdraw-form"]), (False, [])):
        page = rendered("agents/_message.html", message=waiting, may_act=may_act)
        assert "waits for its turn, 2nd in line" in page.text
        assert [button.attributes["form"] for button in page.all("button")] == buttons


def test_tokens_are_left_out_when_unknown() -> None:
    assert "214\xa0tok" in "".join(rendered("agents/_message.html", message=message()).texts)
    assert "tok" not in rendered("agents/_message.html", message=message(tokens=0)).text


def test_clock_times_can_be_shown_in_the_time_zone_of_the_reader() -> None:
    times = list(rendered("agents/_message.html", message=message()).all("time"))
    assert [time.attributes["datetime"] for time in times] == ["2026-05-06T12:00:00+00:00"] * 2
    assert [time.text for time in times] == ["12:00:00", "12:00"]


def test_a_call_shows_what_went_in_and_what_came_out() -> None:
    page = rendered("agents/_message.html", message=message(html="", calls=[call()]))
    inside = page.one("details")
    assert [part.text for part in inside.all("pre")] == ['{ "key": "progress" }', '{ "success": true }']
    assert "Done" in inside.one("summary").text


def test_a_running_call_has_no_result_yet() -> None:
    page = rendered("agents/_message.html", message=message(calls=[call(state="running", result="")]))
    assert "call--running" in page.one("details").classes
    assert len(list(page.all("pre"))) == 1


@pytest.mark.parametrize("field", ["name", "summary", "arguments", "result", "effect"])
def test_hostile_calls_stay_text(field: str) -> None:
    page = rendered("agents/_message.html", message=message(calls=[call(**{field: HOSTILE})]))
    assert not list(page.all("script"))


@pytest.mark.parametrize(
    ("status", "says"),
    [("queued", "is queued"), ("running", "is running"), ("waiting", "waits for an approval")],
)
def test_an_unfinished_turn_can_be_stopped_by_operators(status: str, says: str) -> None:
    page = rendered("agents/_turn_state.html", turn=turn(status=status), may_act=True)
    assert f"Turn 18 {says}" in page.text
    assert ("a message you send now waits for it" in page.text) is (status != "waiting")
    assert page.one("button").attributes["form"] == "stop-form"


def test_a_sleeping_turn_says_until_when_and_can_be_woken() -> None:
    sleeping = turn(status="waiting", wake_at=datetime(2030, 1, 2, 3, 4, tzinfo=UTC))
    page = rendered("agents/_turn_state.html", turn=sleeping, may_act=True)
    assert "Turn 18 waits until 2 Jan 2030, 03:04 UTC" in page.text
    forms = [button.attributes["form"] for button in page.all("button")]
    assert forms == ["wake-form", "stop-form"]
    assert not list(rendered("agents/_turn_state.html", turn=sleeping, may_act=False).all("button"))


def test_an_approval_shows_what_it_is_about_as_text() -> None:
    hostile = SimpleNamespace(
        id="a1", tool=HOSTILE, risk="high", arguments=HOSTILE, digest="d1", url="/approve/"
    )
    page = rendered("agents/_approval.html", approval=hostile, may_act=True)
    assert not list(page.all("script"))
    answers = [(button.attributes["name"], button.attributes["value"]) for button in page.all("button")]
    assert answers == [("deny", "d1"), ("approve", "d1")]
    assert {button.attributes["formaction"] for button in page.all("button")} == {"/approve/"}
    assert not list(rendered("agents/_approval.html", approval=hostile, may_act=False).all("button"))


def test_a_failed_turn_says_why_and_can_be_tried_again() -> None:
    failed = turn(status="failed", error=f"The model did not answer. {HOSTILE}")
    page = rendered("agents/_turn_state.html", turn=failed, may_act=True)
    assert page.one(id="turn-state").attributes["data-status"] == "failed"
    assert "Turn 18 failed. The model did not answer." in page.text
    assert page.one("button").attributes["form"] == "retry-form"
    assert not list(page.all("script"))


@pytest.mark.parametrize("transfer", [{}, {"to": "a", "found": ["b"], "count": 1}])
def test_a_failed_turn_leads_to_where_the_session_takes_newer_settings(transfer: dict[str, Any]) -> None:
    failed = turn(status="failed", error="It does not fit.", transfer=transfer)
    link = rendered("agents/_turn_state.html", turn=failed, may_act=True).one("a")
    assert link.text == "Session settings"
    assert link.attributes["href"] == reverse("session-manage", args=[SESSION_ID]) + "#settings"
    assert not list(rendered("agents/_turn_state.html", turn=failed, may_act=False).all("a"))


@pytest.mark.parametrize("status", ["queued", "running", "waiting", "failed", "succeeded", "cancelled"])
def test_members_see_the_turn_without_its_controls(status: str) -> None:
    page = rendered("agents/_turn_state.html", turn=turn(status=status), may_act=False)
    assert not list(page.all("button"))


def test_a_finished_turn_leaves_the_box_to_the_writer() -> None:
    page = rendered("agents/_turn_state.html", turn=turn(status="succeeded"), may_act=True)
    assert page.text == "Enter to send"
    assert page.one(id="turn-state").attributes["data-status"] == "succeeded"


def test_a_stopped_turn_can_be_tried_again() -> None:
    page = rendered("agents/_turn_state.html", turn=turn(status="cancelled"), may_act=True)
    assert "Turn 18 was stopped" in page.text
    assert page.one("button").attributes["form"] == "retry-form"


def test_going_on_with_another_provider_is_a_button_that_says_what_is_left_out() -> None:
    mismatch = turn(status="failed", transfer={"to": HOSTILE, "found": [HOSTILE, "b"], "count": 2})
    page = rendered("agents/_turn_state.html", turn=mismatch, may_act=True)
    button = page.one("button")
    assert (button.attributes["form"], button.attributes["value"]) == ("transfer-form", HOSTILE)
    assert "leave out 2 encrypted reasoning items of" in page.text
    assert not list(page.all("script"))


def test_there_is_a_state_before_the_first_turn() -> None:
    page = rendered("agents/_turn_state.html", turn=None, may_act=True)
    assert page.one(id="turn-state").attributes["data-status"] == ""
    assert page.text == "Enter to send"


def test_an_image_in_a_line_is_what_the_renderer_made_of_it() -> None:
    html = SafeHTML('<p><a class="md-image" href="https://example.org/a.png">image: a</a></p>')
    page = rendered("agents/_message.html", message=message(html=html))
    assert page.one("a").text == "image: a"
