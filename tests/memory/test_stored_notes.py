import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from agents import leases, sessions
from agents.bindings import Run, store_revisions
from agents.context.json_values import JSON
from agents.models import AgentSession
from memory.actors import Actor
from memory.bindings import change_board, notes_of, open_notes
from memory.bindings.notes import NOTES, NotesBinding, StoredNotes
from memory.models import EntryRevision, Store
from memory.plugins.errors import InvalidEntry
from memory.unit_of_work import change_store
from tests.people import Cast

pytestmark = pytest.mark.django_db

LARGE: JSON = {"rows": ["x" * 1000] * 200}


@pytest.fixture
def run(people: Cast) -> Run:
    turn = sessions.submit_turn(people.session, "go", people.operator)
    fence = leases.claim(people.session.pk, "worker")
    assert fence
    return Run(AgentSession.objects.get(pk=people.session.pk), turn, fence)


@pytest.fixture
def notes(run: Run) -> StoredNotes:
    return NotesBinding().open(run)


def test_one_statement_finds_all_stores_of_a_session(
    people: Cast, run: Run, notes: StoredNotes, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    notes.store("topic", "What it is", 1)
    change_board(people.session.pk, lambda board: board.set("k", "d", 1), actor=Actor.person(people.operator))
    with django_assert_num_queries(1):
        stores = store_revisions(run.session.pk)
    assert {kind: store.revision for kind, store in stores.items()} == {"notes": 1, "whiteboard": 1}
    # Its own change is not read again, and neither is a look that somebody else made already.
    with django_assert_num_queries(0):
        notes.refresh(stores)
    assert notes.seen_revision == 1


def by_person(people: Cast, apply: Any, action: Any = EntryRevision.Action.SET) -> None:
    change_store(
        notes_of(people.session.pk).pk, NOTES, apply, actor=Actor.person(people.operator), action=action
    )


def test_a_note_survives_the_turn(run: Run, notes: StoredNotes) -> None:
    outcome = notes.store("topic", "What it is", {"b": 1, "a": [2.0]}, tier="findings", pinned=True)
    assert outcome.key == "findings.topic"
    again = NotesBinding().open(run)
    entry = again.find("topic")
    assert entry
    assert (entry.key, entry.pinned, entry.tier, entry.base_priority) == (
        "findings.topic",
        True,
        "findings",
        "high",
    )
    assert repr(again.retrieve("topic")) == repr({"b": 1, "a": [2.0]})


def test_notes_that_nobody_has_written_have_no_rows(run: Run, notes: StoredNotes) -> None:
    assert notes.seen_revision == 0
    assert not notes.with_values(list(notes.entries()))
    assert not Store.objects.exists()


def test_the_first_note_of_a_person_is_taken_over_and_guarded(
    people: Cast, run: Run, notes: StoredNotes
) -> None:
    by_person(people, lambda plugin: plugin.store("plan", "Plan", "theirs"))
    assert notes.store_set("plan", {"description": "Plan", "value": "mine"})["reason"] == "conflict"
    notes.refresh()
    assert (notes.retrieve("plan"), notes.seen_revision) == ("theirs", 1)


def test_scope_and_times_survive(run: Run, notes: StoredNotes) -> None:
    notes.store("plan", "Plan", 1, scope={"type": "task", "taskIds": ["t1", "t2"]})
    before, after = notes.find("plan"), NotesBinding().open(run).find("plan")
    assert before == after
    assert after
    assert after.scope.to_json() == {"type": "task", "taskIds": ["t1", "t2"]}


def test_values_stay_in_the_database_until_they_are_read(run: Run, notes: StoredNotes) -> None:
    notes.store("large", "A large value", LARGE)
    with CaptureQueriesContext(connection) as queries:
        again = NotesBinding().open(run)
        again.store("small", "A small value", 1)
        again.delete("small")
        assert "large" in again.format_index()
    assert not any("xxxxxxxxxx" in query["sql"] for query in queries)
    assert all(entry.value_json == "" for entry in again.entries())
    assert again.retrieve("large") == LARGE


def test_changing_a_note_without_its_value_keeps_the_value(run: Run, notes: StoredNotes) -> None:
    notes.store("large", "A large value", LARGE)
    change_store(
        notes_of(run.session.pk).pk,
        NOTES,
        lambda plugin: plugin.adopt(map(described_anew, plugin.entries())),
        actor=Actor.client("test"),
        load=frozenset(),
    )
    assert open_notes(run.session).retrieve("large") == LARGE
    assert json.loads(EntryRevision.objects.latest("revision").value or "") == LARGE


def described_anew(entry: Any) -> Any:
    return entry.__class__(
        **{name: getattr(entry, name) for name in entry.__slots__} | {"description": "Another description"}
    )


def test_reading_moves_the_order_of_access_and_no_revision(run: Run, notes: StoredNotes) -> None:
    notes.store("a", "First", 1)
    notes.store("b", "Second", 2)
    store = notes_of(run.session.pk)
    assert notes.retrieve("a") == 1
    store.refresh_from_db()
    assert store.revision == 2
    again = NotesBinding().open(run)
    a, b = again.find("a"), again.find("b")
    assert a
    assert b
    assert a.access_count == 1
    assert a.recency > b.recency


def test_storing_the_same_again_is_no_revision(run: Run, notes: StoredNotes) -> None:
    notes.store("a", "First", LARGE)
    assert not notes.store("a", "First", LARGE).changed
    assert notes_of(run.session.pk).revision == 1


def test_the_store_tools_work_on_rows(run: Run, notes: StoredNotes) -> None:
    assert (
        notes.store_set("topic", {"description": "d", "value": {"n": 1}, "tier": "raw"})["key"] == "raw.topic"
    )
    found = notes.store_get("topic")
    assert found["found"] is True
    assert notes.store_list()["total"] == 1
    query = notes.store_action("query", {"includeValues": True})
    assert query["entries"][0]["value"] == {"n": 1}  # type: ignore[index,call-overload]
    assert notes.store_action("query")["success"] is True
    assert notes.store_action("cleanup_raw")["deleted"] == 1
    assert notes.store_set("x", {"description": "d", "value": 1})["success"] is True
    assert notes.store_delete("x")["deleted"] is True
    notes.store_set("y", {"description": "d", "value": 1})
    assert notes.store_action("clear")["success"] is True
    assert open_notes(run.session).count == 0
    assert notes.store_set("bad key", {"description": "d", "value": 1})["success"] is False


def test_a_note_that_a_person_changed_meanwhile_is_refused(
    people: Cast, run: Run, notes: StoredNotes
) -> None:
    notes.store("a", "First", 1)
    notes.refresh()
    by_person(people, lambda plugin: plugin.store("a", "By a person", 2))
    refused = notes.store_set("a", {"description": "By the agent", "value": 3})
    assert refused["success"] is False
    assert refused["reason"] == "conflict"
    assert refused["current"]["value"] == 2  # type: ignore[index,call-overload]
    notes.refresh()
    assert notes.store_set("a", {"description": "By the agent", "value": 3})["success"] is True


def test_a_note_that_a_person_deleted_meanwhile_is_refused(
    people: Cast, run: Run, notes: StoredNotes
) -> None:
    notes.store("a", "First", 1)
    notes.refresh()
    by_person(people, lambda plugin: plugin.delete("a"), EntryRevision.Action.DELETE)
    assert notes.store_delete("a")["deleted"] is False
    assert "deleted it" in str(notes.store_delete("a")["error"])


def test_eviction_clearing_and_restoring_are_written(run: Run, notes: StoredNotes) -> None:
    for number in range(3):
        notes.store(f"n{number}", "A note", number)
    saved = notes.get_state()
    assert notes.evict(1) == ["n0"]
    assert notes.clear() == ["n1", "n2"]
    notes.restore_state(saved)
    assert [entry.value for entry in open_notes(run.session).entries()] == [0, 1, 2]
    actions = list(EntryRevision.objects.order_by("revision", "key").values_list("action", flat=True))
    assert actions == ["set"] * 3 + ["evict"] + ["clear"] * 2 + ["restore"] * 3


def test_cleaning_up_and_compacting_are_written(run: Run, notes: StoredNotes) -> None:
    notes.store("old", "Unprocessed", 1, tier="raw")
    for number in range(5):
        notes.store(f"n{number}", f"A note with a description {number}", number)
    assert notes.cleanup_raw()["keys"] == ["raw.old"]
    assert notes.compact(5) > 0
    again = NotesBinding().open(run)
    assert again.format_index() == notes.format_index()
    assert open_notes(run.session).count == 5


def test_a_refused_note_changes_nothing(run: Run, notes: StoredNotes) -> None:
    with pytest.raises(InvalidEntry):
        notes.store("a", "x" * 1000, 1)
    with pytest.raises(InvalidEntry):
        notes.store(7, "d", 1)  # type: ignore[arg-type]
    assert notes_of(run.session.pk).revision == 0
