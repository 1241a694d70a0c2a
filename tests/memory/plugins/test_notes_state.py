import pytest

from agents.context.errors import NewerState
from agents.context.json_values import JSON
from memory.plugins.errors import InvalidEntry
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_scope import Scope
from memory.plugins.notes_state import entry_from_state, entry_to_state, saved_entries

NOW = 1_769_798_400_000
ENTRY = NotesEntry(
    key="raw.topic",
    description="What was found",
    value_json='{"a":1}',
    size_bytes=7,
    scope=Scope("task", ("t1",), is_typed=True),
    base_priority="low",
    pinned=True,
    created_at=1,
    updated_at=2,
    last_accessed_at=3,
    access_count=4,
    recency=5,
)


def parsed(**fields: JSON) -> NotesEntry:
    saved = {"key": "k", "description": "d", "value": 1, **fields}
    return entry_from_state(saved, max_description=20, max_bytes=1000, now=NOW)


def test_a_saved_note_has_the_fields_of_the_specification() -> None:
    assert entry_to_state(ENTRY) == {
        "key": "raw.topic",
        "description": "What was found",
        "value": {"a": 1},
        "scope": {"type": "task", "taskIds": ["t1"]},
        "sizeBytes": 7,
        "basePriority": "low",
        "pinned": True,
        "createdAt": 1,
        "updatedAt": 2,
        "lastAccessedAt": 3,
        "accessCount": 4,
        "recency": 5,
    }


def test_a_saved_note_comes_back_equal() -> None:
    assert entry_from_state(entry_to_state(ENTRY), max_description=150, max_bytes=1000, now=NOW) == ENTRY


def test_a_note_that_compaction_folded_comes_back_folded() -> None:
    folded = NotesEntry("k", "d", "1", 1, folded=True)
    assert entry_from_state(entry_to_state(folded), max_description=9, max_bytes=9, now=NOW) == folded


def test_a_state_of_the_typescript_library_gets_times_and_defaults() -> None:
    saved = {"key": "raw.x", "description": "d", "value": [1], "scope": "session", "sizeBytes": 99}
    entry = entry_from_state(saved, max_description=150, max_bytes=1000, now=NOW)
    assert entry == NotesEntry(
        "raw.x", "d", "[1]", 3, base_priority="low", created_at=NOW, updated_at=NOW, last_accessed_at=NOW
    )


def test_the_size_is_counted_again() -> None:
    assert parsed(value="é", sizeBytes=1).size_bytes == 4


def test_an_absent_value_has_no_size_and_stays_absent() -> None:
    entry = entry_from_state({"key": "k", "description": "d"}, max_description=9, max_bytes=9, now=NOW)
    assert entry.size_bytes == 0
    assert entry.value is None
    assert "value" not in entry_to_state(entry)


def test_a_description_too_long_is_clipped() -> None:
    assert parsed(description="x" * 21).description == "x" * 19 + "…"


def test_an_empty_description_of_an_old_state_is_kept() -> None:
    assert parsed(description="").description == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", "a b"),
        ("key", None),
        ("description", None),
        ("description", 5),
        ("value", 2**60),
        ("scope", "for ever"),
        ("basePriority", "urgent"),
        ("pinned", "yes"),
        ("createdAt", -1),
        ("createdAt", 10**30),
        ("updatedAt", 1.5),
        ("lastAccessedAt", "now"),
        ("accessCount", True),
        ("recency", None),
        ("folded", 1),
    ],
)
def test_a_wrong_field_is_refused(field: str, value: JSON) -> None:
    with pytest.raises(InvalidEntry):
        parsed(**{field: value})


@pytest.mark.parametrize("saved", [None, [], "key", 5])
def test_a_saved_note_is_an_object(saved: object) -> None:
    with pytest.raises(InvalidEntry, match="object"):
        entry_from_state(saved, max_description=9, max_bytes=9, now=NOW)


@pytest.mark.parametrize("state", [None, {}, [], "", 0, {"version": 9}, {"entries": None}])
def test_a_state_without_entries_is_no_state(state: object) -> None:
    assert saved_entries(state) is None


def test_the_entries_of_a_state_are_given_as_they_are() -> None:
    assert saved_entries({"version": 1, "entries": ({"key": "k"}, 5)}) == [{"key": "k"}, 5]
    assert saved_entries({"entries": []}) == []


@pytest.mark.parametrize("state", [["entries"], "state", 7, {"entries": {}}, {"entries": [], "version": "1"}])
def test_what_is_no_state_is_refused(state: object) -> None:
    with pytest.raises(InvalidEntry, match="saved state"):
        saved_entries(state)


def test_a_newer_state_is_refused_with_both_versions() -> None:
    with pytest.raises(NewerState, match="2") as caught:
        saved_entries({"version": 2, "entries": []})
    assert (caught.value.found, caught.value.supported) == (2, 1)
