import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from agents.context.plugin import ContextPlugin
from agents.context.stores import StoreActions, StoreHandler
from agents.context.tokens import ApproximateTokenEstimator
from memory.plugins.errors import StoreError
from memory.plugins.whiteboard import Destroyed, InContextMemory, InvalidEntry, WhiteboardFull
from tests.memory.plugins.whiteboard_cast import (
    NOON,
    CharacterEstimator,
    cost_of,
    filled,
    keys,
    picture,
    stopped,
    ticking,
)


def test_it_is_a_plugin_and_a_store_with_an_action() -> None:
    board = InContextMemory()

    assert isinstance(board, ContextPlugin)
    assert isinstance(board, StoreHandler)
    assert isinstance(board, StoreActions)
    assert (board.name, board.compaction_priority, board.is_compactable()) == ("in_context_memory", 1, True)


def test_the_defaults_are_those_of_the_mission() -> None:
    board = InContextMemory()

    assert (board.max_entries, board.max_total_tokens, board.default_priority) == (20, 40_000, "normal")
    assert not board.show_timestamps
    assert not board.advertise_show_in_ui
    assert board.on_entries_changed is None


@pytest.mark.trap("W1.8")
def test_options_given_as_none_take_their_defaults() -> None:
    board = InContextMemory(
        max_entries=None,
        max_total_tokens=None,
        default_priority=None,
        show_timestamps=None,
        advertise_show_in_ui=None,
    )
    for number in range(100):
        board.set(f"key{number}", "big", "x" * 2_000)

    assert len(board.list()) <= 20
    assert board.total_tokens <= 40_000


@pytest.mark.parametrize("limit", [0, -1])
def test_a_board_for_no_entries_is_refused(limit: int) -> None:
    with pytest.raises(InvalidEntry, match="at least 1"):
        InContextMemory(max_entries=limit)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("max_entries", "3", "max_entries is a whole number of at least 1, or None, not '3'"),
        ("max_entries", True, "max_entries is a whole number"),
        ("max_total_tokens", 1.5, r"max_total_tokens is a whole number, or None, not 1\.5"),
        ("show_timestamps", "no", "show_timestamps is True or False, or None, not 'no'"),
        ("advertise_show_in_ui", 1, "advertise_show_in_ui is True or False"),
        ("on_entries_changed", [], "on_entries_changed is a function, or None, not a value of type list"),
        ("estimator", len, "estimator is an estimator, which has estimate_tokens"),
        ("clock", 5, "clock is a function, or None, not 5"),
        ("scheduler", 5, "scheduler is a scheduler, which has now_ms, call_later, or None, not 5"),
    ],
)
def test_an_option_that_is_not_what_it_may_be_is_refused(option: str, value: Any, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        InContextMemory(**{option: value})


def test_an_unknown_default_priority_is_refused() -> None:
    with pytest.raises(InvalidEntry, match="'urgent': use one of low, normal, high, critical"):
        InContextMemory(default_priority="urgent")


def test_a_value_is_stored_with_everything_around_it() -> None:
    board = InContextMemory(clock=stopped)

    result = board.set("state", "Current state", {"step": 1}, "high", True)

    assert (result.evicted, result.changed, result.warnings) == ([], True, [])
    assert board.get("state") == {"step": 1}
    assert board.has("state")
    assert board.list() == [
        {
            "key": "state",
            "description": "Current state",
            "priority": "high",
            "showInUI": True,
            "updatedAt": NOON,
        }
    ]
    assert board.get_contents() == {"state": {**board.list()[0], "value": {"step": 1}}}


def test_missing_keys_are_none_and_null_values_exist() -> None:
    board = InContextMemory()
    board.set("nothing", "a null", None)

    assert (board.get("nothing"), board.has("nothing")) == (None, True)
    assert (board.get("missing"), board.has("missing")) == (None, False)
    assert not board.delete("missing")


def test_new_entries_take_the_default_priority_and_are_not_shown() -> None:
    board = InContextMemory(default_priority="low")
    board.set("key", "d", 1)

    entry = board.entries()[0]
    assert (entry.priority, entry.show_in_ui) == ("low", False)


def test_overwriting_keeps_the_place_of_a_key() -> None:
    board = filled(InContextMemory(), ("a", "low"), ("b", "low"), ("c", "low"))

    board.set("a", "new", "other")

    assert keys(board) == ["a", "b", "c"]
    board.delete("a")
    board.set("a", "newer", "again")
    assert keys(board) == ["b", "c", "a"]


def test_an_update_without_priority_and_flag_keeps_both() -> None:
    board = InContextMemory()
    board.set("progress", "Progress", 1, "high", True)

    board.set("progress", "Progress", 2)
    kept = board.entries()[0]
    board.set("progress", "Progress", 3, "low", False)
    changed = board.entries()[0]

    assert (kept.priority, kept.show_in_ui) == ("high", True)
    assert (changed.priority, changed.show_in_ui) == ("low", False)


@pytest.mark.trap("W1.10")
def test_values_are_copies_in_both_directions() -> None:
    board = InContextMemory()
    given_value = {"steps": [1]}
    board.set("state", "d", given_value)

    given_value["steps"].append(2)
    cast("dict[str, list[int]]", board.get("state"))["steps"].append(3)
    cast("dict[str, list[int]]", board.entries()[0].value)["steps"].append(4)
    board.get_contents()["state"]["value"] = "changed"
    board.get_state()["entries"] = []
    board.list()[0]["key"] = "changed"

    assert board.get("state") == {"steps": [1]}
    assert keys(board) == ["state"]


def test_a_write_that_repeats_what_is_stored_only_counts_as_use() -> None:
    board = InContextMemory(max_entries=2, clock=ticking())
    board.set("a", "d", {"x": 1})
    board.set("b", "d", 2)
    before = (board.revision, board.list())

    result = board.set("a", "d", {"x": 1})

    assert not result.changed
    assert (board.revision, board.list()) == before
    assert board.set("c", "d", 3).evicted == ["b"]


@pytest.mark.parametrize("value", [1.0, "1", True, [1], None])
def test_a_value_of_another_type_is_a_change(value: object) -> None:
    board = InContextMemory()
    board.set("a", "d", 1)

    assert board.set("a", "d", value).changed
    assert repr(board.get("a")) == repr(value)


def test_every_change_raises_the_revision_by_one() -> None:
    board = InContextMemory()
    seen = [board.revision]
    steps: list[Callable[[], object]] = [
        lambda: board.set("a", "d", 1, "low"),
        lambda: board.set("a", "d", 2),
        lambda: board.delete("a"),
        lambda: board.delete("a"),
        lambda: board.set("a", "d", 1, "low"),
        lambda: board.compact(1),
        lambda: board.compact(1),
        lambda: board.restore_state({"entries": [{"key": "a", "description": "d", "value": 1}]}),
        board.clear,
        board.clear,
    ]
    for step in steps:
        step()
        seen.append(board.revision)

    assert seen == [0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7]


def test_the_token_size_is_that_of_the_last_rendering() -> None:
    board = InContextMemory(estimator=CharacterEstimator())
    sizes = [board.get_token_size()]
    board.set("a", "d", 1)
    sizes.append(board.get_token_size())
    content = board.get_content()
    sizes.append(board.get_token_size())
    board.set("a", "d", 2)
    sizes.append(board.get_token_size())

    assert content is not None
    assert sizes == [0, 0, len(content), 0]
    assert board.get_content() == board.get_content()


def test_a_context_hands_over_its_estimator_and_entries_are_counted_again() -> None:
    board = filled(InContextMemory(), ("a", "low"))
    rough = board.total_tokens

    board.adopt_estimator(CharacterEstimator())

    assert board.total_tokens == cost_of("a", priority="low") > rough
    content = board.get_content()
    assert content is not None
    assert board.get_token_size() == len(content)


def test_an_estimator_of_its_own_is_kept() -> None:
    own = CharacterEstimator()
    board = filled(InContextMemory(estimator=own), ("a", "low"))
    before = picture(board)

    board.adopt_estimator(ApproximateTokenEstimator())

    assert board.estimator is own
    assert picture(board) == before


def test_a_copy_has_the_same_options_and_a_state_of_its_own() -> None:
    delivered: list[object] = []
    board = InContextMemory(
        max_entries=3,
        max_total_tokens=1_000,
        default_priority="high",
        show_timestamps=True,
        advertise_show_in_ui=True,
        on_entries_changed=delivered.append,
        estimator=CharacterEstimator(),
        clock=stopped,
    )
    filled(board, ("a", "low"), ("b", "normal"))

    twin = board.copy()
    same = picture(twin) == (*picture(board)[:3], ())
    twin.set("c", "d", 1)
    board.destroy()

    assert same
    assert keys(twin) == ["a", "b", "c"]
    assert twin.entries()[2].priority == "high"
    assert (twin.max_entries, twin.max_total_tokens, twin.show_timestamps) == (3, 1_000, True)
    assert twin.get_instructions() == board.get_instructions()
    assert len(delivered) == 1


def test_adopted_entries_are_taken_as_they_are() -> None:
    source = filled(InContextMemory(estimator=CharacterEstimator()), *((key, "critical") for key in "abc"))
    board = InContextMemory(max_entries=1)
    board.set("gone", "d", 1)
    board.get_content()

    board.adopt(iter(source.entries()))

    assert board.entries() == source.entries()
    assert board.revision == 1
    assert board.is_over_limit
    assert board.get_content() == source.get_content()


def test_entries_written_after_adoption_are_younger_than_the_adopted_ones() -> None:
    source = filled(InContextMemory(), *((key, "normal") for key in "abc"))
    board = InContextMemory(max_entries=3)
    board.adopt(source.entries())
    board.delete("c")
    board.set("d", "d", 1)

    assert board.set("e", "d", 1).evicted == ["a"]


def test_after_destroy_everything_says_so() -> None:
    board = filled(InContextMemory(), ("a", "low"))
    board.destroy()
    board.destroy()

    for use in (
        lambda: board.set("b", "d", 1),
        lambda: board.get("a"),
        lambda: board.has("a"),
        lambda: board.delete("a"),
        board.list,
        board.clear,
        lambda: board.compact(1),
        lambda: board.restore_state(board.get_state() | {"entries": []}),
        board.entries,
        lambda: board.adopt([]),
        board.copy,
    ):
        with pytest.raises(Destroyed, match="destroyed; create a new one"):
            use()
    assert board.get_content() is None
    assert board.get_state() == {"entries": []}
    assert board.get_contents() == {}


def test_the_errors_share_a_base() -> None:
    assert all(issubclass(error, StoreError) for error in (WhiteboardFull, InvalidEntry, Destroyed))


def test_threads_may_write_at_the_same_time() -> None:
    board = InContextMemory(max_entries=10)
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(100):
                board.set(f"{name}{number % 7}", "d", number)
                board.get_content()
                board.delete(f"{name}{(number + 3) % 7}")
        except BaseException as failure:
            failures.append(failure)
            raise

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failures == []
    assert len(board.list()) <= 10
