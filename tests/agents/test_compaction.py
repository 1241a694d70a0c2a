import json
import re
from typing import Any

import pytest

from agents import compaction, leases, maintenance, runner, sessions
from agents.bindings import Run
from agents.connectors.base import ModelRequest
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context import AgentContext
from agents.models import AgentSession, CompactionRecord, Message, Turn
from agents.opening import open_context
from memory.actors import Actor
from memory.bindings import change_board, open_board, open_notes
from tests.agents.scripts import say_next
from tests.people import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("scripted")]

# Enough for a prompt of a few turns and no more.
WINDOW = 9_000
LONG = "The quick brown fox jumps over the lazy dog. " * 120
Trigger, Status = CompactionRecord.Trigger, CompactionRecord.Status


@pytest.fixture
def small(people: Cast) -> AgentSession:
    people.profile.max_context_tokens = WINDOW
    people.profile.response_reserve = 500
    people.profile.save()
    return sessions.start_session(people.profile, people.operator, "Small window")


def run_turn(session: AgentSession, people: Cast, text: str, *replies: Any) -> tuple[Turn, ScriptedConnector]:
    connector = say_next(*replies)
    turn = sessions.submit_turn(session, text, people.operator)
    runner.run(turn.pk)
    turn.refresh_from_db()
    session.refresh_from_db()
    return turn, connector


def fill(session: AgentSession, people: Cast, turns: int) -> None:
    for number in range(turns):
        turn, _ = run_turn(session, people, f"question {number}", say(f"answer {number}. {LONG}"))
        assert turn.status == Turn.Status.SUCCEEDED


def prompt(session: AgentSession) -> str:
    """What the model would receive now, as text; the clock line aside."""
    opened = open_context(Run(AgentSession.objects.get(pk=session.pk), None, 0))
    try:
        opened.context.add_user_message("probe")
        asked = [dict(item) for item in opened.context._assemble().items]
    finally:
        opened.context.destroy()
    return re.sub(r"Current date and time: [\w ,:]* UTC", "", json.dumps(asked[:-1], ensure_ascii=False))


def test_a_turn_compacts_at_the_gate_and_marks_what_the_model_no_longer_sees(
    small: AgentSession, people: Cast
) -> None:
    fill(small, people, 9)
    record = small.compactions.filter(trigger=Trigger.GATE).first()
    assert record
    assert record.tokens_before >= 0.9 * record.plan["contentMax"]
    assert record.tokens_after <= record.target
    assert record.plan["log"]
    hidden = Message.objects.filter(session=small, in_context=False)
    assert hidden
    assert small.messages.count() == 18
    assert {was["message"] for was in record.replaced} >= {str(row.pk) for row in hidden[:1]}


def test_the_next_turn_goes_on_from_the_compacted_context(small: AgentSession, people: Cast) -> None:
    fill(small, people, 9)
    _, connector = run_turn(small, people, "and now?", say("fine"))
    asked = json.dumps(connector.requests[0].input)
    assert "question 0" in asked
    assert "answer 8" in asked
    assert "answer 1." not in asked


def test_a_compaction_that_a_person_asks_for_is_carried_out_and_shown(
    small: AgentSession, people: Cast
) -> None:
    fill(small, people, 6)
    plan = maintenance.preview_compaction(small)
    assert not plan.is_empty
    assert not small.compactions.exists()
    record = maintenance.request_compaction(small, people.operator)
    small.refresh_from_db()
    assert small.status == "compacting"
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    small.refresh_from_db()
    assert (record.status, record.trigger, record.requested_by) == (
        Status.DONE,
        Trigger.MANUAL,
        people.operator,
    )
    assert record.plan["tokensFreed"] == plan.tokens_freed
    assert [i["itemId"] for i in record.plan["items"]] == [each.item_id for each in plan.changes]
    assert (small.status, small.lease_owner) == ("idle", "")


def test_restoring_brings_back_the_identical_prompt(small: AgentSession, people: Cast) -> None:
    fill(small, people, 6)
    for number in range(3):
        write(small, f"scratch{number}", LONG[:900], "low")
    before = prompt(small)
    record = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(record.pk)
    assert prompt(small) != before
    record.refresh_from_db()
    maintenance.restore(record, people.operator)
    assert prompt(small) == before
    record.refresh_from_db()
    assert record.status == Status.RESTORED
    assert not Message.objects.filter(session=small, in_context=False).exists()


def test_evicted_entries_are_kept_in_notes_and_come_back_in_their_place(
    small: AgentSession, people: Cast
) -> None:
    run_turn(small, people, "hello", say("hi"))
    for key, priority in (("first", "low"), ("keep", "critical"), ("last", "low")):
        write(small, key, LONG * 2, priority)
    before = prompt(small)
    assert any(each.given_up for each in maintenance.preview_compaction(small).plugins)
    record = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(record.pk)
    assert open_board(small).has("keep")
    assert not open_board(small).has("first")
    assert open_notes(small).count > 0
    record.refresh_from_db()
    maintenance.restore(record, people.operator)
    assert [entry.key for entry in open_board(small).entries()] == ["first", "keep", "last"]
    assert prompt(small) == before


def test_an_entry_rewritten_after_the_compaction_stays_as_it_was_written(
    small: AgentSession, people: Cast
) -> None:
    run_turn(small, people, "hello", say("hi"))
    for key in ("first", "second"):
        write(small, key, LONG * 3, "low")
    record = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(record.pk)
    assert not open_board(small).has("first")
    write(small, "first", "new", "low")
    record.refresh_from_db()
    maintenance.restore(record, people.operator)
    assert open_board(small).get("first") == "new"


def write(session: AgentSession, key: str, value: str, priority: str) -> None:
    change_board(
        session.pk, lambda board: board.set(key, f"About {key}", value, priority), actor=Actor.client("agent")
    )


def test_only_the_last_compaction_can_be_restored(small: AgentSession, people: Cast) -> None:
    fill(small, people, 6)
    first = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(first.pk)
    fill(small, people, 4)
    second = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(second.pk)
    first.refresh_from_db()
    second.refresh_from_db()
    with pytest.raises(sessions.NothingToDo, match="newer"):
        maintenance.restore(first, people.operator)
    maintenance.restore(second, people.operator)
    with pytest.raises(sessions.NothingToDo):
        maintenance.restore(second, people.operator)


def test_nothing_to_compact_is_said(small: AgentSession, people: Cast) -> None:
    run_turn(small, people, "hello", say("hi"))
    record = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert (record.status, record.error) == (Status.FAILED, maintenance.NOTHING)


def test_a_busy_session_is_neither_compacted_nor_restored(small: AgentSession, people: Cast) -> None:
    fill(small, people, 6)
    record = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    sessions.submit_turn(small, "work", people.operator)
    with pytest.raises(sessions.NothingToDo, match="working"):
        maintenance.request_compaction(small, people.operator)
    with pytest.raises(sessions.NothingToDo, match="working"):
        maintenance.restore(record, people.operator)
    leases.claim(small.pk, "other worker")
    with pytest.raises(sessions.NothingToDo, match="working"):
        maintenance.restore(record, people.operator)


def test_a_request_waits_while_somebody_holds_the_session_and_is_poked_again(
    small: AgentSession, people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(small, people, 6)
    record = maintenance.request_compaction(small, people.operator)
    assert maintenance.request_compaction(small, people.operator) == record
    fence = leases.claim(small.pk, "other worker")
    assert fence
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == Status.QUEUED
    poked: list[object] = []
    monkeypatch.setattr("agents.queue.poke_compaction", poked.append)
    assert maintenance.wake_waiting_requests() == 1
    assert poked == [record.pk]
    leases.release(small.pk, fence)
    maintenance.carry_out(record.pk)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == Status.DONE


class Killed(KeyboardInterrupt):
    """What a worker that is killed looks like from inside: nothing after it runs."""


@pytest.mark.parametrize("place", ["before", "after notes", "after marks", "before commit", "announced"])
def test_a_worker_killed_in_a_compaction_leaves_everything_as_it_was(
    small: AgentSession, people: Cast, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    fill(small, people, 6)
    before, messages = prompt(small), list(Message.objects.values())
    notes = open_notes(small).get_state()

    def die(*_: object, **__: object) -> None:
        raise Killed

    target = {
        "before": "_marks",
        "after notes": "_mark_messages",
        "after marks": "_spans",
        "before commit": "_describe",
        "announced": "announce",
    }[place]
    monkeypatch.setattr(compaction, target, die)
    record = maintenance.request_compaction(small, people.operator)
    with pytest.raises(Killed):
        maintenance.carry_out(record.pk)
    monkeypatch.undo()
    assert prompt(small) == before
    assert list(Message.objects.values()) == messages
    assert open_notes(small).get_state() == notes
    AgentSession.objects.filter(pk=small.pk).update(lease_until="2000-01-01T00:00Z")
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == Status.DONE
    turn, _ = run_turn(small, people, "go on", say("yes"))
    assert turn.status == Turn.Status.SUCCEEDED


def test_a_turn_killed_in_its_compaction_is_taken_up_again(
    small: AgentSession, people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(small, people, 7)

    def die(*_: object, **__: object) -> None:
        raise Killed

    monkeypatch.setattr(compaction, "_mark_messages", die)
    say_next(say(f"answer. {LONG}"), say(f"answer. {LONG}"), say("end"))
    killed: list[Turn] = []
    for number in range(3):
        turn = sessions.submit_turn(small, f"more {number} {LONG}", people.operator)
        try:
            runner.run(turn.pk)
        except Killed:
            killed.append(turn)
            break
    assert killed
    monkeypatch.undo()
    AgentSession.objects.filter(pk=small.pk).update(lease_until="2000-01-01T00:00Z")
    say_next(say("at last"))
    runner.run(killed[0].pk)
    killed[0].refresh_from_db()
    assert killed[0].status == Turn.Status.SUCCEEDED
    assert small.compactions.filter(status=Status.DONE).exists()


def test_a_compaction_without_its_lease_changes_nothing(small: AgentSession, people: Cast) -> None:
    fill(small, people, 6)
    record = maintenance.request_compaction(small, people.operator)
    before = prompt(small)

    def rob(self: AgentContext, **_: object) -> Any:
        AgentSession.objects.filter(pk=small.pk).update(fence=99)
        return self.apply_compaction(self.preview_compaction())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AgentContext, "compact", rob)
        maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == Status.QUEUED
    assert prompt(small) == before


def test_a_fault_in_a_compaction_is_logged_and_shown(
    small: AgentSession, people: Cast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: AgentContext, **_: object) -> Any:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(AgentContext, "compact", broken)
    record = maintenance.request_compaction(small, people.operator)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    small.refresh_from_db()
    assert record.status == Status.FAILED
    assert "secret detail" not in record.error
    assert "secret detail" in caplog.text
    assert small.status == "idle"


def test_a_long_result_is_moved_to_notes_with_a_pointer_left_behind(
    small: AgentSession, people: Cast
) -> None:
    def listing(request: ModelRequest) -> list[Any]:
        return call(
            ("c1", "store_set", json.dumps({"store": "notes", "key": "k", "description": "d", "value": 1}))
        )

    run_turn(small, people, "start", listing, say("ok"))
    fill(small, people, 8)
    assert prompt(small).count('"tool_use"') == prompt(small).count('"tool_result"')
