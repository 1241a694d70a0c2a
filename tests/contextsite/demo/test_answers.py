from collections import Counter
from typing import Any

import pytest

from contextsite.demo.answers import answer_from_board, final_answer, is_question, stopped_answer
from contextsite.demo.progress import Progress
from contextsite.demo.seen import Seen, printed
from contextsite.demo.wishes import Wishes


def finished(**columns: Any) -> Progress:
    sums = Counter(files=1, lines=1200, words=3400, bytes=56000)
    listing = {"folder": "code", "total_files": 1, "same_files": "find . -type f", "unreadable": 0}
    values: dict[str, Any] = {"steps": 1, "listing": listing, "sums": sums, "next_cursor": None}
    return Progress(**(values | columns))


def answer(wish: str, **board: Any) -> str:
    return answer_from_board(
        Seen({key: printed(value) for key, value in board.items()}, wish, (), is_begun=False)
    )


@pytest.mark.parametrize(
    "text", ["How many files are there", "which is the largest?", "and .md? ", "Is it done", "WHAT about py"]
)
def test_questions_are_recognized(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["again", "Survey it", "count the files", "howl", "island", ""])
def test_other_wishes_are_no_questions(text: str) -> None:
    assert not is_question(text)


def test_the_final_answer_names_the_totals_and_how_to_check_them() -> None:
    text = final_answer(finished(), Wishes())
    assert "I surveyed `code` in 1 step." in text
    assert "**1 file** with **1,200 lines**, **3,400 words** and **56,000 bytes**" in text
    assert "`find . -type f`" in text
    assert "quick" not in text


def test_the_final_answer_names_the_largest_file_and_the_markers() -> None:
    progress = finished(
        largest=[{"path": "x|y", "bytes": 1000}], searches={"TODO": [{"lines": 2}, {"lines": 3}]}
    )
    text = final_answer(progress, Wishes())
    assert "with 1,000 bytes" in text
    assert "markers: `TODO` 5." in text


def test_a_quick_answer_says_what_was_left_out() -> None:
    assert "looked into no file" in final_answer(finished(), Wishes(mode="quick"))


def test_what_could_not_be_read_is_said() -> None:
    progress = finished(sums=Counter(files=3, unreadable=1), listing={**finished().listing, "unreadable": 2})  # type: ignore[dict-item]
    text = final_answer(progress, Wishes())
    assert "in no other sum: 1 file." in text
    assert "missing here: 2 folders." in text


def test_an_incomplete_survey_is_never_told_as_a_whole_one() -> None:
    text = final_answer(finished(next_cursor="m"), Wishes())
    assert text.startswith("I could not finish")
    assert "Of 1 file I counted" in text


def test_a_survey_that_could_not_even_list_answers_all_the_same() -> None:
    assert "Of 0 files I counted **0 files**" in final_answer(Progress(), Wishes())
    assert "**1 file**" in final_answer(finished(listing=None), Wishes())


def test_a_stopped_survey_says_where_and_how_to_go_on() -> None:
    text = stopped_answer(finished(next_cursor="m", steps=4))
    assert "after step 4" in text
    assert "Set the flag to false" in text


def test_a_question_is_answered_from_the_board_as_people_edited_it() -> None:
    text = answer("How many?", counters={"files": 12345, "note": "checked"})
    assert "The whiteboard says: 12,345 files, note checked." in text
    assert "*again*" in text


@pytest.mark.parametrize("wish", ["how many py files?", "What about .PY?", "how many lines of py"])
def test_a_question_about_a_type_gets_its_row(wish: str) -> None:
    rows = [{"type": ".py", "files": 7, "lines": 90}, {"type": ".md", "files": 1, "lines": 2}, "odd"]
    text = answer(wish, chart_data=rows)
    assert "Of type `.py` it has 7 files, 90 lines." in text
    assert ".md" not in text


@pytest.mark.parametrize("value", ["gone wild", [1], None, 3])
def test_cards_edited_beyond_recognition_are_passed_over(value: Any) -> None:
    assert answer("How many py?", counters=value, chart_data=value).startswith("Say *again*")
