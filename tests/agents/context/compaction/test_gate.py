"""When a compaction starts and where it ends (R6), seen from outside."""

import pytest

from agents.context import AgentContext, AlgorithmicStrategy, Breakdown, Budget, StrategyRegistry
from agents.context.compaction.gate import Gate
from agents.context.errors import ContextOverflow, UnknownStrategy
from tests.agents.context.compaction.cast import NOTES, exchange, fill_to, heard, load, sized, turn, words


def budget_of(content_max: int, used: int) -> Budget:
    return Budget(content_max, 0, Breakdown(conversation=used))


def test_at_nine_tenths_the_gate_opens_and_the_target_is_three_quarters() -> None:
    gate = Gate(critical=0.90, threshold=0.75)
    assert gate.is_open(budget_of(10_000, 9_000))
    assert gate.excess(budget_of(10_000, 9_000)) == 1_500
    assert not gate.is_open(budget_of(10_000, 8_999))


def test_the_target_is_never_above_the_gate() -> None:
    gate = Gate(critical=0.60, threshold=0.75)
    assert gate.target(budget_of(10_000, 9_000)) == 6_000
    assert not gate.is_open(budget_of(10_000, 6_000)), "nothing would be freed"


def test_a_provider_that_counts_more_opens_the_gate_earlier_and_never_twice() -> None:
    gate = Gate(critical=0.90, threshold=0.75, safety_factor=1.25)
    assert gate.is_open(budget_of(10_000, 7_500))
    assert gate.target(budget_of(10_000, 7_500)) == 6_000
    assert not gate.is_open(budget_of(10_000, 6_000))


@pytest.mark.parametrize(("used", "opens"), [(8_999, False), (9_000, True)])
def test_compaction_happens_exactly_at_the_gate(used: int, opens: bool) -> None:
    context = sized(10_000)
    load(context, *(item for name in "abcdefghij" for item in turn(name, 380)))
    fill_to(context, used)
    starting = heard(context, "compaction:starting")
    prepared = context.prepare()
    assert prepared.compacted is opens
    assert bool(starting) is opens
    if opens:
        assert starting[0][1]["target_tokens_to_free"] == 1_500
        assert prepared.budget.content_used <= 7_500


def test_what_the_provider_reported_moves_the_gate_but_not_the_budget() -> None:
    context = sized(10_000)
    load(context, *(item for name in "abcdefghij" for item in turn(name, 380)))
    fill_to(context, 8_000)
    counted = context.prepare().budget
    assert not context.last_preparation or not context.last_preparation.compacted
    context.record_usage(round(counted.total_used * 1.25))
    prepared = context.prepare()
    assert prepared.compacted
    assert prepared.budget.content_used <= 6_000
    assert not context.prepare().compacted


def test_the_mission_reclaims_earlier_with_a_lower_threshold() -> None:
    earlier = StrategyRegistry.create("algorithmic", {"threshold": 0.60})
    context = sized(10_000, compaction_strategy=earlier, strategy="default")
    assert (context.strategy, context.strategy_threshold) == ("algorithmic", 0.60)
    load(context, *(item for name in "abcdefghij" for item in turn(name, 380)))
    fill_to(context, 9_000)
    assert context.prepare().budget.content_used <= 6_000


def test_the_strategy_can_be_changed_at_any_time() -> None:
    context = sized(10_000)
    context.use_strategy("default")
    assert (context.strategy, context.strategy_threshold) == ("default", 0.70)
    mine = AlgorithmicStrategy(threshold=0.5)
    context.use_strategy(mine)
    assert context.compaction_strategy is mine
    with pytest.raises(
        UnknownStrategy, match=r'"mine" not found\. Available strategies: algorithmic, default'
    ):
        context.use_strategy("mine")


def test_a_missing_plugin_that_a_strategy_asks_for_is_only_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sized(1_000)
    assert "Strategy algorithmic does less without the plugin working_memory" in caplog.messages
    caplog.clear()
    sized(1_000, features=NOTES)
    assert caplog.messages == []


def too_full() -> AgentContext:
    """Return a context whose protected turns are above the target, and fit."""
    context = sized(1_000)
    load(context, *(item for name in "abc" for item in turn(name, 145)))
    context.add_user_message("go on")
    return context


def test_what_cannot_reach_the_target_says_why_and_is_not_tried_again() -> None:
    context = too_full()
    started = heard(context, "compaction:starting", "context:compacted")
    prepared = context.prepare()
    assert prepared.budget.content_used > 900
    assert "more than the target, and nothing else may leave: recent turn" in prepared.compaction_log[-1]
    assert not prepared.compacted
    again = context.prepare()
    assert again.input == prepared.input
    assert again.compactions == ()
    assert [name for name, _ in started] == ["compaction:starting"]


def test_a_changed_prompt_is_tried_again() -> None:
    context = too_full()
    context.prepare()
    started = heard(context, "compaction:starting")
    context.add_user_message("and now?")
    context.prepare()
    assert len(started) == 1


def test_a_prompt_that_does_not_fit_after_everything_is_a_typed_overflow() -> None:
    context = sized(800)
    load(context, *turn("a", 140), *exchange("x", 30), *turn("b", 300))
    context.add_user_message(words(20))
    with pytest.raises(
        ContextOverflow, match=r"does not fit: \d+ tokens, and 800 fit .*conversation"
    ) as caught:
        context.prepare()
    assert str(caught.value).endswith(" Roll the conversation over, or allow a larger window.")
