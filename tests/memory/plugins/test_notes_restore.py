import json

import pytest

from agents.context.errors import NewerState
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes import WorkingMemory
from tests.memory.plugins.notes_cast import StoppedClock, found, keys_of, listed_keys, notes_of, text_of


def full_notes() -> WorkingMemory:
    clock = StoppedClock()
    notes = notes_of(clock=clock)
    notes.store("search.results", "Raw results", {"pages": [1, 2]}, tier="raw")
    notes.store("rules", "House rules", "Be brief", pinned=True, scope="persistent")
    clock.now += 10
    notes.store("work", "Work of a task", [True, None], scope={"type": "task", "taskIds": ["t1"]})
    notes.retrieve("search.results")
    return notes


def test_a_state_is_plain_json_of_version_one() -> None:
    state = full_notes().get_state()
    assert state["version"] == 1
    assert json.loads(json.dumps(state)) == state


def test_a_state_comes_back_identical() -> None:
    notes = full_notes()
    other = notes_of()
    other.restore_state(json.loads(json.dumps(notes.get_state())))
    assert other.get_state() == notes.get_state()
    assert other.entries() == notes.entries()
    assert other.used_bytes == notes.used_bytes
    assert other.format_index() == notes.format_index()


@pytest.mark.trap("W3.7")
def test_a_restore_leaves_nothing_of_before() -> None:
    notes = notes_of()
    notes.store("of.session.a", "d", "secret of A")
    notes.restore_state(full_notes().get_state())
    assert not notes.has("of.session.a")
    assert "of.session.a" not in json.dumps(notes.get_state())
    notes.restore_state({"version": 1, "entries": []})
    assert notes.count == 0


@pytest.mark.trap("W3.8")
def test_a_restore_keeps_the_order_of_access() -> None:
    notes = notes_of()
    for key in ("a", "b", "c"):
        notes.store(key, "d", 1)
    notes.retrieve("a")
    restored = notes_of(max_entries=3)
    restored.restore_state(notes.get_state())
    assert listed_keys(restored) == ["a", "c", "b"]
    assert found(restored, "a").access_count == 1
    assert restored.store("d", "d", 1).evicted == ("b",)
    assert restored.store("e", "d", 1).evicted == ("c",)


def test_the_state_of_the_typescript_library_keeps_its_order() -> None:
    notes = notes_of(max_entries=2)
    notes.restore_state(
        {
            "version": 1,
            "entries": [
                {"key": "first", "description": "d", "value": 1, "scope": "session", "sizeBytes": 1},
                {"key": "second", "description": "d", "value": 2, "scope": "session", "sizeBytes": 1},
            ],
        }
    )
    assert notes.store("third", "d", 3).evicted == ("first",)


@pytest.mark.parametrize("state", [None, {}, [], "", {"version": 1}])
def test_a_state_without_entries_changes_nothing(state: object) -> None:
    notes = full_notes()
    before = (notes.get_state(), notes.revision)
    notes.restore_state(state)
    assert (notes.get_state(), notes.revision) == before


def test_a_state_with_one_wrong_note_changes_nothing() -> None:
    notes = full_notes()
    before = notes.get_state()
    wrong = {"entries": [{"key": "fine", "description": "d", "value": 1}, {"key": "not fine"}]}
    with pytest.raises(InvalidEntry):
        notes.restore_state(wrong)
    assert notes.get_state() == before


def test_a_newer_state_changes_nothing() -> None:
    notes = full_notes()
    before = notes.get_state()
    with pytest.raises(NewerState):
        notes.restore_state({"version": 2, "entries": []})
    assert notes.get_state() == before


def test_notes_beyond_the_limits_are_evicted_and_named() -> None:
    big = notes_of()
    big.store("low", "d", text_of(40), tier="raw")
    big.store("kept", "d", text_of(40))
    big.store("pinned", "d", text_of(40), pinned=True)
    small = notes_of(max_size_bytes=100)
    assert not small.evicted_by_restore
    small.restore_state(big.get_state())
    assert list(small.evicted_by_restore) == ["raw.low"]
    assert keys_of(small) == ["kept", "pinned"]
    small.restore_state({"entries": []})
    assert list(small.evicted_by_restore) == []


def test_pinned_notes_beyond_the_limits_stay() -> None:
    big = notes_of()
    big.store("a", "d", text_of(80), pinned=True)
    big.store("b", "d", text_of(80), priority="critical")
    small = notes_of(max_size_bytes=100)
    small.restore_state(big.get_state())
    assert keys_of(small) == ["a", "b"]
    assert "160%" in small.format_index()


def test_a_restore_is_one_revision_and_forgets_the_token_size() -> None:
    notes = full_notes()
    notes.get_content()
    revision = notes.revision
    notes.restore_state({"entries": []})
    assert notes.revision == revision + 1
    assert notes.get_token_size() == 0


def test_adopted_notes_are_taken_as_they_are() -> None:
    notes = notes_of(max_entries=1, max_size_bytes=1)
    source = full_notes()
    notes.adopt(source.entries())
    assert notes.entries() == source.entries()
    assert notes.used_bytes == source.used_bytes
    assert notes.revision == 0


def test_access_goes_on_after_the_adopted_order() -> None:
    source = full_notes()
    notes = notes_of()
    notes.adopt(source.entries())
    notes.retrieve("rules")
    assert found(notes, "rules").recency > max(entry.recency for entry in source.entries())


def test_a_copy_has_the_options_and_a_state_of_its_own() -> None:
    notes = notes_of(max_entries=5, max_size_bytes=1000, max_index_entries=2, description_max_length=20)
    notes.store("a", "d", 1, scope={"type": "task", "taskIds": ["t1"]})
    notes.set_task_states({"t1": "completed"})
    twin = notes.copy()
    assert type(twin) is WorkingMemory
    assert twin.get_state() == notes.get_state()
    assert twin.revision == notes.revision
    assert twin.stale_keys() == ["a"]
    assert (twin.max_entries, twin.max_size_bytes) == (5, 1000)
    assert (twin.max_index_entries, twin.description_max_length) == (2, 20)
    twin.store("b", "d", 1)
    twin.set_task_states(None)
    assert keys_of(notes) == ["a"]
    assert notes.stale_keys() == ["a"]
    assert twin.estimator is notes.estimator
