from typing import Any

import pytest

from agents import runner, sessions, waiting
from agents.connectors.scripted import say
from agents.loop.tool_calls import STOPPED_RESULT
from agents.models import ToolApproval, Turn
from agents.refusals import RefusedInput
from agents.sessions import NothingToDo
from tests.agents import waiting_tools
from tests.agents.waiting_stage import Stage, calling, shown, unanswered

pytestmark = pytest.mark.django_db


def test_a_call_that_needs_approval_leaves_the_turn_without_thread_and_lease(stage: Stage) -> None:
    turn = stage.begin(calling(("c1", "risky")))
    assert (turn.status, turn.wake_at, turn.attempts) == ("waiting", None, 0)
    session = stage.session
    assert (session.status, session.lease_owner, session.lease_until) == ("waiting", "", None)
    assert session.doing.startswith("needs approval: risky(")
    (approval,) = stage.open_approvals
    assert (approval.tool, approval.place, approval.arguments) == ("risky", 0, '{"what":"c1"}')
    assert approval.risk == "high"
    assert waiting_tools.done == []


def test_an_approved_call_is_carried_out_and_the_turn_finishes(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    assert stage.session.status == "queued"
    turn = stage.go_on(say("done"))
    assert turn.status == Turn.Status.SUCCEEDED
    assert waiting_tools.done == ["c1"]
    assert stage.results == ["did c1"]
    assert turn.progress == {}


def test_the_model_reads_who_denied_a_call_and_why(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky"), ("c2", "risky")))
    first, second = stage.open_approvals
    stage.decide(first, is_approved=False, reason="Not on\x00 a Sunday.")
    stage.decide(second, is_approved=False)
    connector = stage.say_next(say("I see"))
    runner.run(stage.turn.pk)
    asked = shown(connector)
    assert "olga denied this call, so it was not carried out. Reason: Not on" in asked
    assert "a Sunday." in asked
    assert "No reason was given." in asked
    assert waiting_tools.done == []


def test_results_are_in_order_whatever_waited(stage: Stage) -> None:
    stage.begin(calling(("c1", "plain"), ("c2", "risky"), ("c3", "plain"), ("c4", "beside"), ("c5", "risky")))
    assert waiting_tools.done == ["c1", "c4"]
    for approval in stage.open_approvals:
        stage.decide(approval)
    stage.go_on(say("done"))
    assert waiting_tools.done == ["c1", "c4", "c2", "c3", "c5"]
    assert stage.results == [f"did c{number}" for number in range(1, 6)]


def test_every_answer_lets_the_turn_go_on_as_far_as_it_can(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky"), ("c2", "plain"), ("c3", "risky")))
    first, last = stage.open_approvals
    stage.decide(first)
    turn = stage.go_on()
    assert (turn.status, waiting_tools.done) == ("waiting", ["c1", "c2"])
    assert stage.open_approvals == [last]
    stage.decide(last)
    assert stage.go_on(say("done")).status == Turn.Status.SUCCEEDED
    assert waiting_tools.done == ["c1", "c2", "c3"]


def test_an_answer_that_lets_nothing_run_leads_back_to_waiting(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky"), ("c2", "risky")))
    stage.decide(stage.open_approvals[1])
    assert stage.go_on().status == Turn.Status.WAITING
    assert waiting_tools.done == []


def test_an_answer_counts_once(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    (approval,) = stage.open_approvals
    stage.decide(approval)
    with pytest.raises(NothingToDo, match="olga has already approved this call"):
        stage.decide(approval, is_approved=False)


def test_an_answer_after_the_turn_is_over_hears_who_answered(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    (approval,) = stage.open_approvals
    stage.decide(approval, is_approved=False)
    assert stage.go_on(say("done")).status == Turn.Status.SUCCEEDED
    with pytest.raises(NothingToDo, match="olga has already denied this call"):
        stage.decide(approval)


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (Turn.Status.FAILED, "The turn has failed before this was decided. Retry it"),
        (Turn.Status.CANCELLED, "The turn was stopped before this was decided"),
        (Turn.Status.SUCCEEDED, "The turn is over"),
    ],
)
def test_an_answer_to_a_turn_that_is_over_hears_how_it_ended(
    stage: Stage, status: Turn.Status, says: str
) -> None:
    turn = stage.begin(calling(("c1", "risky")))
    (approval,) = stage.open_approvals
    Turn.objects.filter(pk=turn.pk).update(status=status)
    with pytest.raises(NothingToDo, match=says):
        stage.decide(approval)


def test_an_answer_is_bound_to_the_exact_arguments(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    (approval,) = stage.open_approvals
    with pytest.raises(RefusedInput, match="not those you saw"):
        stage.decide(approval, digest="0" * 64)
    ToolApproval.objects.filter(pk=approval.pk).update(digest="0" * 64)
    stage.decide(approval, digest="0" * 64)
    stage.go_on(say("well"))
    assert waiting_tools.done == []
    assert waiting.OTHER_ARGUMENTS in str(stage.results)


def test_a_reason_has_a_limit(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    with pytest.raises(RefusedInput, match="too long"):
        stage.decide(stage.open_approvals[0], is_approved=False, reason="x" * 2001)


def test_the_same_call_id_in_a_later_reply_is_asked_about_anew(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    turn = stage.go_on(calling(("c1", "risky")))
    assert turn.status == Turn.Status.WAITING
    assert waiting_tools.done == ["c1"]
    assert turn.approvals.count() == 2


def test_redelivery_of_a_waiting_turn_does_nothing(stage: Stage) -> None:
    turn = stage.begin(calling(("c1", "risky")))
    fence = stage.session.fence
    assert stage.go_on().status == Turn.Status.WAITING
    assert stage.session.fence == fence
    assert turn.approvals.count() == 1


def test_a_waiting_turn_is_no_stalled_one(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    Turn.objects.update(poked_at="2000-01-01T00:00Z")
    assert sessions.wake_stalled_turns() == 0
    assert sessions.wake_all_turns() == 0


def test_an_answer_while_the_turn_still_runs_queues_it_when_it_is_left(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.begin(calling(("c1", "risky"), ("c2", "risky")))
    first, second = stage.open_approvals
    stage.decide(first)
    real = waiting.suspend

    def late(*arguments: Any) -> None:
        stage.decide(second)
        real(*arguments)

    monkeypatch.setattr(runner, "suspend", late)
    assert stage.go_on().status == Turn.Status.QUEUED
    assert waiting_tools.done == ["c1"]
    assert stage.go_on(say("done")).status == Turn.Status.SUCCEEDED
    assert waiting_tools.done == ["c1", "c2"]


def test_a_stop_while_waiting_answers_the_calls_with_a_note(stage: Stage) -> None:
    stage.begin(calling(("c1", "plain"), ("c2", "risky")))
    (approval,) = stage.open_approvals
    assert sessions.stop_turn(stage.session).status == Turn.Status.QUEUED
    with pytest.raises(NothingToDo, match="stopped"):
        stage.decide(approval)
    assert stage.go_on().status == Turn.Status.CANCELLED
    assert stage.results == ["did c1", STOPPED_RESULT]
    assert stage.session.status == "idle"
    connector = stage.say_next(say("fine"))
    sessions.submit_turn(stage.session, "next", stage.cast.operator)
    runner.run(stage.turn.pk)
    assert unanswered(connector) == set()


def test_a_stop_between_answer_and_worker_leaves_no_orphan(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    sessions.stop_turn(stage.session)
    assert stage.go_on().status == Turn.Status.CANCELLED
    assert stage.results == [STOPPED_RESULT]
    assert waiting_tools.done == []


def test_a_stop_while_the_turn_is_being_left_is_heard(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    real = waiting.suspend

    def late(*arguments: Any) -> None:
        sessions.stop_turn(stage.session)
        real(*arguments)

    monkeypatch.setattr(runner, "suspend", late)
    assert stage.begin(calling(("c1", "risky"))).status == Turn.Status.QUEUED
    assert stage.open_approvals == []
    assert stage.go_on().status == Turn.Status.CANCELLED


def test_a_stopped_turn_can_be_retried_after_its_calls(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    sessions.stop_turn(stage.session)
    stage.go_on()
    sessions.retry_turn(stage.session)
    assert stage.go_on(say("I go on without it")).status == Turn.Status.SUCCEEDED


def test_a_profile_may_ask_for_more_or_less_than_the_tool(stage: Stage) -> None:
    stage.configure(toolPermissions={"risky": "always", "plain": "ask", "unknown": "ask", "beside": "?"})
    turn = stage.begin(calling(("c1", "risky"), ("c2", "beside"), ("c3", "plain")))
    assert turn.status == Turn.Status.WAITING
    assert sorted(waiting_tools.done) == ["c1", "c2"]


def test_model_calls_are_counted_over_all_that_a_turn_waited_for(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "MAX_MODEL_CALLS", 2)
    stage.begin(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    stage.go_on(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    connector = stage.say_next(say("I stop here"))
    runner.run(stage.turn.pk)
    assert not connector.requests[0].may_call_tools
