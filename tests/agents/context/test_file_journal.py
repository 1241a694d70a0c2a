import threading
from pathlib import Path

import pytest

from agents.context.file_journal import FileHistoryJournal
from tests.agents.context.cast import user
from tests.agents.context.test_journal import entry


def test_a_history_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    journal = FileHistoryJournal(tmp_path / "nowhere")
    assert journal.read("s") == []
    assert journal.count("s") == 0
    journal.clear("s")


def test_entries_come_back_as_they_were_in_order(tmp_path: Path) -> None:
    journal = FileHistoryJournal(tmp_path)
    journal.append("s", [entry(1), entry(2)])
    journal.append("s", [entry(3, "assistant", 2)])
    journal.append("other", [entry(9)])
    assert journal.read("s") == [entry(1), entry(2), entry(3, "assistant", 2)]
    assert journal.read("s", {"limit": 1, "offset": 1}) == [entry(2)]
    assert [each["timestamp"] for each in journal.stream("s")] == [1, 2, 3]
    assert journal.count("s") == 3


def test_the_file_is_json_lines_beside_the_session(tmp_path: Path) -> None:
    journal = FileHistoryJournal(tmp_path)
    journal.append("s", [{"timestamp": 1, "type": "user", "item": user("ü"), "turnIndex": 1}])
    path = tmp_path / "s.history.jsonl"
    assert journal.get_location("s") == str(path)
    assert '"text":"ü"' in path.read_text(encoding="utf-8")
    journal.clear("s")
    assert not path.exists()


@pytest.mark.trap("W5.14")
def test_lines_that_are_no_entries_are_skipped_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = FileHistoryJournal(tmp_path)
    journal.append("s", [entry(1)])
    with (tmp_path / "s.history.jsonl").open("a") as file:
        file.write(
            '{"half": \n[1]\n{"type":"user","item":{},"timestamp":"x","turnIndex":1}\n{"type":"user"}\n'
        )
    journal.append("s", [entry(2)])
    assert [each["timestamp"] for each in journal.read("s")] == [1, 2]
    assert [record.message.split(" of")[0] for record in caplog.records] == [
        f"Line {n}" for n in (2, 3, 4, 5)
    ]


def test_a_line_that_a_crash_left_half_written_does_not_swallow_the_next(tmp_path: Path) -> None:
    journal = FileHistoryJournal(tmp_path)
    journal.append("s", [entry(1)])
    with (tmp_path / "s.history.jsonl").open("ab") as file:
        file.write(b'{"timestamp":2,"type":"us' + b"\xc3")
    journal.append("s", [entry(3)])
    assert [each["timestamp"] for each in journal.read("s")] == [1, 3]


@pytest.mark.trap("W5.15")
def test_appends_at_the_same_time_keep_whole_lines(tmp_path: Path) -> None:
    journal = FileHistoryJournal(tmp_path)

    def write(turn: int) -> None:
        for number in range(20):
            journal.append("s", [entry(number, "user", turn)])

    threads = [threading.Thread(target=write, args=(turn,)) for turn in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for turn in range(4):
        found = journal.read("s", {"from_turn": turn, "to_turn": turn})
        assert [each["timestamp"] for each in found] == list(range(20))


def test_a_line_nested_too_deeply_is_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = FileHistoryJournal(tmp_path)
    journal.append("s", [entry(1)])
    with Path(journal.get_location("s")).open("a") as file:
        file.write("[" * 100_000 + "\n")
    journal.append("s", [entry(2)])
    assert journal.read("s") == [entry(1), entry(2)]
    assert "Line 2 of s.history.jsonl is no history entry" in caplog.text
