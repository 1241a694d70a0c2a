import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from agents import runner, sessions
from agents.connectors.base import (
    ModelRequest,
)
from agents.connectors.scripted import say
from agents.models import AgentSession, Turn
from memory.bindings import open_board
from tests.agents.scripts import roles, say_next, store_set, unanswered
from tests.rows import make_profile, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]


@pytest.fixture
def session() -> AgentSession:
    return make_session(make_profile(system_prompt="You are careful."))


class Killed(KeyboardInterrupt):
    """What a worker that is killed looks like from inside: nothing after it runs."""


def die(session: AgentSession, ana: User, *replies: Any) -> Turn:
    """Run a turn whose worker is gone without a trace; its lease has expired."""
    turn = sessions.submit_turn(session, "go", ana)
    say_next(*replies)
    with pytest.raises(Killed):
        runner.run(turn.pk)
    AgentSession.objects.filter(pk=session.pk).update(lease_until="2000-01-01T00:00Z")
    return turn


def killed(request: ModelRequest) -> list[Any]:
    raise Killed


def test_a_dead_workers_turn_goes_on_from_its_last_checkpoint(session: AgentSession, ana: User) -> None:
    turn = die(session, ana, store_set("a", 1), killed)
    connector = say_next(say("finished"))
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert (turn.status, turn.attempts) == (Turn.Status.SUCCEEDED, 2)
    assert unanswered(connector.requests[0]) == set()
    assert roles(session) == ["user", "assistant", "user", "assistant"]


def test_a_call_that_was_not_begun_when_the_worker_died_is_carried_out(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise Killed

    monkeypatch.setattr("agents.waiting.begin", cut)
    turn = die(session, ana, store_set("a", 1))
    monkeypatch.undo()
    connector = say_next(say("finished"))
    runner.run(turn.pk)
    assert unanswered(connector.requests[0]) == set()
    assert open_board(session).get("a") == 1


def test_a_call_whose_result_died_with_the_worker_is_answered_with_a_note(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise Killed

    monkeypatch.setattr("agents.context.toolbox.ToolManager.execute", cut)
    turn = die(session, ana, store_set("a", 1))
    monkeypatch.undo()
    connector = say_next(say("finished"))
    runner.run(turn.pk)
    asked = json.dumps(connector.requests[0].input)
    assert unanswered(connector.requests[0]) == set()
    assert "whether it took effect is unknown" in asked


def test_a_stored_answer_is_not_asked_for_again(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise Killed

    # As when there is something to tidy up first.
    monkeypatch.setattr(runner, "_end", lambda *_: None)
    monkeypatch.setattr(runner, "_finish", cut)
    turn = die(session, ana, say("the answer"))
    monkeypatch.undo()
    say_next()
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.SUCCEEDED
    assert roles(session) == ["user", "assistant"]


def test_a_turn_that_kills_its_workers_is_given_up_visibly(session: AgentSession, ana: User) -> None:
    turn = die(session, ana, killed)
    Turn.objects.filter(pk=turn.pk).update(attempts=runner.MAX_ATTEMPTS)
    runner.run(turn.pk)
    turn.refresh_from_db()
    session.refresh_from_db()
    assert (turn.status, session.status) == ("failed", "failed")
    assert "3 times" in turn.error
