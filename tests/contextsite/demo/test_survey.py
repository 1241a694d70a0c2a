import json
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.connectors.base import Done, Item, ModelEvent, ModelRequest, TextDelta, ToolCallStarted
from agents.context import AgentContext, Tool, tool
from agents.loop.events import CallStarted, ResultsStored, ToolFinished, TurnFinished
from agents.loop.turn import Loop
from contextsite.demo import survey, tools
from contextsite.demo.survey import SurveyConnector
from contextsite.demo.wishes import Wishes
from memory.plugins import InContextMemory
from tests.contextsite.demo.odd_folder import counts_by_wc, files_by_find, passes_over_odd_words
from tests.contextsite.demo.requests import person, request

TOOLS = (tools.list_files, tools.read_file, tools.count_file, tools.count_files, tools.search_files)


class Stage:
    """One agent with the survey's model over a real context, without rows."""

    def __init__(self, *replaced: Tool) -> None:
        self.pauses = 0
        ids = count(1)
        by_name = {each.name: each for each in (*TOOLS, *replaced)}
        self.context = AgentContext.create(
            model="scripted:survey",
            system_prompt="Survey the folder.",
            tools=list(by_name.values()),
            features={"workingMemory": False},
        )
        self.connector = SurveyConnector(self._pause, lambda: f"call-{next(ids)}")
        self.failed_tools: list[str] = []
        self.model_calls = 0

    def _pause(self) -> None:
        self.pauses += 1

    @property
    def board(self) -> InContextMemory:
        plugin = self.context.get_plugin("in_context_memory")
        assert isinstance(plugin, InContextMemory)
        return plugin

    def value(self, key: str) -> Any:
        return self.board.get(key)

    def run(self, wish: str, after_each: Callable[[int], object] = lambda number: None) -> str:
        """Return the answer to a wish; ``after_each`` is called after each batch of tools with its number."""
        self.context.add_user_message(wish)
        self.model_calls = 0
        batches = count(1)
        for event in Loop(self.context, self.connector, "survey", max_calls=60).run():
            match event:
                case CallStarted():
                    self.model_calls += 1
                case ToolFinished(name=name, failed=True):
                    self.failed_tools.append(name)
                case ResultsStored():
                    after_each(next(batches))
                case TurnFinished(text=text):
                    return text
        raise AssertionError("the survey gave no answer")


def at(batch: int, act: Callable[[], object]) -> Callable[[int], object]:
    """Return what acts once, after that batch of tools."""
    return lambda number: act() if number == batch else None


@pytest.fixture
def folder(odd_folder: Path, settings: Settings) -> Path:
    settings.DEMO_PATH = odd_folder
    return odd_folder


@pytest.fixture
def stage(folder: Path) -> Stage:
    return Stage()


def expected_counters(folder: Path) -> dict[str, int]:
    counts = counts_by_wc(folder, files_by_find(folder)).values()
    lines, words, size = (sum(column) for column in zip(*counts, strict=True))
    return {"files": len(counts), "lines": lines, "words": words, "bytes": size}


def assert_counters_are_exact(stage: Stage, folder: Path) -> None:
    expected = expected_counters(folder)
    found = {key: stage.value("counters")[key] for key in expected}
    if not passes_over_odd_words():
        del found["words"], expected["words"]
    assert found == expected


def test_its_numbers_equal_find_and_wc(stage: Stage, folder: Path) -> None:
    answer = stage.run("Survey the folder")
    assert_counters_are_exact(stage, folder)
    expected = expected_counters(folder)
    assert f"**{expected['files']:,} files** with **{expected['lines']:,} lines**" in answer
    assert f"**{expected['bytes']:,} bytes**" in answer
    assert sum(row["lines"] for row in stage.value("chart_data")) == expected["lines"]
    assert stage.failed_tools == []


def test_it_counts_the_largest_file_and_the_markers_right(stage: Stage, folder: Path) -> None:
    stage.run("Survey the folder")
    assert "| `large.txt` | " in stage.value("findings")
    assert "- `TODO`: 2 lines in 1 file, most in `a/one.py` (2)" in stage.value("findings")


def test_the_board_ends_with_everything_people_want_to_see(stage: Stage) -> None:
    stage.run("Survey the folder")
    entries = {entry.key: entry for entry in stage.board.entries()}
    assert set(entries) == {
        "mode", "abort", "user_preferences", "progress", "counters", "chart_data", "findings",
    }  # fmt: skip
    assert entries["progress"].priority == "high"
    assert entries["progress"].show_in_ui
    assert not entries["user_preferences"].show_in_ui
    assert "- [ ]" not in stage.value("progress")
    assert "**Done** in" in stage.value("progress")


def test_it_works_in_steps_that_people_can_follow(stage: Stage) -> None:
    seen: list[int] = []
    stage.run(
        "Survey the folder", lambda number: seen.append((stage.value("counters") or {}).get("files", 0))
    )
    assert seen == sorted(seen)
    assert len(set(seen)) > 4
    assert 8 < stage.model_calls < 40
    assert stage.pauses > 2 * stage.model_calls


def test_scratch_entries_come_and_go(stage: Stage) -> None:
    seen: list[bool] = []
    stage.run("Survey the folder", lambda number: seen.append(stage.board.has("scratch_page")))
    assert any(seen)
    assert not stage.board.has("scratch_page")


def test_the_same_folder_gives_the_same_decisions(folder: Path) -> None:
    first, second = Stage(), Stage()
    assert first.run("Survey the folder") == second.run("Survey the folder")
    assert _conversation(first) == _conversation(second)


def _conversation(stage: Stage) -> list[object]:
    return [item["content"] for item in stage.context.get_conversation() if item["type"] == "message"]


def test_quick_takes_larger_pages_and_looks_into_no_file(folder: Path) -> None:
    detailed, quick = Stage(), Stage()
    detailed.run("Survey the folder")
    quick.board.set("mode", "how", "quick")
    answer = quick.run("Survey the folder")
    assert quick.model_calls < detailed.model_calls
    assert quick.context.tools.call_count("read_file") == 0
    assert detailed.context.tools.call_count("read_file") == 3
    assert "looked into no file" in answer
    assert_counters_are_exact(quick, folder)


def test_it_obeys_the_mode_at_the_next_step(stage: Stage, folder: Path) -> None:
    stage.run(
        "Survey the folder", lambda number: number == 2 and stage.board.set("mode", "how", "quick") and None
    )
    assert "Mode: **quick**" in stage.value("progress")
    assert stage.value("mode") == "quick"
    assert stage.context.tools.call_count("read_file") == 0
    assert_counters_are_exact(stage, folder)


def test_it_obeys_preferences_at_the_next_step(stage: Stage) -> None:
    def prefer(number: int) -> None:
        if number == 2:
            stage.board.set("user_preferences", "how", {"largest_files": 1, "longest_lines": 1})

    stage.run("Survey the folder", prefer)
    rows = [line for line in stage.value("findings").split("\n") if line.startswith("| `")]
    assert len(rows) == 2


def test_it_stops_when_the_abort_flag_is_set(stage: Stage, folder: Path) -> None:
    def abort(number: int) -> None:
        if number == 3:
            stage.board.set("abort", "stop", True)

    answer = stage.run("Survey the folder", abort)
    assert "I stopped after step 3 because the abort flag" in answer
    assert "**Stopped** by the abort flag after step 3." in stage.value("progress")
    assert stage.value("counters")["files"] < expected_counters(folder)["files"]
    assert stage.value("abort") is True
    assert not stage.board.has("scratch_page")
    assert stage.model_calls == 5


def test_it_does_nothing_while_the_abort_flag_stays_set(stage: Stage) -> None:
    stage.board.set("abort", "stop", True)
    answer = stage.run("Survey the folder")
    assert "Set it to false and ask again" in answer
    assert stage.context.tools.call_count("list_files") == 0


def test_it_starts_anew_once_the_flag_is_taken_back(stage: Stage, folder: Path) -> None:
    stage.run("Survey", at(2, lambda: stage.board.set("abort", "stop", True)))
    stage.board.set("abort", "stop", False)
    stage.run("again")
    assert_counters_are_exact(stage, folder)


@pytest.mark.parametrize(
    "key", ["progress", "counters", "chart_data", "findings", "mode", "abort", "user_preferences"]
)
def test_it_goes_on_when_somebody_deletes_or_ruins_a_card(folder: Path, key: str) -> None:
    deleted, ruined = Stage(), Stage()
    deleted.run("Survey the folder", lambda number: None if number % 3 else deleted.board.delete(key))
    ruined.run(
        "Survey the folder", lambda number: number == 4 and ruined.board.set(key, "mine", ["odd"]) and None
    )
    assert_counters_are_exact(deleted, folder)
    assert_counters_are_exact(ruined, folder)


def test_it_goes_on_when_somebody_clears_the_whole_board(stage: Stage, folder: Path) -> None:
    stage.run("Survey the folder", at(5, stage.board.clear))
    assert_counters_are_exact(stage, folder)


def test_steering_cards_that_somebody_deleted_stay_away_until_the_next_wish(stage: Stage) -> None:
    stage.run("Survey the folder", at(2, lambda: stage.board.delete("mode")))
    assert not stage.board.has("mode")
    stage.run("again")
    assert stage.value("mode") == "detailed"


def test_a_tool_that_fails_once_is_asked_again(folder: Path) -> None:
    failures = iter([True, False])

    @tool(name="count_files")
    def count_files(cursor: str = "", limit: int = 50, top: int = 5) -> dict[str, Any]:
        """Count, but fail at first."""
        if next(failures, False):
            raise OSError("disk asleep")
        return tools.count_files.function(cursor, limit, top)  # type: ignore[return-value]

    stage = Stage(count_files)
    stage.run("Survey the folder")
    assert stage.failed_tools == ["count_files"]
    assert_counters_are_exact(stage, folder)


def test_a_tool_that_keeps_failing_ends_the_survey_honestly(folder: Path) -> None:
    @tool(name="count_files")
    def count_files(cursor: str = "", limit: int = 50, top: int = 5) -> dict[str, Any]:
        """Count, but never."""
        raise OSError("disk broken")

    stage = Stage(count_files)
    answer = stage.run("Survey the folder")
    assert answer.startswith("I could not finish the survey")
    assert stage.failed_tools == ["count_files"] * 3
    assert "Ended early" in stage.value("progress")
    assert stage.context.tools.call_count("search_files") == 3


def test_a_board_that_takes_no_writes_does_not_hold_the_survey_up(folder: Path) -> None:
    stage = Stage()
    for number in range(20):
        stage.board.set(f"critical {number}", "full", number, "critical")
    answer = stage.run("Survey the folder")
    assert "I surveyed" in answer
    assert stage.model_calls < 40


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path, settings: Settings) -> None:
    settings.DEMO_PATH = tmp_path / "gone"
    answer = Stage().run("Survey the folder")
    assert "**0 files**" in answer
    assert "missing here: 1 folder." in answer


def test_an_empty_folder_is_surveyed(tmp_path: Path, settings: Settings) -> None:
    settings.DEMO_PATH = tmp_path
    stage = Stage()
    assert "**0 files** with **0 lines**" in stage.run("Survey the folder")
    assert stage.value("counters")["files"] == 0


def test_a_question_is_answered_from_the_board_without_a_survey(stage: Stage) -> None:
    stage.run("Survey the folder")
    answer = stage.run("How many .py files are there?")
    assert "Of type `.py` it has 4 files" in answer
    assert stage.model_calls == 1


def test_a_question_before_any_survey_starts_one(stage: Stage, folder: Path) -> None:
    stage.run("How many files are there?")
    assert_counters_are_exact(stage, folder)


def test_again_surveys_again_and_sees_what_changed(tmp_path: Path, settings: Settings) -> None:
    settings.DEMO_PATH = tmp_path
    (tmp_path / "a.txt").write_text("one\n")
    stage = Stage()
    stage.run("Survey the folder")
    (tmp_path / "b.txt").write_text("two\nthree\n")
    stage.run("again")
    assert stage.value("counters")["lines"] == 3


def test_results_that_were_cut_from_the_context_are_found_out_again(stage: Stage, folder: Path) -> None:
    class Forgetful(SurveyConnector):
        """Sees a context from which the oldest results of the turn were cut once."""

        cut = False

        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            if len(request.input) > 12:
                self.cut = True
            kept = [*request.input[:2], *request.input[8:]] if self.cut else request.input
            return super().stream(ModelRequest(kept, request.tools, request.model))

    stage.connector = Forgetful(lambda: None)
    stage.run("Survey the folder")
    assert_counters_are_exact(stage, folder)


def test_a_new_connector_for_every_call_decides_the_same(folder: Path) -> None:
    class Restarted:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            return SurveyConnector(lambda: None).stream(request)

    stage = Stage()
    stage.connector = Restarted()  # type: ignore[assignment]
    stage.run("Survey the folder")
    assert_counters_are_exact(stage, folder)


def test_a_reply_streams_its_sentences_and_calls_and_ends_with_all_of_it(folder: Path) -> None:
    events = list(SurveyConnector(lambda: None, lambda: "id").stream(request(person("Survey"))))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert len([event for event in events if isinstance(event, TextDelta)]) == 2
    assert [event.name for event in events if isinstance(event, ToolCallStarted)][-1] == "list_files"
    done = events[-1]
    assert isinstance(done, Done)
    blocks: list[Item] = done.output[0]["content"]
    assert blocks[0]["text"] == text
    assert json.loads(blocks[-1]["arguments"]) == {"limit": 20}


def test_the_settings_pace_it(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    settings.DEMO_PAUSE_MS = 250
    monkeypatch.setattr(time, "sleep", slept.append)
    connector = survey.connector("survey", None)  # type: ignore[arg-type]
    assert list(connector.stream(request(person("Survey"))))
    assert set(slept) == {0.25}


@pytest.mark.parametrize(
    ("files", "mode", "pages"), [(400, "detailed", 16), (400, "quick", 5), (1, "quick", 1)]
)
def test_the_number_of_pages_does_not_grow_with_the_folder(files: int, mode: str, pages: int) -> None:
    from_files = -(-files // survey._page_size(files, Wishes(mode=mode)))
    assert from_files <= pages


def test_no_page_is_larger_than_the_tool_allows() -> None:
    limits: Any = tools.count_files.parameters["properties"]
    assert survey._page_size(10**7, Wishes()) == survey.MAX_PAGE == limits["limit"]["maximum"]
