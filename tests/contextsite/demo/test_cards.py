from collections import Counter
from typing import Any

from contextsite.demo.cards import Card, cards_of, first_cards, scratch_cards
from contextsite.demo.progress import Progress
from contextsite.demo.seen import Seen
from contextsite.demo.wishes import Wishes
from tests.contextsite.demo.tables import table_of


def cards(progress: Progress, wishes: Wishes | None = None) -> dict[str, Card]:
    return {card.key: card for card in cards_of(progress, wishes or Wishes(), "Counting.")}


def counted(**types: int) -> Progress:
    """Return a finished survey of one file of so many lines for each extension."""
    progress = Progress(
        steps=7, listing={"folder": "code", "total_files": len(types), "left_out": []}, next_cursor=None
    )
    for kind, lines in types.items():
        progress.by_type[f".{kind}"] = Counter(files=1, lines=lines, bytes=lines * 2)
        progress.sums.update(files=1, lines=lines, words=3, bytes=lines * 2)
    progress.largest = [{"path": "a|b`c\n.py", "bytes": 1234, "lines": 5, "binary": False}]
    progress.longest_lines = [{"path": "long.py", "longest_line": 4321}]
    return progress


def test_steering_cards_are_written_once_and_left_to_people() -> None:
    empty = Seen({}, "go", (), is_begun=False)
    assert [card.key for card in first_cards(empty)] == ["mode", "abort", "user_preferences"]
    edited = Seen({"mode": "quick", "abort": "true"}, "go", (), is_begun=False)
    assert [card.key for card in first_cards(edited)] == ["user_preferences"]


def test_people_see_progress_mode_and_abort_at_once_and_preferences_when_pinned() -> None:
    shown = {card.key: card.show for card in first_cards(Seen({}, "go", (), is_begun=False))}
    assert shown == {"mode": True, "abort": True, "user_preferences": False}
    assert cards(Progress())["progress"].show


def test_before_the_first_page_there_is_nothing_to_chart() -> None:
    assert set(cards(Progress())) == {"progress", "counters"}


def test_the_progress_card_is_a_table_and_a_checklist() -> None:
    text = str(cards(counted(py=50, md=7))["progress"].value)
    assert table_of(text) == [
        ["Type", "Files", "Lines", "Bytes"],
        [".py", "1", "50", "100"],
        [".md", "1", "7", "14"],
        ["Counted", "2", "57", "114"],
    ]
    assert "- [x] Count lines, words and bytes (2 of 2 files)" in text
    assert "- [ ] Search for TODO, FIXME, HACK (0 done)" in text
    assert "- [ ] Look into the largest files (0 read)" in text
    assert text.endswith("Counting. Mode: **detailed**.")


def test_rows_of_the_progress_table_add_up_when_there_are_many_types() -> None:
    rows = table_of(str(cards(counted(**{f"e{n}": n for n in range(1, 20)}))["progress"].value))
    numbers = [int(row[2].replace(",", "")) for row in rows[1:]]
    assert rows[-2][0] == "13 more types"
    assert sum(numbers[:-1]) == numbers[-1] == sum(range(1, 20))


def test_a_quick_survey_promises_no_look_into_files() -> None:
    text = str(cards(counted(py=5), Wishes(mode="quick"))["progress"].value)
    assert "largest" not in text
    assert "Mode: **quick**" in text


def test_an_unknown_mode_is_named_with_the_remedy() -> None:
    text = str(cards(counted(py=5), Wishes(unknown_mode="slo`w"))["progress"].value)
    assert text.endswith("``slo`w`` is no mode; write detailed or quick.")


def test_folders_left_out_are_named_on_the_board() -> None:
    progress = counted(py=5)
    assert progress.listing is not None
    progress.listing = {**progress.listing, "left_out": [".git", "var"]}
    assert str(cards(progress)["progress"].value).endswith("Folders left out: `.git`, `var`.")


def test_counters_are_plain_numbers() -> None:
    assert cards(counted(py=50))["counters"].value == {
        "files": 1,
        "lines": 50,
        "words": 3,
        "bytes": 100,
        "steps": 7,
    }


def test_counters_name_unreadable_files_when_there_are_any() -> None:
    progress = counted(py=5)
    progress.sums["unreadable"] = 2
    value: Any = cards(progress)["counters"].value
    assert value["unreadable"] == 2


def test_the_chart_is_a_list_of_equal_objects_and_loses_nothing() -> None:
    rows: Any = cards(counted(**{f"e{n}": n for n in range(1, 30)}))["chart_data"].value
    assert {tuple(row) for row in rows} == {("type", "files", "lines", "bytes")}
    assert rows[0] == {"type": ".e29", "files": 1, "lines": 29, "bytes": 58}
    assert rows[-1]["type"] == "all others"
    assert sum(row["lines"] for row in rows) == sum(range(1, 30))


def test_findings_name_as_many_files_as_people_prefer() -> None:
    progress = counted(py=5)
    progress.largest = [{"path": f"{n}.py", "bytes": n, "lines": 1, "binary": False} for n in range(9)]
    rows = table_of(str(cards(progress, Wishes(largest_files=2))["findings"].value))
    assert [row[0] for row in rows] == ["File", "0.py", "1.py", "File", "long.py"]


def test_findings_show_hostile_names_harmlessly() -> None:
    assert table_of(str(cards(counted(py=5))["findings"].value))[1] == ["a|b`c\u2424.py", "1,234", "5"]


def test_findings_list_markers_and_samples() -> None:
    progress = counted(py=5)
    hits = {"lines": 3, "files_with_text": 1, "files": [{"path": "x.py", "lines": 3}], "next": "m"}
    progress.searches = {
        "TODO": [hits, {**hits, "lines": 1, "next": None}],
        "HACK": [{"lines": 0, "files_with_text": 0, "files": [], "next": None}],
    }
    progress.samples = {"x.py": "\n  first line\nsecond", "empty": "", "refused.bin": ""}
    text = str(cards(progress)["findings"].value)
    assert "- `TODO`: 4 lines in 2 files, most in `x.py` (3)" in text
    assert "- `HACK`: 0 lines in 0 files\n" in text
    assert "- `x.py` begins with `first line`" in text
    assert "- `empty` shows no text at its beginning" in text


def test_the_last_page_is_scratch_of_low_priority_while_counting_goes_on() -> None:
    progress = counted(py=5)
    assert scratch_cards(progress) == []
    progress.last_page = {"files": 4, "next": "m"}
    assert scratch_cards(progress) == []
    progress.next_cursor = "m"
    [card] = scratch_cards(progress)
    assert (card.value, card.priority, card.show) == ({"files": 4, "up_to": "m"}, "low", False)


def test_a_card_becomes_the_arguments_of_a_write() -> None:
    assert Card("k", "d", [1]).arguments() == {
        "store": "whiteboard",
        "key": "k",
        "description": "d",
        "value": [1],
        "priority": "normal",
    }
    assert Card("k", "d", 1, "high", show=False).arguments()["showInUI"] is False
