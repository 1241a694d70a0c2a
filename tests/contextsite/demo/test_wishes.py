from typing import Any

import pytest

from contextsite.demo.progress import NAMED
from contextsite.demo.seen import Seen, printed
from contextsite.demo.wishes import Wishes, read_wishes


def wishes(**board: Any) -> Wishes:
    return read_wishes(Seen({key: printed(value) for key, value in board.items()}, "go", (), is_begun=True))


def test_a_board_without_wishes_has_the_defaults() -> None:
    assert wishes() == Wishes(
        mode="detailed", unknown_mode="", is_aborted=False, largest_files=5, longest_lines=3
    )


@pytest.mark.parametrize("text", ["quick", "Quick", " QUICK\n"])
def test_quick_is_understood_however_it_is_typed(text: str) -> None:
    assert not wishes(mode=text).is_detailed


@pytest.mark.parametrize("value", ["slow", "", 7, ["quick"]])
def test_an_unknown_mode_is_detailed_and_remembered(value: Any) -> None:
    read = wishes(mode=value)
    assert read.is_detailed
    assert read.unknown_mode == printed(value)


@pytest.mark.parametrize(
    ("value", "is_aborted"),
    [(True, True), ("true", True), ("True", True), ('"true"', True), (" TRUE ", True)]
    + [(value, False) for value in (False, "false", "", None, 1, "yes", [True], {"abort": True})],
)
def test_only_true_aborts(value: Any, is_aborted: bool) -> None:
    assert wishes(abort=value).is_aborted is is_aborted


@pytest.mark.parametrize(("value", "number"), [(1, 1), (7, 7), (0, 1), (-4, 1), (1000, NAMED)])
def test_preferences_are_kept_in_bounds(value: int, number: int) -> None:
    assert wishes(user_preferences={"largest_files": value, "longest_lines": value}).largest_files == number


@pytest.mark.parametrize(
    "value", ["many", None, [1], 5.5, True, {"largest_files": "x"}, {"largest_files": True}, {}]
)
def test_preferences_that_are_no_numbers_leave_the_defaults(value: Any) -> None:
    assert wishes(user_preferences=value).largest_files == 5
