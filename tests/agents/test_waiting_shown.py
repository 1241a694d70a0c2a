import json

import pytest

from agents.connectors.scripted import call, say
from agents.conversation import conversation_page
from agents.conversation_feed import ConversationPart
from tests.agents.waiting_stage import Stage, calling

pytestmark = pytest.mark.django_db


def frame(stage: Stage, cursor: int | None, *, may_act: bool = True) -> str:
    session = stage.session
    update = ConversationPart().read(session, {cursor}).get(cursor)
    return json.dumps(update.frame(may_act)) if update else ""


def test_the_page_hears_of_the_question_and_of_the_answer(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    cursor = stage.session.conversation_revision
    asked = frame(stage, None)
    (approval,) = stage.open_approvals
    assert approval.digest in asked
    assert approval.digest not in frame(stage, None, may_act=False)
    stage.decide(approval)
    assert "call--running" in frame(stage, cursor)
    assert approval.digest not in frame(stage, cursor)
    stage.go_on(say("done"))
    assert "approved by olga" in frame(stage, cursor)


def test_calls_of_a_waiting_turn_say_what_they_wait_for(stage: Stage) -> None:
    stage.begin(calling(("c1", "plain"), ("c2", "risky"), ("c3", "plain"), ("c4", "risky"), ("c5", "beside")))
    calls = conversation_page(stage.session).messages[-1].calls
    assert [(call.state, call.effect) for call in calls] == [
        ("done", ""),
        ("waiting", "needs approval"),
        ("waiting", "waits for an earlier call"),
        ("waiting", "needs approval"),
        ("done", ""),
    ]
    assert calls[0].result == "did c1"


def test_a_call_that_failed_before_the_turn_was_left_is_shown_as_failed(stage: Stage) -> None:
    stage.begin(calling(("c1", "nothing"), ("c2", "nap")))
    calls = conversation_page(stage.session).messages[-1].calls
    assert [call.state for call in calls] == ["failed", "waiting"]
    assert calls[1].effect == "until 2100-01-01 06:00 UTC"


def test_nothing_hides_in_the_arguments_that_are_shown(stage: Stage) -> None:
    hostile = '{"what":"<script>\\u202ecod.exe\\u200b \\u00a0\\u2028\\u0007ü</pre>"}'
    stage.begin(call(("c1", "risky", hostile)))
    page = frame(stage, None)
    assert "<script>" not in page
    page = page.partition("approval__arguments")[2]
    for escape in ("\\\\u202e", "\\\\u200b", "\\\\u00a0", "\\\\u2028", "\\\\u0007"):
        assert escape in page
    assert "\\u00fc" in page
    assert "\\u202e" not in page.replace("\\\\u202e", "")


def test_long_arguments_are_shown_whole(stage: Stage) -> None:
    stage.begin(call(("c1", "risky", json.dumps({"what": "x" * 50_000 + "END"}))))
    assert "xEND" in frame(stage, None)
