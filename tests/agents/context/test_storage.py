from typing import Any

import pytest

from agents.context.storage import SessionQuery, SessionSummary, metadata_of, selected, summary_of
from tests.agents.context.cast import user


def stored(**state: Any) -> Any:
    return {
        "version": 1,
        "sessionId": "s",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "lastSavedAt": "2026-01-02T00:00:00.000Z",
        "state": {"conversation": [user("a"), user("b")], "pluginStates": {}, "metadata": {}} | state,
        "metadata": {"title": "T"},
    }


def summary(number: int, saved: int | None = None, **metadata: Any) -> SessionSummary:
    return {
        "sessionId": f"s{number}",
        "createdAt": f"2026-01-0{number}T00:00:00.000Z",
        "lastSavedAt": f"2026-02-0{saved or number}T00:00:00.000Z",
        "messageCount": 0,
        "memoryEntryCount": 0,
        "metadata": metadata,
    }


def test_a_summary_counts_messages() -> None:
    assert summary_of(stored()) == {
        "sessionId": "s",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "lastSavedAt": "2026-01-02T00:00:00.000Z",
        "messageCount": 2,
        "memoryEntryCount": 0,
        "metadata": {"title": "T"},
    }


@pytest.mark.trap("W5.17")
def test_a_summary_counts_the_entries_of_the_notes() -> None:
    notes = {"working_memory": {"version": 1, "entries": [{"key": "a"}, {"key": "b"}, {"key": "c"}]}}
    assert summary_of(stored(pluginStates=notes))["memoryEntryCount"] == 3


@pytest.mark.parametrize("notes", [None, [], {"entries": 3}, {}])
def test_a_strange_notes_state_counts_as_none(notes: object) -> None:
    assert summary_of(stored(pluginStates={"working_memory": notes}))["memoryEntryCount"] == 0


def test_metadata_is_found_beside_the_technical_fields_of_older_states() -> None:
    old = stored(
        metadata={"savedAt": 1, "agentId": "a", "userId": None, "model": "m", "title": "old", "tags": ["x"]}
    )
    assert metadata_of(old) == {"title": "T", "tags": ["x"]}
    del old["metadata"]
    assert metadata_of(old) == {"title": "old", "tags": ["x"]}
    del old["state"]["metadata"]
    assert metadata_of(old) == {}


SUMMARIES = [
    summary(1, tags=["red"]),
    summary(2, 5, tags=["red", "blue"]),
    summary(3),
    summary(4, tags="red"),
]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({}, ["s2", "s4", "s3", "s1"]),
        ({"limit": 2}, ["s2", "s4"]),
        ({"limit": 2, "offset": 1}, ["s4", "s3"]),
        ({"offset": 3}, ["s1"]),
        ({"limit": 0}, []),
        ({"tags": ["red"]}, ["s2", "s1"]),
        ({"tags": ["blue", "green"]}, ["s2"]),
        ({"tags": []}, []),
        ({"created_after": "2026-01-03T00:00:00.000Z"}, ["s4", "s3"]),
        ({"created_before": "2026-01-01T00:00:00.000Z"}, ["s1"]),
        ({"saved_after": "2026-02-04T00:00:00.000Z"}, ["s2", "s4"]),
        ({"saved_before": "2026-02-03T00:00:00.000Z"}, ["s3", "s1"]),
    ],
)
def test_a_query_selects_and_the_last_saved_comes_first(query: SessionQuery, ids: list[str]) -> None:
    assert [each["sessionId"] for each in selected(SUMMARIES, query)] == ids
