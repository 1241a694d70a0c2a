from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextsite.demo import pages
from contextsite.demo.progress import TRIES, progress_of
from contextsite.demo.seen import Result
from contextsite.demo.tree import Tree
from tests.contextsite.demo.odd_folder import counts_by_wc, files_by_find
from tests.contextsite.demo.requests import result


def page(after: str, next_cursor: str | None, files: int = 1, **columns: Any) -> Result:
    empty: dict[str, Any] = {"by_type": {}, "largest": [], "longest_lines": [], "unreadable": 0, "binary": 0}
    counts = {"lines": files * 10, "words": files * 20, "bytes": files * 30}
    return result(
        "count_files", {"after": after, "next": next_cursor, "files": files, **counts, **empty, **columns}
    )


def test_nothing_is_known_at_the_beginning() -> None:
    progress = progress_of([])
    assert (progress.steps, progress.total_files, progress.next_cursor) == (0, 0, "")
    assert not progress.is_counted


def test_pages_are_followed_by_their_cursors_and_summed() -> None:
    progress = progress_of([page("", "a", 2), page("a", "b", 3), page("b", None, 1)])
    assert progress.is_counted
    assert (progress.sums["files"], progress.sums["lines"], progress.sums["bytes"]) == (6, 60, 180)


def test_a_page_that_is_missing_is_asked_for_again() -> None:
    progress = progress_of([page("a", "b", 3), page("b", None, 1)])
    assert (progress.next_cursor, progress.sums["files"]) == ("", 0)
    progress = progress_of([page("a", "b", 3), page("b", None, 1), page("", "a", 2)])
    assert progress.is_counted
    assert progress.sums["files"] == 6


def test_a_page_counted_twice_counts_once() -> None:
    assert progress_of([page("", "a", 2), page("", "a", 2), page("a", None)]).sums["files"] == 3


def test_cursors_in_a_circle_end() -> None:
    progress = progress_of([page("", "a"), page("a", "")])
    assert progress.sums["files"] == 2
    assert not progress.is_counted


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_results_does_not_matter(limits: list[int], random: Any) -> None:
    cursors = ["", *map(str, range(1, len(limits)))]
    found = [
        page(cursor, cursors[place + 1] if place + 1 < len(limits) else None, limits[place])
        for place, cursor in enumerate(cursors)
    ]
    random.shuffle(found)
    assert progress_of(found).sums["files"] == sum(limits)


@pytest.mark.parametrize("limit", [3, 11, 5000])
def test_counting_a_whole_folder_equals_find_and_wc(odd_folder: Any, odd_tree: Tree, limit: int) -> None:
    results: list[Result] = []
    while not (progress := progress_of(results)).is_counted:
        assert progress.next_cursor is not None
        results.append(result("count_files", pages.count_page(odd_tree, progress.next_cursor, limit, 10)))
    expected = counts_by_wc(odd_folder, files_by_find(odd_folder))
    assert progress.sums["files"] == len(expected)
    assert progress.sums["lines"] == sum(lines for lines, _, _ in expected.values())
    assert progress.sums["bytes"] == sum(size for _, _, size in expected.values())
    largest = max(expected.items(), key=lambda file: file[1][2])
    assert progress.largest[0]["bytes"] == largest[1][2]
    assert progress.longest_lines[0]["longest_line"] >= progress.longest_lines[1]["longest_line"]


def named(*sizes: tuple[str, int]) -> list[dict[str, Any]]:
    return [
        {"path": path, "bytes": size, "longest_line": size, "binary": path.endswith(".bin")}
        for path, size in sizes
    ]


def test_the_largest_come_first_equal_ones_in_byte_order_and_binary_ones_are_no_samples() -> None:
    progress = progress_of(
        [
            page("", "x", largest=named(("b", 5), ("z.bin", 9)), longest_lines=named(("b", 5))),
            page("x", None, largest=named(("a", 5), ("c", 1)), longest_lines=named(("a", 7))),
        ]
    )
    assert [each["path"] for each in progress.largest] == ["z.bin", "a", "b", "c"]
    assert [each["path"] for each in progress.longest_lines] == ["a", "b"]
    assert progress.unread_samples() == ["a", "b", "c"]


def test_a_file_that_was_read_or_refused_is_no_open_sample() -> None:
    progress = progress_of(
        [
            page("", None, largest=named(("a", 5), ("b", 4))),
            result("read_file", {"path": "a", "text": "hello"}, path="a"),
            result("read_file", {"success": False, "error": "gone"}, path="b"),
        ]
    )
    assert progress.unread_samples() == []
    assert progress.samples == {"a": "hello", "b": ""}


def test_a_search_is_over_with_its_last_page() -> None:
    first = result("search_files", {"text": "TODO", "lines": 1, "next": "x"})
    last = result("search_files", {"text": "TODO", "lines": 2, "next": None})
    assert not progress_of([]).is_searched("TODO")
    assert not progress_of([first]).is_searched("TODO")
    assert progress_of([first, last]).is_searched("TODO")


def test_writes_to_the_board_are_no_steps() -> None:
    assert progress_of([result("store_set", {"success": True}), page("", None)]).steps == 1


def test_a_call_that_keeps_failing_is_given_up() -> None:
    def failing(times: int) -> Sequence[Result]:
        return [result("list_files", {"success": False, "error": "no"}, limit=20, cursor="")] * times

    assert not progress_of(failing(TRIES - 1)).is_given_up("list_files", {"cursor": "", "limit": 20})
    assert progress_of(failing(TRIES)).is_given_up("list_files", {"cursor": "", "limit": 20})
    assert not progress_of(failing(TRIES)).is_given_up("list_files", {"cursor": "", "limit": 21})


@pytest.mark.parametrize("value", ["The worker stopped before …", None, [1]])
def test_a_result_that_was_lost_counts_as_never_made(value: Any) -> None:
    progress = progress_of([result("list_files", value), result("count_files", value)])
    assert (progress.listing, progress.next_cursor, progress.failures) == (None, "", {})


@pytest.mark.parametrize("name", ["list_files", "count_files", "search_files", "read_file", "other"])
def test_an_answer_of_another_shape_is_passed_over(name: str) -> None:
    assert progress_of([result(name, {"success": True})]).next_cursor == ""
