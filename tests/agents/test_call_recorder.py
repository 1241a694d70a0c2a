import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from agents import leases, runner, sessions
from agents.connectors.base import (
    ConnectorError,
    Done,
    ModelEvent,
    ModelRequest,
    RequestSent,
    Retrying,
    TextDelta,
    Usage,
    Waiting,
)
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.models import AgentSession, ModelCall, SeenRevision, Turn
from agents.stops import stop_watch
from tests.agents import scripts
from tests.boards import write
from tests.rows import make_person, make_profile, make_session

pytestmark = pytest.mark.django_db


class Wire:
    """A connector that shows a body, as those of providers do; each answer is a list of events."""

    def __init__(self, *answers: list[ModelEvent | Exception]) -> None:
        self._answers = list(answers)

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        for event in self._answers.pop(0):
            if isinstance(event, Exception):
                raise event
            yield event


def body(text: str = "hi") -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": text}]}).encode()


@pytest.fixture(autouse=True)
def connectors(settings: Any) -> Iterator[None]:
    settings.AGENT_CONNECTORS = dict.fromkeys(("scripted", "openai"), "tests.agents.scripts.connector")
    yield
    scripts.current.clear()


@pytest.fixture
def session() -> AgentSession:
    return make_session(make_profile(system_prompt="You are careful."))


@pytest.fixture
def ana() -> User:
    return make_person("ana")


def run(session: AgentSession, ana: User, connector: Any, model: str = "test") -> Turn:
    scripts.current[model] = connector
    turn = sessions.submit_turn(session, "hi", ana)
    runner.run(turn.pk)
    turn.refresh_from_db()
    return turn


def test_every_call_of_a_turn_has_a_row(session: AgentSession, ana: User) -> None:
    arguments = {"store": "whiteboard", "key": "a", "description": "d", "value": 1}
    script = ScriptedConnector(call(("c1", "store_set", json.dumps(arguments))), say("Done"))
    turn = run(session, ana, script)
    calls = list(turn.calls.order_by("ordinal"))
    assert [(each.ordinal, each.status) for each in calls] == [(1, "succeeded"), (2, "succeeded")]
    assert {each.model_asked for each in calls} == {"scripted:test"}
    assert all(each.first_token_ms is not None and each.total_ms is not None for each in calls)


def test_usage_cost_and_the_model_that_answered_are_kept(ana: User) -> None:
    session = make_session(make_profile(model="openai:gpt-4.1", slug="priced"))
    usage = Usage(input_tokens=1000, output_tokens=100, cached_tokens=500, cache_write_tokens=7)
    done = Done(say("Hello"), usage, model="gpt-4.1-2025-04-14")
    turn = run(session, ana, Wire([RequestSent(body()), TextDelta("Hello"), done]), model="gpt-4.1")
    row = turn.calls.get()
    assert (row.input_tokens, row.output_tokens) == (1000, 100)
    assert (row.cached_tokens, row.cache_write_tokens) == (500, 7)
    assert row.model_answered == "gpt-4.1-2025-04-14"
    assert float(row.cost or 0) == pytest.approx(0.5 * 0.002 + 0.5 * 0.0005 + 0.1 * 0.008, rel=0.01)


def test_a_call_without_a_known_price_has_no_cost(session: AgentSession, ana: User) -> None:
    turn = run(
        session, ana, Wire([RequestSent(body()), Done(say("x"), Usage(input_tokens=1, output_tokens=1))])
    )
    assert turn.calls.get().cost is None


def test_retries_are_kept_with_their_reasons(session: AgentSession, ana: User) -> None:
    events: list[ModelEvent | Exception] = [
        RequestSent(body(), 1),
        Retrying("provider overloaded", 0.5),
        RequestSent(body(), 2),
        Done(say("Hello")),
    ]
    row = run(session, ana, Wire(events)).calls.get()
    assert (row.attempts, row.retries) == (2, [{"reason": "provider overloaded", "waitS": 0.5}])


def test_an_empty_reply_is_a_call_that_was_discarded(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.loop.limits.Pace.rest", lambda *_: None)
    turn = run(session, ana, ScriptedConnector(say(""), say("Hello")))
    assert list(turn.calls.order_by("ordinal").values_list("status", flat=True)) == ["discarded", "succeeded"]


def test_a_call_that_failed_says_why(session: AgentSession, ana: User) -> None:
    fault = ConnectorError("The provider is away. Retry the turn.")
    turn = run(session, ana, Wire([RequestSent(body()), fault]))
    assert turn.status == Turn.Status.FAILED
    row = turn.calls.get()
    assert (row.status, row.error) == ("failed", "The provider is away. Retry the turn.")


def test_a_retried_turn_goes_on_counting_its_calls(session: AgentSession, ana: User) -> None:
    turn = run(session, ana, Wire([RequestSent(body()), ConnectorError("away")]))
    scripts.current["test"] = ScriptedConnector(say("Hello"))
    sessions.retry_turn(session)
    runner.run(turn.pk)
    assert list(turn.calls.order_by("ordinal").values_list("status", flat=True)) == ["failed", "succeeded"]


def test_a_call_that_a_person_stopped_says_so(session: AgentSession, ana: User) -> None:
    class Stopped:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield RequestSent(body())
            Turn.objects.update(cancel_requested=True)
            stop_watch.look()
            while True:
                yield Waiting()

    turn = run(session, ana, Stopped())
    assert turn.status == Turn.Status.CANCELLED
    assert turn.calls.get().status == "stopped"


def test_a_call_that_a_dead_worker_left_open_is_closed_by_the_next(session: AgentSession, ana: User) -> None:
    turn = sessions.submit_turn(session, "hi", ana)
    Turn.objects.update(attempts=1)
    columns = {"body_sha256": "", "body_size": 0, "estimated_tokens": 0}
    ModelCall.objects.create(session=session, turn=turn, ordinal=1, model_asked="scripted:test", **columns)
    scripts.current["test"] = ScriptedConnector(say("Hello"))
    runner.run(turn.pk)
    first, second = turn.calls.order_by("ordinal")
    assert (first.status, second.status) == ("failed", "succeeded")
    assert "worker stopped" in first.error


def test_a_worker_that_lost_its_lease_writes_nothing_more(session: AgentSession, ana: User) -> None:
    class Robbed:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield RequestSent(body())
            AgentSession.objects.update(lease_owner="")
            leases.claim(session.pk, "another")
            yield Done(say("Hello"))

    turn = run(session, ana, Robbed())
    assert turn.calls.get().status == "running"


def test_a_call_names_the_revision_of_each_store_that_it_showed(session: AgentSession, ana: User) -> None:
    write(session, "progress", 1)
    write(session, "progress", 2)
    turn = run(session, ana, ScriptedConnector(say("Hello")))
    row = turn.calls.get()
    assert row.stores["in_context_memory"] == 2
    assert SeenRevision.objects.get(plugin="in_context_memory", revision=2).call == row


def test_the_first_call_that_showed_a_revision_keeps_it(session: AgentSession, ana: User) -> None:
    write(session, "progress", 1)
    first = run(session, ana, ScriptedConnector(say("Hello"))).calls.get()
    run(session, ana, ScriptedConnector(say("Again")))
    assert SeenRevision.objects.get(plugin="in_context_memory", revision=1).call == first


def test_a_request_that_never_reached_the_model_showed_it_nothing(session: AgentSession, ana: User) -> None:
    write(session, "progress", 1)
    run(session, ana, Wire([RequestSent(body()), ConnectorError("unreachable")]))
    assert not SeenRevision.objects.exists()


def test_an_answer_that_broke_off_had_seen_the_board(session: AgentSession, ana: User) -> None:
    write(session, "progress", 1)
    run(session, ana, Wire([RequestSent(body()), TextDelta("He"), ConnectorError("broke off")]))
    assert SeenRevision.objects.filter(revision=1).exists()
