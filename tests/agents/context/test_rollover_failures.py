"""Whatever goes wrong with a rollover, the context is byte for byte what it was."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from agents.context import AgentContext, RolloverRequest
from agents.context.errors import ContextDestroyed, ExecutionActive, RolloverFailed, TurnAborted
from tests.agents.context.compaction.cast import BOARD_AND_NOTES, heard, words
from tests.agents.context.test_rollover import BRIEF, brief, talked
from tests.fuzz.compaction import MemoryStorage


def ready(**options: Any) -> AgentContext:
    """Return a context with everything that could be harmed."""
    context = talked(12, features=BOARD_AND_NOTES, **options)
    context.get_plugin("in_context_memory").set("state", "Where we are", {"step": 3})
    context.memory.store("found", "What was found", "x")
    context.add_user_message("and now?")
    context.prepare()
    return context


def bytes_of(context: AgentContext) -> bytes:
    """Return everything the context holds."""
    held = [context.get_state(), context.session_id, context._recorder._held]
    return json.dumps(held, sort_keys=True).encode()


def fail(request: RolloverRequest) -> str:
    raise RuntimeError("no model")


@pytest.mark.parametrize(
    ("summarize", "code", "text"),
    [
        (fail, "summarizer_failed", "no model"),
        (lambda _: "", "blank_summary", "no text"),
        (lambda _: " \n ", "blank_summary", "no text"),
        (lambda _: "\u200b\u2060\u3164", "blank_summary", "no text"),
        (lambda _: None, "blank_summary", "no text"),
        (lambda _: 7, "blank_summary", "no text"),
        (lambda _: {"summary": BRIEF}, "blank_summary", "no text"),
        (lambda _: words(2_000), "not_smaller", "not smaller"),
    ],
)
def test_a_bad_answer_changes_nothing(summarize: Callable[[Any], Any], code: str, text: str) -> None:
    context = ready()
    seen = heard(context, "context:rollover", "context:rollover_failed")
    before, prepared = bytes_of(context), context.last_preparation
    with pytest.raises(RolloverFailed, match=text) as caught:
        context.rollover(summarize=summarize, reason="hand-off")
    assert caught.value.code == code
    assert bytes_of(context) == before
    assert context.last_preparation is prepared
    assert seen == [
        (
            "context:rollover_failed",
            {"code": code, "reason": "hand-off", "error": str(caught.value)},
        )
    ]


def test_the_cause_of_a_failure_is_kept() -> None:
    with pytest.raises(RolloverFailed) as caught:
        ready().rollover(summarize=fail)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_summarizer_that_takes_too_long_is_left_behind() -> None:
    never = threading.Event()
    context = ready()
    before = bytes_of(context)
    try:
        with pytest.raises(RolloverFailed, match="within 20 ms") as caught:
            context.rollover(summarize=lambda _: never.wait(), timeout_ms=20)
    finally:
        never.set()
    assert caught.value.code == "timeout"
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert bytes_of(context) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda context: context.clear_conversation(),
        lambda context: context.load_conversation([]),
        lambda context: context.compact(threshold=0.001),
    ],
)
def test_messages_that_change_meanwhile_are_a_conflict(change: Callable[[AgentContext], object]) -> None:
    context = ready()
    after: list[bytes] = []

    def summarize(request: RolloverRequest) -> str:
        change(context)
        after.append(bytes_of(context))
        return BRIEF

    with pytest.raises(RolloverFailed, match="changed while") as caught:
        context.rollover(summarize=summarize)
    assert caught.value.code == "conflict"
    assert bytes_of(context) == after[0]


def test_messages_that_are_added_meanwhile_are_kept() -> None:
    context = ready()

    def summarize(request: RolloverRequest) -> str:
        context.add_assistant_response("Meanwhile.")
        return BRIEF

    context.rollover(summarize=summarize)
    assert "Meanwhile." in str(context.get_conversation()[-1])
    assert context.get_current_input() == []


class Storage(MemoryStorage):
    """Fails at one of the two places where something is written."""

    def __init__(self, failure: BaseException | None = None, *, journal: bool = False) -> None:
        super().__init__()
        self.failure, self.fails_journal = failure, journal

    def save(self, *args: object, **kwargs: object) -> None:
        if self.failure is not None:
            raise self.failure


@pytest.mark.parametrize("failure", [OSError("disk full"), RuntimeError("bug of the host")])
def test_a_state_that_cannot_be_saved_is_taken_back(failure: Exception) -> None:
    storage = Storage()
    context = ready(storage=storage)
    context.save("s")
    storage.failure = failure
    before = bytes_of(context)
    with pytest.raises(RolloverFailed, match="could not be saved") as caught:
        context.rollover(summarize=brief)
    assert caught.value.code == "storage"
    assert caught.value.__cause__ is failure
    assert bytes_of(context) == before


def test_a_journal_that_cannot_be_written_is_found_out_before_anything_is_saved() -> None:
    storage = Storage()
    context = ready(storage=storage)
    context.save("s")
    saves: list[object] = []
    storage.save = lambda *args, **_: saves.append(args)  # type: ignore[method-assign]

    def refuse(*_: object) -> None:
        raise OSError("disk full")

    storage.journal.append = refuse  # type: ignore[method-assign,assignment]
    context.add_user_message("held back")
    before = bytes_of(context)
    with pytest.raises(RolloverFailed) as caught:
        context.rollover(summarize=brief)
    assert caught.value.code == "storage"
    assert saves == []
    assert bytes_of(context) == before


def test_a_lost_lease_ends_the_turn_and_changes_nothing() -> None:
    context = ready(storage=Storage(TurnAborted("lease lost")))
    before = bytes_of(context)
    with pytest.raises(TurnAborted):
        context.rollover(summarize=brief)
    assert bytes_of(context) == before


def test_without_a_summarizer_a_context_cannot_roll_over() -> None:
    context = ready()
    before = bytes_of(context)
    with pytest.raises(RolloverFailed, match="needs `summarize`") as caught:
        context.rollover()
    assert caught.value.code == "no_summarizer"
    assert bytes_of(context) == before


def test_while_a_run_is_active_it_is_refused() -> None:
    context = ready()
    before = bytes_of(context)
    with context.execution.hold(), pytest.raises(ExecutionActive) as caught:
        context.rollover(summarize=brief)
    assert caught.value.code == "execution_active"
    assert bytes_of(context) == before


def test_one_rollover_at_a_time() -> None:
    context = ready()
    refused: list[str] = []

    def summarize(request: RolloverRequest) -> str:
        with pytest.raises(ExecutionActive):
            context.rollover(summarize=brief)
        refused.append("yes")
        return BRIEF

    context.rollover(summarize=summarize)
    assert refused == ["yes"]


@pytest.mark.parametrize(
    "options",
    [
        {"preserve_recent_turns": -1},
        {"preserve_recent_turns": True},
        {"preserve_recent_turns": 1.5},
        {"max_summary_tokens": 63},
        {"max_summary_tokens": "2048"},
        {"reason": " "},
        {"reason": None},
        {"timeout_ms": 0},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    context = ready()
    before = bytes_of(context)
    with pytest.raises(ValueError, match=next(iter(options))):
        context.rollover(summarize=brief, **options)
    assert bytes_of(context) == before


def test_a_destroyed_context_does_not_roll_over() -> None:
    context = ready()
    context.destroy()
    with pytest.raises(ContextDestroyed):
        context.rollover(summarize=brief)
