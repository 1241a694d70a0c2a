import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents import leases, runner, sessions
from agents.connectors.base import (
    Connector,
    ConnectorError,
    Done,
    ModelEvent,
    ModelRequest,
)
from agents.connectors.scripted import call, say
from agents.conversation import conversation_page
from agents.models import AgentSession, Message, Turn
from memory.actors import Actor
from memory.bindings import change_board, open_board
from memory.models import EntryRevision
from tests.agents import scripts
from tests.agents.scripts import roles, run, say_next, store_set, unanswered
from tests.rows import make_profile, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]


@pytest.fixture
def session() -> AgentSession:
    return make_session(make_profile(system_prompt="You are careful."))


def test_a_turn_stores_what_was_said_and_finishes(session: AgentSession, ana: User) -> None:
    say_next(say("Hello Ana"))
    turn = run(session, "hi", ana)
    assert turn.status == Turn.Status.SUCCEEDED
    assert turn.started_at
    assert turn.finished_at
    assert roles(session) == ["user", "assistant"]
    assert (session.status, session.lease_owner, session.doing) == ("idle", "", "")


def test_an_answer_is_stored_together_with_the_end_of_its_turn(session: AgentSession, ana: User) -> None:
    say_next(say("Hello"))
    run(session, "hi", ana)
    assert session.messages.get(role="assistant").revision == session.revision


def test_a_turn_of_one_call_asks_the_database_little(session: AgentSession, ana: User) -> None:
    say_next(say("Hello"))
    turn = sessions.submit_turn(session, "hi", ana)
    with CaptureQueriesContext(connection) as queries:
        runner.run(turn.pk)
    asked = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(asked) <= 19


def test_the_message_of_the_user_carries_the_id_of_its_turn(session: AgentSession, ana: User) -> None:
    say_next(say("Hello"))
    turn = run(session, "hi", ana)
    assert Message.objects.get(pk=turn.pk).blocks == [{"type": "input_text", "text": "hi"}]


def test_a_turn_whose_stored_message_is_none_fails_clearly_and_no_later_one(
    session: AgentSession, ana: User
) -> None:
    damaged = sessions.submit_turn(session, "hi", ana)
    Turn.objects.filter(pk=damaged.pk).update(input=[{"type": "riddle"}])
    later = sessions.submit_turn(session, "still there?", ana)

    runner.run(damaged.pk)
    damaged.refresh_from_db()
    assert damaged.status == Turn.Status.FAILED
    assert "riddle" in damaged.error
    session.refresh_from_db()
    assert (session.status, session.lease_owner, session.message_count) == ("queued", "", 0)

    say_next(say("Yes"))
    runner.run(later.pk)
    later.refresh_from_db()
    assert later.status == Turn.Status.SUCCEEDED


def test_counts_and_budget_reach_the_session_row(session: AgentSession, ana: User) -> None:
    say_next(say("Hello"))
    run(session, "hi", ana)
    tokens = sum(session.messages.values_list("tokens", flat=True))
    assert session.message_count == 2
    assert session.message_tokens == tokens > 0
    budget = session.last_budget
    parts = budget["breakdown"]
    fixed = sum(value for key, value in parts.items() if key != "pluginContents")
    assert budget["totalUsed"] == fixed + sum(parts["pluginContents"].values())


def test_a_store_tool_writes_rows_under_the_name_of_the_agent(session: AgentSession, ana: User) -> None:
    say_next(store_set("state", {"step": 1}, showInUI=True), say("stored"))
    turn = run(session, "go", ana)
    board = open_board(session)
    assert board.get("state") == {"step": 1}
    revision = EntryRevision.objects.get()
    assert (revision.actor_kind, revision.turn) == ("turn", turn)


def test_the_next_turn_sees_the_conversation_and_the_board(session: AgentSession, ana: User) -> None:
    say_next(store_set("state", "first"), say("one"))
    run(session, "go", ana)
    connector = say_next(say("two"))
    run(session, "again", ana)
    asked = json.dumps(connector.requests[0].input)
    for text in ("You are careful.", "about state", "first", '"go"', '"one"', '"again"'):
        assert text in asked


def test_a_turn_sees_what_a_person_edited_since_its_last_call(session: AgentSession, ana: User) -> None:
    def edited(request: ModelRequest) -> list[Any]:
        change_board(session.pk, lambda b: b.set("mode", "Mode", "quick"), actor=Actor.person(ana))
        return call(("c1", "store_list", '{"store":"whiteboard"}'))

    connector = say_next(edited, say("done"))
    run(session, "go", ana)
    assert "quick" not in json.dumps(connector.requests[0].input[0])
    assert "quick" in json.dumps(connector.requests[1].input[0])


def test_a_write_to_a_key_that_a_person_changed_meanwhile_is_refused(
    session: AgentSession, ana: User
) -> None:
    def conflicting(request: ModelRequest) -> list[Any]:
        change_board(session.pk, lambda b: b.set("mode", "Mode", "by ana"), actor=Actor.person(ana))
        return store_set("mode", "by agent")

    connector = say_next(conflicting, store_set("mode", "agent again", "c2"), say("done"))
    turn = run(session, "go", ana)
    second = json.dumps(connector.requests[1].input)
    assert turn.status == Turn.Status.SUCCEEDED
    assert "by ana" in second
    assert "conflict" in second
    assert open_board(session).get("mode") == "agent again"
    refused, repeated = (call for view in conversation_page(session).messages for call in view.calls)
    assert (refused.state, repeated.state) == ("failed", "done")
    assert refused.effect.startswith("Somebody changed this key after you last saw the store")
    # People see both values: what the agent wanted, and what stands there.
    assert '"by agent"' in refused.arguments
    assert '"by ana"' in refused.result


def test_a_deletion_of_a_key_that_a_person_changed_meanwhile_is_shown_as_refused(
    session: AgentSession, ana: User
) -> None:
    def conflicting(request: ModelRequest) -> list[Any]:
        change_board(session.pk, lambda b: b.set("mode", "Mode", "by ana"), actor=Actor.person(ana))
        return call(("c1", "store_delete", '{"store":"whiteboard","key":"mode"}'))

    say_next(conflicting, say("done"))
    run(session, "go", ana)
    (refused,) = conversation_page(session).messages[1].calls
    assert (refused.state, '"by ana"' in refused.result) == ("failed", True)


def test_a_store_call_with_bad_input_changes_nothing_and_the_turn_goes_on(
    session: AgentSession, ana: User
) -> None:
    calls = call(
        ("c1", "store_set", '{"store":"whiteboard","key":"' + "k" * 200 + '","description":"d","value":1}'),
        ("c2", "store_set", '{"store":"whiteboard","key":"a","description":"d"}'),
        ("c3", "store_set", '{"store":"whiteboard","key":"a","description":"d","value":1,"priority":"top"}'),
        ("c4", "store_set", '{"store":"whiteboard","key":"a","description":"d","value":1,"showInUI":"yes"}'),
        (
            "c5",
            "store_set",
            '{"store":"whiteboard","key":"a","description":"d","value":"' + "x " * 99_000 + '"}',
        ),
        ("c6", "store_set", "{not json"),
        ("c7", "store_set", '{"store":"nowhere","key":"a","description":"d","value":1}'),
        ("c8", "store_delete", '{"store":"whiteboard","key":7}'),
    )
    say_next(calls, say("sorry"))
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.SUCCEEDED
    assert not open_board(session).list()
    results = session.messages.get(sequence=3).blocks
    assert len(results) == 8
    assert all("error" in result for result in results[:7])


def test_a_provider_error_fails_the_turn_visibly_and_a_retry_finishes_it(
    session: AgentSession, ana: User
) -> None:
    say_next(ConnectorError("The provider is overloaded; try again."))
    turn = run(session, "go", ana)
    assert (turn.status, turn.error) == ("failed", "The provider is overloaded; try again.")
    assert session.status == "failed"
    say_next(say("now"))
    runner.run(sessions.retry_turn(session).pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.SUCCEEDED
    assert roles(session) == ["user", "assistant"]


def test_an_unexpected_fault_is_logged_and_shown_without_its_details(
    session: AgentSession, ana: User, caplog: pytest.LogCaptureFixture
) -> None:
    say_next(RuntimeError("secret detail"))
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.FAILED
    assert "secret detail" not in turn.error
    assert "secret detail" in caplog.text


def test_an_unknown_provider_names_the_known_ones(ana: User) -> None:
    session = make_session(make_profile(model="nobody:model"))
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.FAILED
    assert "scripted" in turn.error


def test_an_unknown_tool_of_a_profile_fails_the_turn_with_its_name(ana: User) -> None:
    session = make_session(make_profile(tools=["missing_tool"]))
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.FAILED
    assert "missing_tool" in turn.error


def test_a_finished_turn_is_not_run_again(session: AgentSession, ana: User) -> None:
    say_next(say("once"))
    turn = run(session, "go", ana)
    runner.run(turn.pk)
    assert session.messages.count() == 2


def test_an_unknown_turn_is_nothing_to_do(session: AgentSession) -> None:
    runner.run(session.pk)


def test_a_later_turn_waits_for_the_earlier_one(session: AgentSession, ana: User) -> None:
    first = sessions.submit_turn(session, "one", ana)
    second = sessions.submit_turn(session, "two", ana)
    runner.run(second.pk)
    second.refresh_from_db()
    assert second.status == Turn.Status.QUEUED
    say_next(say("1"), say("2"))
    runner.run(first.pk)
    runner.run(second.pk)
    session.refresh_from_db()
    assert roles(session) == ["user", "assistant"] * 2
    assert session.status == "idle"


def test_finishing_a_turn_wakes_the_next(
    session: AgentSession, ana: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    first = sessions.submit_turn(session, "one", ana)
    second = sessions.submit_turn(session, "two", ana)
    say_next(say("1"))
    poked: list[object] = []
    monkeypatch.setattr("agents.queue.poke_turn", poked.append)
    with django_capture_on_commit_callbacks(execute=True):
        runner.run(first.pk)
    assert poked == [second.pk]
    session.refresh_from_db()
    assert session.status == "queued"


def test_a_session_that_somebody_else_runs_is_left_alone(session: AgentSession, ana: User) -> None:
    turn = sessions.submit_turn(session, "go", ana)
    leases.claim(session.pk, "other worker")
    runner.run(turn.pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.QUEUED


def test_a_turn_that_lost_its_lease_writes_nothing_more(session: AgentSession, ana: User) -> None:
    def robbed(request: ModelRequest) -> list[Any]:
        AgentSession.objects.filter(pk=session.pk).update(lease_owner="thief", fence=99)
        return store_set("late", 1)

    say_next(robbed, say("never"))
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.RUNNING
    assert roles(session) == ["user"]
    assert not open_board(session).list()
    assert session.lease_owner == "thief"


def test_a_stopped_turn_is_cancelled_and_the_next_prompt_has_no_orphan(
    session: AgentSession, ana: User
) -> None:
    def stopped(request: ModelRequest) -> list[Any]:
        sessions.stop_turn(session)
        return store_set("a", 1)

    say_next(stopped)
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.CANCELLED
    assert session.status == "idle"
    connector = say_next(say("ok"))
    run(session, "next", ana)
    assert unanswered(connector.requests[0]) == set()


def test_an_opaque_item_of_a_provider_survives_rows(session: AgentSession, ana: User) -> None:
    class Opaque:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield Done([*say("hello"), {"type": "compaction", "id": "x", "encrypted_content": "abc"}])

    opaque: Connector = Opaque()
    scripts.current["test"] = opaque
    turn = run(session, "go", ana)
    assert turn.status == Turn.Status.SUCCEEDED


def test_a_message_that_can_never_fit_fails_its_turn_and_no_later_one(ana: User) -> None:
    session = make_session(make_profile("small", max_context_tokens=4_000, response_reserve=500))
    say_next()
    turn = run(session, "word " * 9_000, ana)
    assert turn.status == Turn.Status.FAILED
    assert "too large" in turn.error
    assert (session.message_count, session.message_tokens) == (0, 0)
    runner.run(sessions.retry_turn(session).pk)
    turn.refresh_from_db()
    assert turn.status == Turn.Status.FAILED
    say_next(say("fine"))
    assert run(session, "short", ana).status == Turn.Status.SUCCEEDED
    assert roles(session) == ["user", "assistant"]
