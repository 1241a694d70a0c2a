import pytest

from memory.plugins.notes_entry import NotesEntry
from memory.plugins.notes_index import format_index, format_size, select_listed
from memory.plugins.notes_scope import Scope
from memory.plugins.priorities import Priority

MB = 1024 * 1024


def priority_of(entry: NotesEntry) -> Priority:
    return "critical" if entry.pinned else entry.base_priority


def index_of(
    entries: list[NotesEntry], *, max_entries: int = 30, used: int | None = None, limit: int = 25 * MB
) -> str:
    return format_index(
        select_listed(entries, priority_of, max_entries),
        total=len(entries),
        used_bytes=sum(entry.size_bytes for entry in entries) if used is None else used,
        max_bytes=limit,
        priority_of=priority_of,
    )


def listed(text: str) -> list[str]:
    return [line.split("`")[1] for line in text.splitlines() if line.startswith("- `")]


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1KB"),
        (1536, "1.5KB"),
        (10 * 1024, "10KB"),
        (MB - 1, "1MB"),
        (MB, "1MB"),
        (25 * MB, "25MB"),
        (int(2.5 * 1024 * MB), "2.5GB"),
        (5000 * 1024 * MB, "5000GB"),
    ],
)
def test_sizes_have_one_decimal_and_no_zero_decimal(size: int, shown: str) -> None:
    assert format_size(size) == shown


def test_the_index_has_exactly_the_format_of_the_specification() -> None:
    entries = [
        NotesEntry("raw.page", "Whole page", "", 1536, base_priority="low", recency=1),
        NotesEntry("findings.prices", "Prices found", "", 200, base_priority="high", recency=2),
        NotesEntry("plan.notes", "Open points", "", 3, scope=Scope("plan", is_typed=True), recency=3),
        NotesEntry("contract", "The contract", "", 10, base_priority="critical", recency=4),
        NotesEntry(
            "task.a", "For two tasks", "", 10, scope=Scope("task", ("t1", "t2"), is_typed=True), recency=5
        ),
        NotesEntry("rules", "House rules", "", 10, pinned=True, scope=Scope("persistent"), recency=6),
    ]
    assert index_of(entries) == (
        "## Notes (1.7KB / 25MB - 0%)\n"
        "\n"
        "**Pinned (never evicted)**\n"
        "- `rules` (10B): House rules [pinned, persistent]\n"
        "\n"
        "**Critical (never evicted)**\n"
        "- `contract` (10B): The contract [critical, session]\n"
        "\n"
        "**High**\n"
        "- `findings.prices` (200B): Prices found [high, session]\n"
        "\n"
        "**Normal**\n"
        "- `task.a` (10B): For two tasks [task:t1,t2]\n"
        "- `plan.notes` (3B): Open points [plan]\n"
        "\n"
        "**Low (evicted first)**\n"
        "- `raw.page` (1.5KB): Whole page [low, session]\n"
        "\n"
        'Load a value with store_get("notes", "<key>").\n'
        'Protect a note from eviction with store_set("notes", "<key>", …, pinned: true).'
    )


def test_without_notes_only_heading_and_closing_lines_are_left() -> None:
    lines = index_of([]).splitlines()
    assert lines[:2] == ["## Notes (0B / 25MB - 0%)", ""]
    assert len(lines) == 4


@pytest.mark.trap("W3.1")
def test_the_index_names_only_tools_that_exist() -> None:
    text = index_of([NotesEntry("k", "d", "", 1)] * 3, max_entries=1, used=99, limit=100)
    assert "memory_" not in text
    assert 'store_get("notes"' in text
    assert 'store_list("notes"' in text
    assert "pinned: true" in text


@pytest.mark.parametrize(
    ("used", "percent"), [(0, "0"), (100, "10"), (125, "12.5"), (333, "33.3"), (1000, "100"), (1, "0.1")]
)
def test_the_percentage_is_whole_or_has_one_decimal(used: int, percent: str) -> None:
    assert index_of([], used=used, limit=1000).splitlines()[0].endswith(f" - {percent}%)")


def test_a_warning_stands_above_eighty_percent_only() -> None:
    assert "Warning" not in index_of([], used=80, limit=100)
    assert "Warning: more than 80%" in index_of([], used=81, limit=100)


def test_notes_left_out_are_counted() -> None:
    entries = [NotesEntry(f"n{number}", "d", "", 1, recency=number) for number in range(4)]
    assert "not listed" not in index_of(entries, max_entries=4)
    assert "1 more note is stored but not listed here" in index_of(entries, max_entries=3)
    assert "2 more notes are stored but not listed here" in index_of(entries, max_entries=2)


def test_the_most_important_and_newest_notes_are_listed() -> None:
    entries = [
        NotesEntry("old", "d", "", 1, recency=1),
        NotesEntry("new", "d", "", 1, recency=2),
        NotesEntry("low", "d", "", 1, base_priority="low", recency=9),
        NotesEntry("high", "d", "", 1, base_priority="high", recency=0),
        NotesEntry("pinned", "d", "", 1, pinned=True, recency=0),
    ]
    assert listed(index_of(entries, max_entries=3)) == ["pinned", "high", "new"]


def test_a_folded_note_is_counted_and_not_listed() -> None:
    entries = [NotesEntry("seen", "d", "", 1), NotesEntry("folded", "d", "", 1, folded=True)]
    text = index_of(entries)
    assert listed(text) == ["seen"]
    assert "1 more note" in text


@pytest.mark.trap("W3.14")
def test_moved_results_take_only_lines_that_no_note_needs() -> None:
    moved = [
        NotesEntry(f"raw.tool_result.s.{number}", "d", "", 1, base_priority="low", recency=100 + number)
        for number in range(30)
    ]
    mine = [
        NotesEntry(f"raw.n{number}", "d", "", 1, base_priority="low", recency=number) for number in range(29)
    ]
    keys = listed(index_of(moved + mine))
    assert {entry.key for entry in mine} < set(keys)
    assert [key for key in keys if "tool_result" in key] == ["raw.tool_result.s.29"]


def test_a_pinned_moved_result_is_a_note_like_others() -> None:
    entries = [
        NotesEntry("raw.tool_result.s.1", "d", "", 1, pinned=True),
        NotesEntry("mine", "d", "", 1, recency=5),
    ]
    assert listed(index_of(entries, max_entries=1)) == ["raw.tool_result.s.1"]
