"""What hosts are told of a compaction, and how little they can do to it."""

import threading
from typing import Any

import pytest

from agents.context import AgentContext, BeforeCompaction
from agents.context.compaction.briefing import summarize_budget
from agents.context.compaction.plan import CompactionPlan
from tests.agents.context.cast import Broken, NotePad
from tests.agents.context.compaction.cast import (
    BOARD_AND_NOTES,
    NOTES,
    exchange,
    fill_to,
    heard,
    load,
    note_values,
    sized,
    turn,
)
from tests.agents.context.compaction.test_gate import budget_of


def crowded(**options: Any) -> AgentContext:
    """Return a context at its gate, with two large results that may leave."""
    context = sized(10_000, **options)
    old = [*turn("a"), *exchange("x", 1_200, 1_200), *turn("b")]
    load(context, *old, *(item for name in "cdef" for item in turn(name, 50)))
    fill_to(context, 9_500)
    return context


@pytest.mark.trap("W5.7")
def test_the_hook_gets_the_budget_of_this_moment_on_the_first_prepare_too() -> None:
    seen: list[BeforeCompaction] = []
    context = crowded(features=BOARD_AND_NOTES, lifecycle_hooks={"beforeCompaction": seen.append})
    budget = context.calculate_budget()
    context.prepare()
    (told,) = seen
    assert told.agent_id == "agent"
    assert told.strategy == "algorithmic"
    assert told.estimated_tokens_to_free == 2_000
    assert told.current_budget == summarize_budget(budget)
    assert told.current_budget.total == told.current_budget.used + told.current_budget.available
    assert told.current_budget.status == "critical"
    assert [(each.name, each.priority, each.compactable) for each in told.components] == [
        ("in_context_memory", 1, True),
        ("working_memory", 2, False),
    ]


@pytest.mark.parametrize(("used", "status"), [(690, "ok"), (700, "warning"), (900, "critical")])
def test_the_status_of_a_budget(used: int, status: str) -> None:
    assert summarize_budget(budget_of(1_000, used)).status == status


def test_a_failing_hook_is_logged_and_compaction_proceeds(caplog: pytest.LogCaptureFixture) -> None:
    def fail(told: BeforeCompaction) -> None:
        raise RuntimeError("Hook error")

    context = crowded(features=NOTES, lifecycle_hooks={"before_compaction": fail})
    assert context.prepare().compacted
    assert "Hook before_compaction failed" in caplog.messages


@pytest.mark.trap("W6.14")
def test_a_hook_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.context.lifecycle._TIMEOUT_S", 0.05)
    never = threading.Event()
    context = crowded(features=NOTES, lifecycle_hooks={"before_compaction": lambda _: never.wait()})
    try:
        assert context.prepare().compacted
    finally:
        never.set()


def test_what_a_hook_stores_is_kept_and_counted_in_the_same_preparation() -> None:
    def save(told: BeforeCompaction) -> None:
        context.memory.store("found", "What was found so far", "the answer", tier="findings")

    context = crowded(features=NOTES, lifecycle_hooks={"before_compaction": save})
    prepared = context.prepare()
    assert note_values(context)["findings.found"] == "the answer"
    assert prepared.budget.content_used <= 7_500
    assert "findings.found" in str(prepared.input[0])
    assert prepared.compactions[0].before.content_used > 9_500
    assert prepared.budget == context.calculate_budget()


def test_the_hook_after_it_gets_what_was_done() -> None:
    seen: list[CompactionPlan] = []
    context = crowded(features=NOTES, lifecycle_hooks={"after_compaction": seen.append})
    assert list(context.prepare().compactions) == seen


@pytest.mark.trap("W6.10")
def test_the_events_carry_recounted_figures() -> None:
    context = crowded(features=NOTES)
    before = context.calculate_budget()
    seen = heard(context, "compaction:starting", "context:compacted", "context:prepared")
    prepared = context.prepare()
    assert [name for name, _ in seen] == ["compaction:starting", "context:compacted", "context:prepared"]
    starting, compacted = seen[0][1], seen[1][1]
    assert starting["budget"] == before
    assert starting["target_tokens_to_free"] == before.content_used - 7_500
    assert compacted["tokens_freed"] == before.content_used - prepared.budget.content_used
    assert compacted["log"] == prepared.compaction_log
    assert seen[2][1] == {"budget": prepared.budget, "compacted": True}


def test_a_failing_plugin_and_a_failing_listener_do_not_stop_it() -> None:
    context = crowded(features=NOTES)
    context.register_plugin(Broken())
    context.register_plugin(NotePad("said"))
    context.on("context:compacted", lambda _: 1 / 0)
    assert context.prepare().compacted


@pytest.mark.parametrize("name", ["before_compaction", "after_compaction", "before_context_prepare"])
@pytest.mark.parametrize("again", ["prepare", "compact", "consolidate"])
def test_a_hook_that_asks_for_room_is_refused_and_room_is_made(
    name: str, again: str, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []

    def ask(_: object) -> None:
        calls.append(name)
        getattr(context, again)()

    context = crowded(features=NOTES, lifecycle_hooks={name: ask})
    assert context.prepare().compacted
    assert calls == [name], "it was called once, and began nothing"
    assert f"Hook {name} failed" in caplog.messages
    assert "PreparationActive" in caplog.text
    assert context.prepare(), "the next one is free"


def test_a_hook_may_look_at_a_compaction_and_not_begin_one(caplog: pytest.LogCaptureFixture) -> None:
    plans: list[CompactionPlan] = []

    def look(_: object) -> None:
        plans.append(context.preview_compaction())
        context.apply_compaction(plans[0])

    context = crowded(features=NOTES, lifecycle_hooks={"before_compaction": look})
    assert context.compact().tokens_freed > 0
    assert plans == [], "nobody asks before a manual one"
    fill_to(context, 9_500)
    assert context.prepare().compacted
    assert plans[0].tokens_freed > 0
    assert "PreparationActive" in caplog.text


def test_a_listener_that_prepares_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    context = crowded(features=NOTES)
    context.on("context:prepared", lambda _: context.prepare())
    assert context.prepare().compacted
    assert "PreparationActive" in caplog.text
