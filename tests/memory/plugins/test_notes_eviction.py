import pytest

from memory.plugins.errors import InvalidEntry, StoreFull
from tests.memory.plugins.notes_cast import (
    keys_of,
    listed_keys,
    notes_of,
    text_of,
)

MB = 1024 * 1024


@pytest.mark.trap("W3.3")
def test_an_update_at_the_cap_evicts_nobody_and_counts_its_old_size_once() -> None:
    notes = notes_of(max_entries=2, max_size_bytes=100)
    notes.store("a", "d", text_of(45))
    notes.store("b", "d", text_of(45))
    assert notes.store("b", "d", text_of(55)).evicted == ()
    assert keys_of(notes) == ["a", "b"]
    assert notes.used_bytes == 100


def test_an_update_that_outgrows_the_limit_makes_room() -> None:
    notes = notes_of(max_size_bytes=100)
    notes.store("a", "d", text_of(45))
    notes.store("b", "d", text_of(45))
    assert notes.store("b", "d", text_of(60)).evicted == ("a",)


@pytest.mark.trap("W3.4")
def test_a_note_larger_than_the_store_is_refused_and_nothing_evicted() -> None:
    notes = notes_of(max_size_bytes=100)
    notes.store("a", "d", text_of(40))
    notes.store("b", "d", text_of(40), priority="low")
    before = notes.get_state()
    for key in ("c", "b"):
        with pytest.raises(StoreFull):
            notes.store(key, "d", text_of(101), priority="critical")
    assert notes.get_state() == before


@pytest.mark.trap("W3.5")
def test_pinned_and_critical_notes_never_let_the_limits_be_exceeded() -> None:
    notes = notes_of(max_size_bytes=100, max_entries=3)
    notes.store("pinned", "d", text_of(50), pinned=True)
    notes.store("critical", "d", text_of(40), priority="critical")
    with pytest.raises(StoreFull):
        notes.store("more", "d", text_of(20))
    notes.store("small", "d", text_of(5), pinned=True)
    with pytest.raises(StoreFull):
        notes.store("smaller", "d", text_of(2))
    assert keys_of(notes) == ["pinned", "critical", "small"]


def test_a_note_may_shrink_in_a_store_that_was_restored_too_full() -> None:
    big = notes_of()
    big.store("a", "d", text_of(100), pinned=True)
    big.store("b", "d", text_of(100), pinned=True)
    small = notes_of(max_size_bytes=50)
    small.restore_state(big.get_state())
    assert small.store("a", "d", text_of(10)).evicted == ()
    with pytest.raises(StoreFull):
        small.store("a", "d", text_of(11))


def test_a_pin_protects_from_eviction() -> None:
    notes = notes_of(max_entries=2)
    notes.store("a", "d", 1, tier="raw", pinned=True)
    notes.store("b", "d", 1)
    assert notes.store("c", "d", 1).evicted == ("b",)


def test_more_notes_than_the_index_lists_are_kept() -> None:
    notes = notes_of()
    for number in range(40):
        notes.store(f"n{number}", "d", number)
    assert notes.count == 40
    assert len(listed_keys(notes)) == 30


def test_twenty_five_megabytes_fit() -> None:
    notes = notes_of()
    assert notes.store("big", "d", text_of(25 * MB)).size_bytes == 25 * MB
    assert "(25MB / 25MB - 100%)" in notes.format_index()


def test_a_store_of_more_than_json_takes_by_default_takes_it() -> None:
    notes = notes_of(max_size_bytes=40 * MB)
    assert notes.store("big", "d", text_of(33 * MB)).size_bytes == 33 * MB


def test_evict_removes_up_to_that_many_in_order() -> None:
    notes = notes_of()
    notes.store("high", "d", 1, tier="findings")
    notes.store("big", "d", text_of(50))
    notes.store("small", "d", 1)
    notes.store("kept", "d", 1, pinned=True)
    notes.retrieve("big")
    assert notes.evict(1) == ["small"]
    assert notes.evict(9) == ["big", "findings.high"]
    assert keys_of(notes) == ["kept"]


def test_evict_by_size_takes_the_largest() -> None:
    notes = notes_of()
    notes.store("small", "d", 1)
    notes.store("big", "d", text_of(50))
    assert notes.evict(1, "size") == ["big"]


def test_evict_refuses_what_it_does_not_know() -> None:
    with pytest.raises(InvalidEntry, match="lru"):
        notes_of().evict(1, "random")  # type: ignore[arg-type]
    with pytest.raises(InvalidEntry, match="at least 0"):
        notes_of().evict(-1)
    with pytest.raises(InvalidEntry, match="at least 0"):
        notes_of().evict("1")  # type: ignore[arg-type]


def test_cleaning_up_removes_raw_notes_that_nothing_protects() -> None:
    notes = notes_of()
    notes.store("a", "d", 1, tier="raw")
    notes.store("b", "d", 1, tier="raw", pinned=True)
    notes.store("raw.c", "d", 1, priority="critical")
    notes.store("d", "d", 1, tier="raw", scope="persistent")
    notes.store("e", "d", 1, tier="summary")
    assert notes.cleanup_raw() == {"deleted": 1, "keys": ["raw.a"]}
    assert keys_of(notes) == ["raw.b", "raw.c", "raw.d", "summary.e"]
    assert notes.cleanup_raw() == {"deleted": 0, "keys": []}


def test_clear_removes_everything() -> None:
    notes = notes_of()
    notes.store("a", "d", 1, pinned=True)
    notes.store("b", "d", 1)
    assert notes.clear() == ["a", "b"]
    assert (notes.count, notes.used_bytes) == (0, 0)


def test_destroy_lets_go_of_everything() -> None:
    notes = notes_of()
    notes.store("a", "d", 1)
    notes.destroy()
    notes.destroy()
    assert notes.count == 0


@pytest.mark.trap("W3.11")
def test_task_states_decide_what_goes_first() -> None:
    notes = notes_of(max_entries=3)
    notes.store("done", "d", 1, priority="high", scope={"type": "task", "taskIds": ["t1"]})
    notes.store("running", "d", 1, priority="low", scope={"type": "task", "taskIds": ["t2"]})
    notes.store("plain", "d", 1)
    notes.set_task_states({"t1": "completed", "t2": "in_progress"})
    assert notes.stale_keys() == ["done"]
    assert notes.store("a", "d", 1).evicted == ("done",)
    assert notes.store("b", "d", 1).evicted == ("plain",)
    assert notes.has("running")
    notes.set_task_states(None)
    assert notes.stale_keys() == []
    assert notes.store("c", "d", 1).evicted == ("running",)


@pytest.mark.trap("W3.11")
def test_a_persistent_note_outlives_others_of_its_tier() -> None:
    notes = notes_of(max_entries=2)
    notes.store("keep", "d", 1, tier="raw", scope="persistent")
    notes.store("summary", "d", 1, tier="summary")
    notes.cleanup_raw()
    assert notes.store("next", "d", 1, tier="findings").evicted == ("summary.summary",)
    assert notes.has("raw.keep")


def test_a_pinned_note_is_never_stale() -> None:
    notes = notes_of()
    notes.store("a", "d", 1, pinned=True, scope={"type": "task", "taskIds": ["t1"]})
    notes.set_task_states({"t1": "completed"})
    assert notes.stale_keys() == []


def test_the_task_states_are_a_copy() -> None:
    notes = notes_of()
    notes.store("a", "d", 1, scope={"type": "task", "taskIds": ["t1"]})
    states = {"t1": "completed"}
    notes.set_task_states(states)
    states["t1"] = "pending"
    assert notes.stale_keys() == ["a"]


@pytest.mark.trap("W3.14")
def test_moved_tool_results_never_push_notes_out() -> None:
    notes = notes_of(max_entries=3)
    notes.store("mine", "d", 1, tier="raw")
    for number in range(5):
        notes.store(f"tool_result.search.call_{number}", "d", number, tier="raw")
    assert keys_of(notes) == ["raw.mine", "raw.tool_result.search.call_3", "raw.tool_result.search.call_4"]
    assert notes.store("more", "d", 1, tier="raw").evicted == ("raw.tool_result.search.call_3",)
