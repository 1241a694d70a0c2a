from datetime import timedelta

import pytest
from django.utils import timezone

from agents import approvals, sessions
from agents.connectors.scripted import say
from agents.loop.tool_calls import STOPPED_RESULT
from agents.models import Turn
from agents.sessions import NothingToDo
from tests.agents import waiting_tools
from tests.agents.waiting_stage import Stage, calling

pytestmark = pytest.mark.django_db


def test_a_turn_that_sleeps_holds_nothing_and_says_until_when(stage: Stage) -> None:
    turn = stage.begin(calling(("c1", "nap"), ("c2", "plain")))
    assert (turn.status, turn.wake_at) == ("waiting", waiting_tools.TIME)
    assert (stage.session.lease_owner, stage.session.doing) == ("", "waits until 2100-01-01 06:00 UTC")
    assert stage.session.status == "sleeping"
    assert approvals.wake_sleepers() == 0


def test_a_sleeper_goes_on_when_its_time_has_come(stage: Stage) -> None:
    stage.begin(calling(("c1", "nap"), ("c2", "plain")))
    past = timezone.now() - timedelta(seconds=1)
    turn = stage.turn
    turn.progress["sleeping"] = {"0": past.isoformat()}
    turn.wake_at = past
    turn.save()
    assert approvals.wake_sleepers() == 1
    assert approvals.wake_sleepers() == 0
    assert stage.go_on(say("morning")).status == Turn.Status.SUCCEEDED
    assert waiting_tools.done == ["nap", "c2"]
    assert "The time has come." in str(stage.results[0])


def test_a_person_may_wake_a_sleeper(stage: Stage) -> None:
    stage.begin(calling(("c1", "nap")))
    approvals.wake(stage.session, stage.cast.operator)
    stage.go_on(say("up already"))
    assert "olga woke you before the time." in str(stage.results[0])
    with pytest.raises(NothingToDo, match="does not sleep"):
        approvals.wake(stage.session, stage.cast.operator)


def test_a_sleeper_is_not_woken_by_an_answer_to_another_call(stage: Stage) -> None:
    stage.begin(calling(("c1", "nap"), ("c2", "risky")))
    stage.decide(stage.open_approvals[0])
    turn = stage.go_on()
    assert (turn.status, turn.wake_at) == ("waiting", waiting_tools.TIME)
    assert waiting_tools.done == ["nap"]
    assert stage.session.status == "sleeping"


def test_a_sleeper_that_also_asks_needs_people(stage: Stage) -> None:
    stage.begin(calling(("c1", "nap"), ("c2", "risky")))
    assert stage.session.status == "waiting"
    assert stage.session.doing.startswith("needs approval: risky")


def test_a_sleeper_can_be_stopped(stage: Stage) -> None:
    stage.begin(calling(("c1", "nap")))
    sessions.stop_turn(stage.session)
    assert stage.go_on().status == Turn.Status.CANCELLED
    assert stage.results == [STOPPED_RESULT]
