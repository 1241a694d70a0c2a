from collections.abc import Sequence

import pytest

from memory.plugins.errors import StoreFull
from memory.plugins.notes_capacity import Limits, eviction_order, plan_trim, plan_write
from memory.plugins.notes_entry import NotesEntry
from memory.plugins.priorities import Priority


def note(key: str, size: int = 10, priority: Priority = "normal", recency: int = 0) -> NotesEntry:
    return NotesEntry(key, key, "x" * size, size, base_priority=priority, recency=recency)


def base_priority(entry: NotesEntry) -> Priority:
    return entry.base_priority


def keys(entries: Sequence[NotesEntry]) -> list[str]:
    return [entry.key for entry in entries]


def victims(
    incoming: NotesEntry,
    others: Sequence[NotesEntry],
    *,
    size: int = 100,
    entries: int | None = None,
    is_new: bool = True,
) -> list[str]:
    return keys(plan_write(incoming, others, Limits(size, entries), base_priority, is_new=is_new))


def test_lowest_priority_goes_first_then_least_recently_accessed() -> None:
    entries = [
        note("high", priority="high", recency=1),
        note("new", recency=5),
        note("old", recency=2),
        note("low", priority="low", recency=9),
        note("never", priority="critical", recency=0),
    ]
    assert keys(eviction_order(entries, base_priority)) == ["low", "old", "new", "high"]


def test_the_largest_goes_first_by_size() -> None:
    entries = [note("small", 1), note("large", 9), note("low", 2, "low"), note("twin", 9, recency=1)]
    assert keys(eviction_order(entries, base_priority, "size")) == ["low", "large", "twin", "small"]


def test_moved_results_go_before_notes_of_the_same_priority() -> None:
    entries = [
        note("raw.topic", priority="low", recency=1),
        note("raw.tool_result.search.1", priority="low", recency=9),
        note("raw.tool_result.search.0", priority="low", recency=8),
    ]
    assert keys(eviction_order(entries, base_priority)) == [
        "raw.tool_result.search.0",
        "raw.tool_result.search.1",
        "raw.topic",
    ]


def test_nothing_goes_while_there_is_room() -> None:
    assert victims(note("new"), [note(f"n{number}") for number in range(9)]) == []


def test_room_is_made_down_to_eighty_percent() -> None:
    others = [note(f"n{number}", recency=number) for number in range(10)]
    assert victims(note("new"), others) == ["n0", "n1", "n2"]


def test_the_margin_never_costs_a_more_important_note() -> None:
    others = [note("low", 10, "low"), note("high", 90, "high")]
    assert victims(note("new", 10, "normal"), others) == ["low"]


def test_the_need_may_cost_a_more_important_note() -> None:
    assert victims(note("new", 60, "low"), [note("high", 60, "high")]) == ["high"]


def test_a_margin_out_of_reach_is_not_begun() -> None:
    others = [note(f"n{number}", 5, recency=number) for number in range(4)]
    assert victims(note("new", 90), others) == ["n0", "n1"]


@pytest.mark.trap("W3.4")
def test_a_note_larger_than_everything_evicts_nothing() -> None:
    with pytest.raises(StoreFull, match=r"101B.*at most 100B") as caught:
        victims(note("new", 101), [note("a"), note("b")])
    assert (caught.value.key, caught.value.needed, caught.value.limit) == ("new", 121, 100)


@pytest.mark.trap("W3.5")
def test_notes_that_may_not_go_are_a_reason_to_refuse() -> None:
    with pytest.raises(StoreFull, match="Delete or unpin"):
        victims(note("new", 20), [note("pinned", 90, "critical")])


def test_critical_notes_are_refused_too_when_nothing_may_go() -> None:
    with pytest.raises(StoreFull):
        victims(note("new", 20, "critical"), [note("pinned", 90, "critical")])


def test_one_more_note_than_the_cap_costs_one() -> None:
    others = [note("a", recency=1), note("b", recency=0)]
    assert victims(note("new"), others, entries=2) == ["b"]


def test_the_cap_refuses_when_nothing_may_go() -> None:
    with pytest.raises(StoreFull, match="at most 1") as caught:
        victims(note("new"), [note("pinned", 1, "critical")], entries=1)
    assert (caught.value.needed, caught.value.limit) == (2, 1)


def test_no_cap_means_no_cap() -> None:
    others = [note(f"n{number}", 0) for number in range(500)]
    assert victims(note("new"), others, entries=None) == []


@pytest.mark.trap("W3.3")
def test_a_new_version_is_not_one_more_note() -> None:
    assert victims(note("old", 12), [note("a"), note("b")], entries=3, is_new=False) == []


def test_bytes_and_cap_are_met_together() -> None:
    others = [note("tiny", 1, "low"), note("big", 95)]
    assert victims(note("new"), others, entries=2) == ["tiny", "big"]


def test_a_moved_result_makes_room_among_its_own_kind() -> None:
    others = [note("raw.mine", 40, "low", 0), note("raw.tool_result.a.1", 50, "low", 1)]
    assert victims(note("raw.tool_result.a.2", 30, "low"), others) == ["raw.tool_result.a.1"]


@pytest.mark.trap("W3.14")
def test_a_moved_result_evicts_no_other_note() -> None:
    with pytest.raises(StoreFull):
        victims(note("raw.tool_result.a.2", 30, "low"), [note("raw.mine", 90, "low")])
    with pytest.raises(StoreFull):
        victims(note("raw.tool_result.a.2", 1, "low"), [note("raw.mine", 1, "low")], entries=1)


def test_trimming_stops_when_the_limits_hold() -> None:
    entries = [note(f"n{number}", recency=number) for number in range(5)]
    assert keys(plan_trim(entries, Limits(30), base_priority)) == ["n0", "n1"]
    assert keys(plan_trim(entries, Limits(100, 4), base_priority)) == ["n0"]
    assert keys(plan_trim(entries, Limits(100, 5), base_priority)) == []


def test_trimming_takes_all_it_may_when_the_limits_cannot_hold() -> None:
    entries = [note("kept", 200, "critical"), note("gone", 1)]
    assert keys(plan_trim(entries, Limits(100), base_priority)) == ["gone"]
