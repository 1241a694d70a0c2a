"""A prompt above its target says what holds it there."""

from agents.context import AgentContext, Preparation
from tests.agents.context.cast import assistant, context_of
from tests.agents.context.compaction.cast import BOARD, NOTES, exchange, load, sized, turn, words


def held(prepared: Preparation) -> dict[str, int]:
    assert prepared.shortfall is not None
    return dict(prepared.shortfall.held)


def full_of_recent_turns() -> AgentContext:
    context = sized(1_000, system_prompt="You help.")
    load(context, *(item for name in "abcd" for item in turn(name, 125)))
    context.add_user_message("go on")
    return context


def test_everything_that_may_not_leave_is_named_with_its_tokens() -> None:
    context = full_of_recent_turns()
    prepared = context.prepare()
    assert not prepared.reaches_target
    assert prepared.shortfall is not None
    assert prepared.shortfall.tokens == prepared.budget.content_used - 750
    assert set(held(prepared)) == {
        "recent turn",
        "first message of the session",
        "system prompt and instructions",
        "current input",
    }
    assert sum(held(prepared).values()) == prepared.budget.content_used
    assert list(held(prepared).values()) == sorted(held(prepared).values(), reverse=True)


def test_the_plan_and_its_log_say_the_same() -> None:
    context = full_of_recent_turns()
    preview = context.preview_compaction()
    prepared = context.prepare()
    (plan,) = prepared.compactions
    assert preview.shortfall == plan.shortfall == prepared.shortfall
    assert plan.shortfall is not None
    assert plan.as_dict()["shortfall"] == {
        "tokens": plan.shortfall.tokens,
        "held": [{"what": what, "tokens": tokens} for what, tokens in plan.shortfall.held],
    }
    assert plan.log[-1].endswith(f"; {plan.shortfall}")
    words_of_it = f"{plan.shortfall.tokens} more than the target, and nothing else may leave: recent turn"
    assert words_of_it in plan.log[-1]


def test_it_is_said_again_while_nothing_changes() -> None:
    context = full_of_recent_turns()
    first, second = context.prepare(), context.prepare()
    assert second.compactions == ()
    assert second.shortfall == first.shortfall


def test_a_prompt_that_needs_no_room_or_gets_it_has_no_shortfall() -> None:
    context = sized(1_000)
    assert context.prepare().reaches_target
    load(context, *(item for name in "abcdefgh" for item in turn(name, 60)))
    prepared = context.prepare()
    assert prepared.compacted
    assert prepared.reaches_target
    assert prepared.compactions[0].as_dict()["shortfall"] is None


def test_critical_entries_of_a_plugin_are_named_as_its_content() -> None:
    context = sized(3_000, features=BOARD)
    context.get_plugin("in_context_memory").set("k", "d", words(2_300), "critical")
    context.add_user_message("go on")
    assert next(iter(held(context.prepare()))) == "content of in_context_memory"


def test_messages_that_could_not_be_kept_elsewhere_are_named() -> None:
    context = sized(2_400, features=NOTES)
    context.memory.store_set = lambda key, data: {"success": False, "key": key}
    recent = [item for name in "bcde" for item in turn(name)]
    load(context, *turn("a"), *exchange("x", 400, 500), *exchange("y", 300), *recent)
    prepared = context.prepare()
    assert held(prepared)["other messages"] > 1_000


def test_a_summary_of_earlier_turns_is_named() -> None:
    context = sized(1_000)
    summary = assistant("They spoke. " + words(300), (), "compaction_summary_1")
    load(context, *turn("a", 20), summary, *(item for name in "bcde" for item in turn(name, 60)))
    prepared = context.prepare()
    assert held(prepared)["summary of earlier turns"] > 300


def test_tidying_up_after_a_run_promises_no_target() -> None:
    context = context_of(max_context_tokens=4_000, response_reserve=0, features=NOTES)
    load(context, *turn("a"), *exchange("x", 1_500), *(item for name in "bcde" for item in turn(name, 150)))
    seen: list[object] = []
    context.on("context:compacted", lambda payload: seen.append(payload["plan"]))
    assert context.consolidate().performed
    (plan,) = seen
    assert plan.shortfall is None  # type: ignore[attr-defined]
