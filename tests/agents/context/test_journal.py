from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest

from agents.context.journal import JournalEntry, JournalQuery, JournalRecorder, matching
from tests.agents.context.cast import StoppedClock, assistant, results, user


def entry(number: int, kind: Any = "user", turn: int = 1) -> JournalEntry:
    return {"timestamp": number, "type": kind, "item": user(str(number)), "turnIndex": turn}


class MemoryJournal:
    """Keeps entries in a list and fails when told to."""

    def __init__(self) -> None:
        self.entries: dict[str, list[JournalEntry]] = {}
        self.is_failing = False

    def append(self, session_id: str, entries: Sequence[JournalEntry]) -> None:
        if self.is_failing:
            raise OSError("disk full")
        self.entries.setdefault(session_id, []).extend(entries)

    def read(self, session_id: str, query: JournalQuery | None = None) -> list[JournalEntry]:
        return list(matching(self.stream(session_id), query or {}))

    def stream(self, session_id: str) -> Iterator[JournalEntry]:
        yield from self.entries.get(session_id, [])

    def count(self, session_id: str) -> int:
        return len(self.entries.get(session_id, []))

    def clear(self, session_id: str) -> None:
        self.entries.pop(session_id, None)

    def get_location(self, session_id: str) -> str:
        return f"memory:{session_id}"


def recorder_of(*types: Any, session_id: str | None = "s") -> tuple[JournalRecorder, MemoryJournal]:
    journal = MemoryJournal()
    recorder = JournalRecorder(journal, StoppedClock(5), types or None)
    recorder.session_id = session_id
    return recorder, journal


def test_an_entry_has_time_type_item_and_turn() -> None:
    recorder, journal = recorder_of()
    recorder.record("assistant", user("hi"), 3)
    assert journal.entries["s"] == [{"timestamp": 5, "type": "assistant", "item": user("hi"), "turnIndex": 3}]


def test_without_storage_nothing_is_kept() -> None:
    recorder = JournalRecorder(None, StoppedClock())
    recorder.session_id = "s"
    recorder.record("user", user("hi"), 1)
    recorder.flush()
    assert recorder.journal is None


def test_before_the_session_has_an_id_entries_are_held_back_in_order() -> None:
    recorder, journal = recorder_of(session_id=None)
    for number in range(3):
        recorder.record("user", user(str(number)), number)
    recorder.flush()
    assert journal.entries == {}
    recorder.session_id = "s"
    recorder.flush()
    recorder.flush()
    assert [each["turnIndex"] for each in journal.entries["s"]] == [0, 1, 2]


def test_only_the_wanted_types_are_recorded() -> None:
    recorder, journal = recorder_of("user")
    recorder.record("user", user("a"), 1)
    recorder.record("tool_result", user("b"), 1)
    assert [each["type"] for each in journal.entries["s"]] == ["user"]


@pytest.mark.trap("W5.15")
def test_a_failing_storage_is_logged_and_nothing_is_lost_or_out_of_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    recorder, journal = recorder_of()
    journal.is_failing = True
    recorder.record("user", user("first"), 1)
    recorder.record("user", user("second"), 2)
    assert "2 entries are held back" in caplog.text
    with pytest.raises(OSError, match="disk full"):
        recorder.flush()
    journal.is_failing = False
    recorder.record("user", user("third"), 3)
    assert [each["turnIndex"] for each in journal.entries["s"]] == [1, 2, 3]


def test_discarding_forgets_what_was_held_back() -> None:
    recorder, journal = recorder_of(session_id=None)
    recorder.record("user", user("first"), 1)
    recorder.discard()
    recorder.session_id = "s"
    recorder.flush()
    assert journal.entries == {}


ENTRIES = [
    entry(10, "user", 1),
    entry(20, "assistant", 1),
    entry(30, "tool_result", 1),
    entry(40, "user", 2),
    entry(50, "assistant", 2),
]


@pytest.mark.parametrize(
    ("query", "times"),
    [
        ({}, [10, 20, 30, 40, 50]),
        ({"limit": 2}, [10, 20]),
        ({"limit": 0}, []),
        ({"offset": 3}, [40, 50]),
        ({"offset": 1, "limit": 2}, [20, 30]),
        ({"types": ["user"]}, [10, 40]),
        ({"types": ["user"], "offset": 1}, [40]),
        ({"after": 20}, [30, 40, 50]),
        ({"before": 30}, [10, 20]),
        ({"after": 10, "before": 40}, [20, 30]),
        ({"from_turn": 2}, [40, 50]),
        ({"to_turn": 1}, [10, 20, 30]),
        ({"from_turn": 1, "to_turn": 2, "types": ["assistant"], "limit": 1}, [20]),
    ],
)
def test_a_query_selects_by_everything_given(query: JournalQuery, times: list[int]) -> None:
    assert [each["timestamp"] for each in matching(ENTRIES, query)] == times


def test_messages_that_were_only_loaded_are_recorded_before_they_leave() -> None:
    journal = MemoryJournal()
    journal.append("s", [entry(1), {**entry(2), "item": user("two", "known")}])
    recorder = JournalRecorder(journal, StoppedClock())
    recorder.session_id = "s"
    fresh = [
        user("hi", "u1"),
        assistant("hello", (), "a1"),
        results("c", item_id="r1"),
        {
            "type": "message",
            "id": "d1",
            "role": "developer",
            "content": [{"type": "input_text", "text": "x"}],
        },
        {"type": "compaction", "id": "o1", "encrypted_content": "z"},
    ]
    recorder.keep([user("two", "known"), *cast("Any", fresh)])
    recorder.keep(cast("Any", fresh))
    added = journal.read("s")[2:]
    assert [each["item"] for each in added] == fresh
    assert [each["type"] for each in added] == ["user", "assistant", "tool_result", "system", "system"]


def test_a_history_with_a_filter_does_not_count_as_one_that_keeps_everything() -> None:
    recorder = JournalRecorder(MemoryJournal(), StoppedClock(), ["user"])
    assert not recorder.keeps_everything
    recorder.keep([user("hi", "u1")])
    assert recorder._held == []
    assert not JournalRecorder(None, StoppedClock()).keeps_everything


def test_a_note_is_an_entry_of_the_system() -> None:
    recorder = JournalRecorder(MemoryJournal(), StoppedClock())
    recorder.note({"rollover": "manual"})
    (held,) = recorder._held
    assert held["type"] == "system"
    assert '{"rollover":"manual"}' in str(held["item"])
    JournalRecorder(None, StoppedClock()).note({})
