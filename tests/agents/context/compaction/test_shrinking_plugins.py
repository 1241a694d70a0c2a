"""Rung 3: plugins give back in order of priority, and nothing they give up is lost."""

from typing import Any

import pytest

from agents.context import AgentContext, BasePlugin
from agents.context.compaction.plan import HISTORY, NOWHERE, CompactionPlan
from agents.context.errors import ContextOverflow
from memory.plugins import InContextMemory
from tests.agents.context.cast import BARE
from tests.agents.context.compaction.cast import (
    BOARD,
    BOARD_AND_NOTES,
    fill_to,
    load,
    note_values,
    sized,
    turn,
    words,
)
from tests.fuzz.compaction import MemoryStorage

RECENT = [item for name in "wxyz" for item in turn(name)]


def with_board(used: int = 9_200, **options: Any) -> AgentContext:
    """Return a context whose only way to shrink is its whiteboard of 4,000 tokens."""
    context = sized(10_000, **({"features": BOARD_AND_NOTES} | options))
    board = context.get_plugin("in_context_memory")
    for number, priority in enumerate(("critical", "high", "normal", "low", "low")):
        board.set(f"key {number}", f"What {number} is", words(800), priority)
    load(context, *RECENT)
    fill_to(context, used)
    return context


@pytest.mark.trap("W5.5", "W6.1")
def test_a_whiteboard_that_fills_the_prompt_is_reclaimed() -> None:
    context = with_board()
    prepared = context.prepare()
    board = context.get_plugin("in_context_memory")
    assert prepared.budget.content_used <= 7_500
    assert [entry.key for entry in board.entries()] == ["key 0", "key 1"]
    assert "key 3" not in str(prepared.input[0]).replace("whiteboard.key_3", "")
    (shrink,) = (each for each in prepared.compactions[0].plugins if each.name == "in_context_memory")
    assert set(shrink.given_up) == {"key 3", "key 4", "key 2"}


@pytest.mark.trap("W6.1")
def test_an_over_full_system_message_is_reclaimed_before_anything_else_is_tried() -> None:
    context = sized(3_000, features=BOARD)
    board = context.get_plugin("in_context_memory")
    for number in range(5):
        board.set(f"key {number}", "What it is", words(800))
    context.add_user_message("hi")
    assert context.calculate_budget().system_message_tokens > 3_000
    prepared = context.prepare()
    assert prepared.budget.content_used <= 2_250
    assert 0 < len(board.entries()) < 5


def test_a_system_message_of_critical_entries_is_an_overflow_and_keeps_them() -> None:
    context = sized(3_000, features=BOARD)
    board = context.get_plugin("in_context_memory")
    for number in range(5):
        board.set(f"key {number}", "What it is", words(800), "critical")
    context.add_user_message("hi")
    with pytest.raises(ContextOverflow, match="system message alone"):
        context.prepare()
    assert len(board.entries()) == 5


def test_what_the_whiteboard_gives_up_is_in_the_notes_first_and_reported() -> None:
    context = with_board()
    seen: list[CompactionPlan] = []
    context.on("context:compacted", lambda payload: seen.append(payload["plan"]))  # type: ignore[arg-type]
    context.prepare()
    (plan,) = seen
    (shrink,) = (each for each in plan.plugins if each.name == "in_context_memory")
    assert [key.partition(".")[0] for key in shrink.kept_in] == ["whiteboard"] * 3
    assert all(note_values(context)[key] == words(800) for key in shrink.kept_in)
    described = {entry.key: entry for entry in context.memory.entries()}
    assert described[shrink.kept_in[0]].description == "What 2 is"
    assert described[shrink.kept_in[1]].base_priority == "low"
    assert any("gave up key 2, key 3, key 4, kept in whiteboard.key_2" in line for line in plan.log)


def test_without_notes_the_journal_gets_what_is_given_up() -> None:
    context = with_board(features=BOARD, storage=MemoryStorage())
    (plan,) = context.prepare().compactions
    (shrink,) = plan.plugins
    assert set(shrink.kept_in) == {HISTORY}
    (entry,) = (each for each in context._recorder._held if each["type"] == "system")
    assert all(f'"key":"{key}"' in str(entry["item"]) for key in shrink.given_up)


def test_with_neither_it_is_said() -> None:
    context = with_board(features=BOARD)
    (plan,) = context.prepare().compactions
    assert set(plan.plugins[0].kept_in) == {NOWHERE}
    assert len(plan.plugins[0].entries) == len(plan.plugins[0].given_up)


class Ledger(BasePlugin):
    """The mission's custom plugin, under a name of choice."""

    def __init__(self, name: str = "ledger", rows: int = 30, priority: int = 10) -> None:
        self.name = name
        self.compaction_priority = priority
        self.rows = [f"{name} {number} {words(50)}" for number in range(rows)]

    def get_content(self) -> str | None:
        return "\n".join(self.rows) or None

    def is_compactable(self) -> bool:
        return bool(self.rows)

    def compact(self, tokens_to_free: int) -> int:
        before = self.estimator.estimate_tokens("\n".join(self.rows))
        while self.rows and before - self.estimator.estimate_tokens("\n".join(self.rows)) < tokens_to_free:
            self.rows.pop(0)
        return before - self.estimator.estimate_tokens("\n".join(self.rows))

    def get_state(self) -> object:
        return {"rows": list(self.rows)}


def crowded(*plugins: BasePlugin, features: dict[str, bool] = BARE) -> AgentContext:
    context = sized(10_000, features=features)
    for plugin in plugins:
        context.register_plugin(plugin)
    load(context, *RECENT)
    fill_to(context, 9_500)
    return context


def test_the_highest_priority_is_asked_first_and_no_more_than_needed() -> None:
    late, early, middle = Ledger("late", 30, 1), Ledger("early", 30, 20), Ledger("middle", 30, 10)
    context = crowded(late, early, middle)
    (plan,) = context.prepare().compactions
    assert [each.name for each in plan.plugins] == ["early", "middle"]
    assert early.rows == []
    assert 0 < len(middle.rows) < 30
    assert len(late.rows) == 30
    assert context.calculate_budget().content_used <= 7_500


def test_the_whiteboard_comes_last_of_all() -> None:
    board, ledger = InContextMemory(), Ledger(rows=60)
    context = crowded(ledger, features={**BOARD, "working_memory": False})
    context.register_plugin(board)
    (plan,) = context.prepare().compactions
    assert [each.name for each in plan.plugins] == ["ledger"]


class Locked(Ledger):
    """Holds what cannot be copied."""

    def __init__(self) -> None:
        super().__init__("locked")
        self.generator = (number for number in range(3))


class Raising(Ledger):
    def compact(self, tokens_to_free: int) -> int:
        raise RuntimeError("no")


class Costly(Ledger):
    """Says that it freed tokens and becomes longer."""

    def compact(self, tokens_to_free: int) -> int:
        self.rows.append(words(100))
        return tokens_to_free


@pytest.mark.parametrize("plugin", [Locked(), Raising("raising"), Costly("costly")])
def test_a_plugin_that_cannot_be_tried_out_or_does_not_help_is_left_as_it_is(plugin: Ledger) -> None:
    ledger = Ledger(priority=1, rows=60)
    context = crowded(plugin, ledger)
    (plan,) = context.prepare().compactions
    assert [each.name for each in plan.plugins] == ["ledger"]
    assert len(plugin.rows) == 30


def test_a_plugin_that_fails_in_the_end_is_named() -> None:
    class Moody(Ledger):
        def copy(self) -> Ledger:
            return Ledger("moody")

        def compact(self, tokens_to_free: int) -> int:
            raise RuntimeError("not today")

    context = crowded(Moody("moody"))
    (plan,) = context.prepare().compactions
    assert plan.failed == ("moody",)
    assert any(line == "not stored: moody; what needed it stayed" for line in plan.log)


def test_entries_that_nobody_can_keep_are_not_given_up() -> None:
    context = with_board(plugins={"working_memory": {"max_size_bytes": 10}})
    prepared = context.prepare()
    assert len(context.get_plugin("in_context_memory").entries()) == 5
    assert not prepared.compactions[0].reaches_target


def test_a_plugin_that_gives_little_is_asked_three_times() -> None:
    class Stingy(Ledger):
        def compact(self, tokens_to_free: int) -> int:
            self.rows.pop()
            return 50

    stingy, ledger = Stingy("stingy"), Ledger(priority=1, rows=60)
    context = crowded(stingy, ledger)
    (plan,) = context.prepare().compactions
    assert [each.name for each in plan.plugins] == ["stingy"] * 3 + ["ledger"]
    assert len(stingy.rows) == 27
