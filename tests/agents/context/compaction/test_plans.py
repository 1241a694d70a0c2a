"""A plan is shown first and then carried out exactly so, or not at all."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.context import AgentContext, AlgorithmicStrategy, CompactionPlan
from agents.context.compaction.strategy import CompactionResult, ConsolidationResult
from agents.context.errors import ContextDestroyed, InvalidOption, PlanOutdated, TurnAborted
from memory.plugins import WorkingMemory
from tests.agents.context.cast import NotePad, context_of, texts_of
from tests.agents.context.compaction.cast import (
    BOARD,
    BOARD_AND_NOTES,
    NOTES,
    contents_of,
    exchange,
    fill_to,
    heard,
    ids_of,
    load,
    note_values,
    sized,
    turn,
    words,
)


def loaded(**options: Any) -> AgentContext:
    """Return a context with a large result that may leave, and a whiteboard."""
    context = sized(10_000, **({"features": BOARD_AND_NOTES} | options))
    context.get_plugin("in_context_memory").set("plan", "What is next", words(1_200), "low")
    load(context, *turn("a"), *exchange("x", 700, 900), *turn("b"), *(i for n in "cdef" for i in turn(n)))
    fill_to(context, 9_300)
    return context


def test_whether_there_may_be_something_to_tidy_up_is_known_beforehand() -> None:
    assert loaded().is_over_threshold()
    assert not sized(10_000).is_over_threshold()


def test_a_preview_changes_nothing_and_tells_nobody() -> None:
    context = loaded()
    seen = heard(context, "compaction:starting", "context:compacted", "budget:updated")
    before = context.get_state()
    first = context.preview_compaction()
    assert context.get_state() == before
    assert seen == []
    assert first == context.preview_compaction()
    assert first.tokens_freed > 0


def test_what_was_previewed_is_what_is_done() -> None:
    context = loaded()
    plan = context.preview_compaction()
    done = context.apply_compaction(plan)
    assert done.after == plan.after == context.calculate_budget()
    assert (done.changes, done.operations) == (plan.changes, plan.operations)
    assert done.log[:-1] == plan.log
    assert done.log[0].startswith("Compaction started (algorithmic, manual): 9300 of")
    assert done.log[-1].startswith(f"Compaction complete: {done.tokens_freed} tokens freed")


def test_a_plan_is_json_without_contents() -> None:
    plan = loaded().preview_compaction()
    shown = json.loads(json.dumps(plan.as_dict()))
    assert shown["trigger"] == "manual"
    assert shown["usedBefore"] - shown["usedAfter"] == shown["tokensFreed"] == plan.tokens_freed
    assert shown["reachesTarget"] is True
    assert shown["target"] == 7_500
    (item,) = shown["items"]
    assert (item["itemId"], item["action"], item["rung"]) == ("r-x", "shortened", "large_results")
    assert item["replacedBy"] == "r-x"
    assert item["tokensBefore"] - item["tokensAfter"] > 1_400
    assert shown["staying"] == len(plan.base)
    assert [note["key"] for note in shown["notes"]][:2] == item["keptIn"]
    assert shown["notes"][0]["source"] == "r-x"
    assert [each["name"] for each in shown["plugins"]] == ["working_memory", "in_context_memory"]
    assert "x" * 100 not in json.dumps(shown)


def test_compact_does_it_at_once_whatever_the_gate_says() -> None:
    context = sized(10_000, features=NOTES)
    load(context, *turn("a"), *exchange("x", 2_000), *(i for n in "cdef" for i in turn(n)))
    assert context.calculate_budget().content_utilization < 0.5
    assert context.compact().is_empty
    done = context.compact(threshold=0.2)
    assert done.reaches_target
    assert "moved out" in contents_of(context.get_conversation())["x-0"]


Change = Callable[[AgentContext], object]


@pytest.mark.parametrize(
    "change",
    [
        lambda context: context.clear_conversation(),
        lambda context: context.load_conversation([(item, None) for item in turn("z")]),
        lambda context: context.memory.store("k", "what", "value"),
        lambda context: context.get_plugin("in_context_memory").delete("plan"),
        lambda context: context.register_plugin(NotePad("new")),
        lambda context: context.compact(),
    ],
)
def test_a_plan_for_what_is_no_more_is_refused(change: Change) -> None:
    context = loaded()
    plan = context.preview_compaction()
    change(context)
    before = context.get_state()
    with pytest.raises(PlanOutdated, match="Plan it again"):
        context.apply_compaction(plan)
    assert context.get_state() == before


def test_what_is_said_meanwhile_does_not_outdate_a_plan() -> None:
    context = loaded()
    plan = context.preview_compaction()
    context.add_assistant_response("Fine.")
    context.add_user_message("And now?")
    done = context.apply_compaction(plan)
    assert ids_of(context.get_conversation())[-1] != "a-f"
    assert "moved out" in contents_of(context.get_conversation())["x-0"]
    assert done.after == context.calculate_budget()


def test_a_host_commits_the_plan_in_its_own_transaction() -> None:
    stored: list[CompactionPlan] = []

    def commit(plan: CompactionPlan, carry_out: Callable[[], CompactionPlan]) -> CompactionPlan:
        assert not stored
        done = carry_out()
        stored.append(done)
        return done

    context = loaded(commit_compaction=commit)
    assert context.prepare().compactions == tuple(stored)
    assert stored[0].trigger == "gate"


def test_a_host_is_not_asked_to_commit_nothing() -> None:
    def commit(plan: CompactionPlan, carry_out: Callable[[], CompactionPlan]) -> CompactionPlan:
        raise AssertionError("nothing was to be committed")

    context = context_of(commit_compaction=commit)
    context.add_user_message("hi")
    done = context.compact()
    assert done.is_empty
    assert done.after == done.before


def test_a_host_that_commits_keeps_every_message_itself() -> None:
    context = loaded(commit_compaction=lambda _, carry_out: carry_out(), features=BOARD)
    plan = context.preview_compaction()
    assert {place for change in plan.changes for place in change.kept_in} == {"history"}


@pytest.mark.parametrize("failure", [RuntimeError("database gone"), TurnAborted("lease lost")])
def test_a_transaction_that_fails_leaves_the_messages_as_they_were(failure: Exception) -> None:
    def commit(plan: CompactionPlan, carry_out: Callable[[], CompactionPlan]) -> CompactionPlan:
        carry_out()
        raise failure

    context = loaded(commit_compaction=commit)
    before = context.get_conversation()
    with pytest.raises(type(failure)):
        context.prepare()
    assert context.get_conversation() == before


class Failing(AlgorithmicStrategy):
    name = "failing"

    def compact(self, draft: Any, tokens_to_free: int) -> CompactionResult:
        draft.remove_messages(range(100))
        raise RuntimeError("bug")


class Lazy(AlgorithmicStrategy):
    name = "lazy"

    def compact(self, draft: Any, tokens_to_free: int) -> CompactionResult:
        return CompactionResult()


def test_a_strategy_that_fails_is_replaced_by_the_ladder() -> None:
    context = loaded(compaction_strategy=Failing())
    (plan,) = context.prepare().compactions
    assert plan.log[1] == "The strategy failed (bug); the ladder takes over"
    assert [change.rung for change in plan.changes] == ["large_results"]
    assert plan.reaches_target


def test_a_strategy_that_leaves_more_than_fits_is_completed_by_the_ladder() -> None:
    context = loaded(compaction_strategy=Lazy())
    assert context.prepare().compactions[0].tokens_freed == 0
    context = loaded(compaction_strategy=Lazy())
    context.add_user_message(words(900))
    prepared = context.prepare()
    assert prepared.compacted
    assert prepared.budget.content_used <= 10_000


def test_a_strategy_sees_the_context_and_can_use_every_word_of_the_contract() -> None:
    seen: dict[str, Any] = {}

    class Curious(AlgorithmicStrategy):
        name = "curious"

        def compact(self, draft: Any, tokens_to_free: int) -> CompactionResult:
            seen.update(
                budget=draft.budget.content_used,
                roles=[item["role"] for item in draft.conversation],
                pending=[item["role"] for item in draft.current_input],
                plugins=sorted(draft.plugins),
                strategy=draft.strategy_name,
                tokens=draft.estimate_tokens(draft.conversation[0]),
                call=draft.describe_tool_call("look", {"a": 1}),
                unknown=draft.compact_plugin("nobody", 100),
                board=draft.compact_plugin("in_context_memory", 100),
                wanted=tokens_to_free,
            )
            return CompactionResult()

    context = loaded(compaction_strategy=Curious())
    context.prepare()
    assert seen["budget"] == 9_300
    assert seen["roles"][:4] == ["user", "assistant", "assistant", "user"]
    assert seen["pending"] == ["user"]
    assert seen["plugins"] == ["in_context_memory", "working_memory"]
    assert seen["strategy"] == "curious"
    assert seen["tokens"] == 4 + 51
    assert seen["call"] == "Result of look()"
    assert seen["unknown"] == 0
    assert seen["board"] > 1_000
    assert seen["wanted"] == 1_800


def test_a_strategy_may_consolidate_in_its_own_way() -> None:
    class Tidy(AlgorithmicStrategy):
        name = "tidy"

        def consolidate(self, draft: Any) -> ConsolidationResult:
            draft.compact_plugin("in_context_memory", 10)
            return ConsolidationResult()

    context = loaded(compaction_strategy=Tidy())
    done = context.consolidate()
    assert done.performed
    assert done.tokens_changed < -1_000
    assert not context.get_plugin("in_context_memory").has("plan")


def test_a_destroyed_context_makes_no_room() -> None:
    context = loaded()
    plan = context.preview_compaction()
    context.destroy()
    for call in (context.preview_compaction, context.consolidate, lambda: context.apply_compaction(plan)):
        with pytest.raises(ContextDestroyed):
            call()


def test_full_notes_give_up_moved_results_only() -> None:
    notes = WorkingMemory(max_size_bytes=9_000)
    context = sized(10_000, features=NOTES)
    context.register_plugin(notes)
    notes.store("mine", "My own", "x" * 3_000)
    many = [item for number in range(5) for item in exchange(f"m{number}", 900)]
    load(context, *turn("a"), *many, *(i for n in "cdef" for i in turn(n)))
    fill_to(context, 9_900)
    context.prepare()
    assert "mine" in note_values(context)


def test_a_strategy_can_change_nothing_but_through_the_draft() -> None:
    class Greedy(AlgorithmicStrategy):
        name = "greedy"

        def compact(self, draft: Any, tokens_to_free: int) -> CompactionResult:
            for item in (*draft.current_input, *draft.conversation):
                item["content"].clear()
            return super().compact(draft, tokens_to_free)

    honest, greedy = loaded(), loaded(compaction_strategy=Greedy())
    assert texts_of(greedy.prepare().input) == texts_of(honest.prepare().input)
    assert texts_of(greedy.get_current_input()) == texts_of(honest.get_current_input()) != []


def test_only_a_plan_can_be_applied() -> None:
    nothing: Any = None
    with pytest.raises(InvalidOption, match="A plan comes from preview_compaction"):
        loaded().apply_compaction(nothing)
