import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context.tokens import TiktokenEstimator
from memory.plugins.whiteboard import InContextMemory, WhiteboardFull
from tests.memory.plugins.whiteboard_cast import (
    CharacterEstimator,
    contents,
    cost_of,
    filled,
    keys,
    picture,
    priorities,
    stopped,
)


def test_the_entry_written_is_never_its_own_victim() -> None:
    board = filled(InContextMemory(max_entries=3), ("critical1", "critical"), ("high1", "high"))
    board.set("normal1", "d", "value", "normal")

    result = board.set("low1", "d", "value", "low")

    assert result.evicted == ["normal1"]
    assert keys(board) == ["critical1", "high1", "low1"]


@pytest.mark.trap("W1.9")
def test_writes_in_the_same_millisecond_are_evicted_in_the_order_of_writing() -> None:
    board = filled(InContextMemory(max_entries=3, clock=stopped), *((key, "normal") for key in "abc"))
    board.set("a", "about a", "a newer value")

    assert board.set("d", "d", 1).evicted == ["b"]


@pytest.mark.trap("W1.13")
def test_evictions_are_reported_to_writer_host_and_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    board = filled(InContextMemory(max_entries=2), ("a", "low"), ("b", "normal"))

    result = board.set("c", "d", 1)

    assert result.evicted == ["a"]
    assert list(board.last_evicted) == ["a"]
    assert "evicted 'a'" in caplog.text
    board.delete("b")
    assert list(board.last_evicted) == []


@pytest.mark.trap("W1.1")
def test_a_write_that_cannot_fit_is_refused_and_wipes_nothing() -> None:
    board = InContextMemory(max_total_tokens=500, estimator=CharacterEstimator())
    filled(board, ("a", "low"), ("b", "normal"), ("c", "high"))
    before = picture(board)

    with pytest.raises(WhiteboardFull, match="capacity") as refusal:
        board.set("huge", "too big", "x" * 600, "normal")

    assert picture(board) == before
    assert "Delete entries" in str(refusal.value)
    assert refusal.value.key == "huge"
    assert (refusal.value.entries, refusal.value.max_entries) == (3, 20)
    assert (refusal.value.tokens, refusal.value.max_total_tokens) == (board.total_tokens, 500)
    assert refusal.value.needed == refusal.value.entry_tokens > refusal.value.limit == 500


def test_an_update_that_cannot_fit_leaves_the_old_version() -> None:
    board = filled(InContextMemory(max_total_tokens=200, estimator=CharacterEstimator()), ("a", "low"))

    with pytest.raises(WhiteboardFull):
        board.set("a", "about a", "x" * 300)

    assert board.get("a") == "value"


def test_tokens_make_room_by_priority_then_age() -> None:
    limit = 3 * cost_of("a", priority="low")
    board = InContextMemory(max_total_tokens=limit, estimator=CharacterEstimator())
    filled(board, ("a", "low"), ("b", "low"), ("c", "low"))

    assert board.total_tokens == limit
    assert board.set("d", "about d", "value", "low").evicted == ["a"]


@pytest.mark.parametrize("limit", [0, -5])
def test_a_token_limit_of_zero_or_less_is_no_limit(limit: int) -> None:
    board = InContextMemory(max_total_tokens=limit, max_entries=1)
    board.set("big", "d", "x" * 500_000)

    assert board.total_tokens > 100_000
    assert not board.is_over_limit
    with pytest.raises(WhiteboardFull, match="no token limit"):
        filled(board.copy(), ("big", "critical"), ("other", "critical"))


@pytest.mark.parametrize("priority", ["low", "critical"])
def test_a_full_board_of_critical_entries_refuses_new_keys_and_accepts_updates(priority: str) -> None:
    board = filled(InContextMemory(max_entries=3), *((key, "critical") for key in "abc"))
    before = picture(board)

    with pytest.raises(
        WhiteboardFull, match=r"critical entries are never evicted.*Delete entries"
    ) as refusal:
        board.set("d", "about d", "value", priority)

    assert picture(board) == before
    assert (refusal.value.needed, refusal.value.limit) == (4, 3)
    assert board.set("b", "about b", "new").changed


def test_a_critical_write_may_take_others_and_no_more_than_needed() -> None:
    board = filled(InContextMemory(max_entries=3), ("a", "high"), ("b", "low"), ("c", "normal"))

    assert board.set("d", "d", 1, "critical").evicted == ["b"]
    assert board.set("e", "d", 1, "critical").evicted == ["c"]
    assert board.set("f", "d", 1, "critical").evicted == ["a"]
    with pytest.raises(WhiteboardFull):
        board.set("g", "d", 1, "critical")


def test_values_above_the_guidance_are_stored_with_a_warning() -> None:
    board = InContextMemory(estimator=CharacterEstimator())

    assert board.set("a", "d", "x" * 3_900).warnings == []
    assert "summary" in board.set("b", "d", "x" * 4_000).warnings[0]


@pytest.mark.trap("W1.12")
def test_compact_reports_what_it_frees_before_the_first_rendering() -> None:
    board = filled(InContextMemory(), ("a", "low"), ("b", "low"))
    first = board.entries()[0].tokens

    assert board.compact(1) == first > 0
    assert board.last_evicted == ("a",)


@pytest.mark.trap("W1.14")
def test_compact_frees_a_full_board_down_to_its_critical_entries() -> None:
    board = InContextMemory()
    board.set("goal", "d", "g", "critical")
    for number in range(19):
        board.set(f"big{number}", "d", "x" * 7_000)
    before = board.total_tokens

    freed = board.compact(10**9)

    assert board.is_compactable()
    assert before > 35_000
    assert freed == before - board.total_tokens
    assert keys(board) == ["goal"]
    assert board.compact(1) == 0


@pytest.mark.parametrize("target", [0, -1])
def test_compacting_by_nothing_removes_nothing(target: int) -> None:
    board = filled(InContextMemory(), ("a", "low"))
    before = picture(board)

    assert board.compact(target) == 0
    assert picture(board) == before


def test_compact_stops_at_the_target() -> None:
    board = filled(
        InContextMemory(estimator=CharacterEstimator()), ("a", "high"), ("b", "low"), ("c", "normal")
    )
    low, normal = board.entries()[1].tokens, board.entries()[2].tokens

    assert board.compact(low + 1) == low + normal
    assert keys(board) == ["a"]


@pytest.mark.trap("W1.15")
def test_the_limit_counts_separators_with_the_vocabulary_of_the_model() -> None:
    estimator = TiktokenEstimator("gpt-4.1")
    board = InContextMemory(estimator=estimator)
    for number in range(20):
        board.set(f"key{number}", "a counter", {"count": number})
    content = board.get_content()

    assert content is not None
    assert board.get_token_size() == estimator.estimate_tokens(content)
    assert board.get_token_size() <= board.total_tokens <= board.get_token_size() + 40


writes = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"),
        st.text(st.characters(categories=["L"]), max_size=60),
        st.none() | priorities,
        st.none() | st.booleans(),
    ),
    max_size=40,
)


@given(writes, st.integers(1, 5), st.integers(0, 400))
def test_limits_are_never_exceeded_and_refusals_change_nothing(
    steps: list[tuple[str, str, str | None, bool | None]], max_entries: int, max_tokens: int
) -> None:
    board = InContextMemory(
        max_entries=max_entries, max_total_tokens=max_tokens, estimator=CharacterEstimator()
    )
    for key, value, priority, flag in steps:
        before, critical = picture(board), {e.key for e in board.entries() if e.priority == "critical"}
        had = set(keys(board))
        try:
            result = board.set(key, "d", value, priority, flag)
        except WhiteboardFull:
            assert picture(board) == before
            continue
        assert board.get(key) == value
        assert key not in result.evicted
        assert set(result.evicted) == (had | {key}) - set(keys(board))
        assert critical <= set(keys(board))
        assert len(board.entries()) <= max_entries
        assert max_tokens == 0 or board.total_tokens <= max_tokens
        assert not board.is_over_limit


@given(writes, st.integers(0, 2_000))
def test_compaction_frees_what_it_says_in_the_order_of_eviction(
    steps: list[tuple[str, str, str | None, bool | None]], target: int
) -> None:
    board = InContextMemory(estimator=CharacterEstimator())
    for key, value, priority, flag in steps:
        board.set(key, "d", value, priority, flag)
    before = board.entries()

    freed = board.compact(target)

    kept = board.entries()
    gone = [entry for entry in before if entry not in kept]
    assert freed == sum(entry.tokens for entry in gone)
    assert contents(kept) == contents(entry for entry in before if entry not in gone)
    assert all(
        (loser.rank, loser.recency) < (winner.rank, winner.recency)
        for loser in gone
        for winner in kept
        if winner.is_evictable
    )
    assert freed >= target or not any(entry.is_evictable for entry in kept)
