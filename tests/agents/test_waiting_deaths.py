from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from agents import leases, runner, sessions, waiting
from agents.connectors.scripted import say
from agents.models import Turn
from agents.sessions import NothingToDo
from tests.agents import waiting_tools
from tests.agents.waiting_stage import Stage, calling, unanswered
from tests.agents.waiting_tools import Killed

pytestmark = pytest.mark.django_db


def test_a_worker_that_dies_before_it_leaves_the_turn_asks_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: Any) -> None:
        raise Killed

    monkeypatch.setattr(runner, "suspend", cut)
    with pytest.raises(Killed):
        stage.begin(calling(("c1", "plain"), ("c2", "risky")))
    monkeypatch.undo()
    stage.expire_lease()
    assert stage.go_on().status == Turn.Status.WAITING
    assert waiting_tools.done == ["c1"]
    stage.decide(stage.open_approvals[0])
    stage.go_on(say("done"))
    assert waiting_tools.done == ["c1", "c2"]
    assert "whether it took effect is unknown" in str(stage.results[0])


def test_a_worker_that_dies_while_it_leaves_the_turn_writes_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: Any, **__: Any) -> None:
        raise Killed

    monkeypatch.setattr(waiting, "announce", cut)
    with pytest.raises(Killed):
        stage.begin(calling(("c1", "risky")))
    monkeypatch.undo()
    assert stage.turn.status == Turn.Status.RUNNING
    assert stage.open_approvals == []
    stage.expire_lease()
    assert stage.go_on().status == Turn.Status.WAITING


def test_an_answer_whose_poke_was_lost_is_found_by_the_sweep(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.begin(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    Turn.objects.update(poked_at="2000-01-01T00:00Z")
    poked: list[Any] = []
    monkeypatch.setattr("agents.queue.poke_turn", poked.append)
    assert sessions.wake_stalled_turns() == 1
    assert poked == [stage.turn.pk]


def test_a_worker_that_dies_before_the_approved_call_carries_it_out_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: Any) -> None:
        raise Killed

    stage.begin(calling(("c1", "plain"), ("c2", "risky")))
    stage.decide(stage.open_approvals[0])
    monkeypatch.setattr(waiting, "begin", cut)
    with pytest.raises(Killed):
        stage.go_on()
    monkeypatch.undo()
    stage.expire_lease()
    stage.go_on(say("done"))
    assert waiting_tools.done == ["c1", "c2"]
    assert stage.results == ["did c1", "did c2"]


def test_a_worker_that_dies_in_the_approved_call_never_repeats_it(stage: Stage) -> None:
    stage.begin(calling(("c1", "plain"), ("c2", "deadly")))
    stage.decide(stage.open_approvals[0])
    with pytest.raises(Killed):
        stage.go_on()
    stage.expire_lease()
    connector = stage.say_next(say("done"))
    runner.run(stage.turn.pk)
    assert stage.turn.status == Turn.Status.SUCCEEDED
    assert waiting_tools.done == ["c1", "c2"]
    assert stage.results[0] == "did c1"
    assert waiting.LOST_RESULT in str(stage.results[1])
    assert unanswered(connector) == set()


def test_a_worker_that_dies_after_the_results_are_stored_goes_on_from_there(stage: Stage) -> None:
    def killed(_: Any) -> Any:
        raise Killed

    stage.begin(calling(("c1", "risky")))
    stage.decide(stage.open_approvals[0])
    with pytest.raises(Killed):
        stage.go_on(killed)
    stage.expire_lease()
    assert stage.go_on(say("done")).status == Turn.Status.SUCCEEDED
    assert waiting_tools.done == ["c1"]


def test_a_turn_that_went_to_another_worker_is_not_left_by_the_first(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = waiting.suspend

    def robbed(*arguments: Any) -> None:
        leases.release(stage.session.pk, stage.session.fence)
        leases.claim(stage.session.pk, "other worker")
        real(*arguments)

    monkeypatch.setattr(runner, "suspend", robbed)
    assert stage.begin(calling(("c1", "risky"))).status == Turn.Status.RUNNING
    assert stage.open_approvals == []


@pytest.mark.django_db(transaction=True)
def test_of_answers_at_the_same_moment_one_counts(stage: Stage) -> None:
    stage.begin(calling(("c1", "risky")))
    (approval,) = stage.open_approvals
    together = Barrier(4)

    def answer(number: int) -> str:
        together.wait(10)
        try:
            return str(stage.decide(approval, is_approved=number % 2 == 0).status)
        except NothingToDo:
            return "too late"
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(answer, range(4)))
    approval.refresh_from_db()
    assert answers == sorted([approval.status, *["too late"] * 3])
    assert stage.turn.status == Turn.Status.QUEUED
