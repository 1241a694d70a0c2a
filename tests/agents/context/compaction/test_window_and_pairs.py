"""Rungs 4 and 5: whole turns, oldest first, whatever is protected stays, and no pair is ever parted."""

import json
import re
from typing import Any, cast

import pytest

from agents.context import AgentContext, AlgorithmicStrategy, RolloverRequest, json_values
from agents.context.compaction.plan import HISTORY, NOWHERE
from agents.context.messages import InputItem
from tests.agents.context.cast import BARE, assistant, context_of, results, user
from tests.agents.context.compaction.cast import (
    NOTES,
    exchange,
    fill_to,
    ids_of,
    load,
    note_values,
    sized,
    turn,
    words,
)
from tests.fuzz.compaction import MemoryStorage


def long_talk(**options: Any) -> AgentContext:
    """Return a context at its gate after nine turns of plain talk."""
    context = sized(10_000, **options)
    load(context, *(item for name in "abcdefghi" for item in turn(name, 400)))
    fill_to(context, 9_000)
    return context


@pytest.mark.trap("W6.5")
def test_the_task_and_the_recent_turns_outlive_what_lies_between() -> None:
    context = long_talk(storage=MemoryStorage())
    prepared = context.prepare()
    assert ids_of(context.get_conversation()) == [
        *("u-a", "u-d", "a-d", "u-e", "a-e", "u-f", "a-f"),
        *("u-g", "a-g", "u-h", "a-h", "u-i", "a-i"),
    ]
    removed = prepared.compactions[0].changes
    assert [change.item_id for change in removed] == ["a-a", "u-b", "a-b", "u-c", "a-c"]
    assert {change.action for change in removed} == {"removed"}
    assert {change.rung for change in removed} == {"window"}


def test_what_the_user_just_said_is_the_last_of_the_four_turns() -> None:
    context = sized(2_000)
    load(context, *(item for name in "abcdef" for item in turn(name, 190)))
    context.add_user_message("go on")
    context.prepare()
    assert ids_of(context.get_conversation()) == ["u-a", "u-d", "a-d", "u-e", "a-e", "u-f", "a-f"]


@pytest.mark.trap("W6.8")
def test_removing_one_message_takes_its_whole_exchange_and_nothing_protected() -> None:
    class Picky(AlgorithmicStrategy):
        name = "picky"

        def compact(self, draft: Any, tokens_to_free: int) -> Any:
            freed.append(draft.remove_messages([0, 3]))
            return super().compact(draft, 0)

    freed: list[int] = []
    context = sized(10_000, compaction_strategy=Picky(threshold=0.85), storage=MemoryStorage())
    load(context, *turn("a"), *exchange("x", 300, 300), *(item for n in "bcdef" for item in turn(n, 300)))
    fill_to(context, 9_100)
    context.prepare()
    assert ids_of(context.get_conversation())[:3] == ["u-a", "a-a", "u-b"]
    assert 600 < freed[0] < 640


@pytest.mark.trap("W6.9")
@pytest.mark.parametrize("strategy", ["default", "algorithmic"])
def test_results_of_parallel_calls_in_separate_messages_stay_together(strategy: str) -> None:
    items: list[InputItem] = [*turn("a")]
    for name in ("b", "c", "d", "e", "f", "g"):
        items += [
            user("look", f"u-{name}"),
            assistant("", (f"{name}1", f"{name}2"), f"c-{name}"),
            results(f"{name}1", item_id=f"r1-{name}", text="x" * 900),
            results(f"{name}2", item_id=f"r2-{name}", text="x" * 900),
        ]
    context = sized(4_000, strategy=strategy, storage=MemoryStorage())
    load(context, *items)
    fill_to(context, 3_900)
    prepared = context.prepare()
    assert prepared.compacted
    uses = {use for item in prepared.input for use in _ids(item, "tool_use", "id")}
    answered = [use for item in prepared.input for use in _ids(item, "tool_result", "tool_use_id")]
    assert sorted(answered) == sorted(uses)
    held = ids_of(context.get_conversation())
    for name in ("b", "c", "d", "e", "f", "g"):
        assert len({f"c-{name}" in held, f"r1-{name}" in held, f"r2-{name}" in held}) == 1


def _ids(item: InputItem, kind: str, field: str) -> list[str]:
    blocks = cast("Any", item["content"]) if item["type"] == "message" else []
    return [block[field] for block in blocks if block["type"] == kind]


def test_a_removed_turn_is_in_the_journal_as_it_was() -> None:
    storage = MemoryStorage()
    context = long_talk(storage=storage)
    before = {item["id"]: item for item in context.get_conversation()}
    (plan,) = context.prepare().compactions
    assert {change.kept_in for change in plan.changes} == {(HISTORY,)}
    kept = [entry["item"] for entry in context._recorder._held]
    assert all(before[change.item_id] in kept for change in plan.changes)


def test_without_a_journal_a_removed_turn_is_in_the_notes() -> None:
    context = long_talk(features=NOTES)
    before = {item["id"]: item for item in context.get_conversation()}
    (plan,) = context.prepare().compactions
    stored = [item for value in note_values(context).values() for item in value]
    assert [before[change.item_id] for change in plan.changes] == stored
    assert all(key.startswith("raw.moved.messages.") for key in note_values(context))


def test_with_neither_the_loss_is_said() -> None:
    context = long_talk()
    (plan,) = context.prepare().compactions
    assert {change.kept_in for change in plan.changes} == {(NOWHERE,)}
    assert any("kept in nowhere" in line for line in plan.log)
    assert [item["id"] for item in plan.removed] == ["a-a", "u-b", "a-b", "u-c", "a-c"]


def brief(request: RolloverRequest) -> str:
    asked.append(request)
    return "They spoke of a and b."


asked: list[RolloverRequest] = []


def test_a_summarizer_puts_one_summary_in_the_place_of_old_turns() -> None:
    asked.clear()
    context = long_talk(
        compaction_strategy=AlgorithmicStrategy(summarize=brief, max_summary_tokens=100),
        storage=MemoryStorage(),
    )
    prepared = context.prepare()
    assert prepared.budget.content_used <= 7_500
    held = context.get_conversation()
    first, summary, third = ids_of(held)[:3]
    assert (first, third) == ("u-a", "u-d")
    assert re.fullmatch("compaction_summary_[0-9a-f]{24}", summary)
    assert "```\nThey spoke of a and b.\n```" in str(cast("Any", held[1])["content"][0]["text"])
    assert cast("Any", held[1])["metadata"] == {"kind": "compaction_summary", "rolledItems": 5}
    assert [ids_of(request.items) for request in asked] == [["a-a", "u-b", "a-b", "u-c", "a-c"]]
    assert asked[0].reason == "compaction"


def test_the_next_summary_takes_the_earlier_one_in() -> None:
    asked.clear()
    context = long_talk(
        compaction_strategy=AlgorithmicStrategy(summarize=brief, max_summary_tokens=100),
        storage=MemoryStorage(),
    )
    context.prepare()
    context.add_assistant_response("Well.")
    (earlier,) = summaries_in(context)
    for _ in range(3):
        context.add_user_message("x" * 700)
        context.add_assistant_response("x" * 700)
    fill_to(context, 9_900)
    context.prepare()
    (later,) = summaries_in(context)
    assert ids_of(asked[-1].items)[0] == earlier != later


def summaries_in(context: AgentContext) -> list[str]:
    return [each for each in ids_of(context.get_conversation()) if each.startswith("compaction_summary_")]


def test_the_id_of_a_summary_does_not_grow_from_fold_to_fold() -> None:
    context = sized(
        10_000,
        compaction_strategy=AlgorithmicStrategy(summarize=brief, max_summary_tokens=100),
        storage=MemoryStorage(),
    )
    load(context, user("Do it", "u-0"), *(item for name in "abc" for item in turn(name * 90, 500)))
    seen: list[str] = []
    for _ in range(6):
        while context.calculate_budget().content_used < 9_000:
            context.add_user_message(words(400))
            context.add_assistant_response(words(400))
        context.prepare()
        seen += summaries_in(context)
    assert len(set(seen)) == 6, "each is another one"
    assert {len(each) for each in seen} == {len("compaction_summary_") + 24}


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (lambda _: "", "the summarizer failed"),
        (lambda _: "\u200b", "the summarizer failed"),
        (lambda _: 1 / 0, "the summarizer failed"),
        (lambda _: "x" * 90_000, "not shorter"),
    ],
)
def test_a_summarizer_that_does_not_help_changes_nothing(answer: Any, line: str) -> None:
    strategy = AlgorithmicStrategy(summarize=answer, max_summary_tokens=6_000)
    context = long_talk(compaction_strategy=strategy, storage=MemoryStorage())
    prepared = context.prepare()
    assert any(line in each for each in prepared.compaction_log)
    assert prepared.budget.content_used <= 7_500
    assert not any("summary" in item["id"] for item in context.get_conversation())


def test_a_summary_alone_is_not_summarized_again() -> None:
    asked.clear()
    strategy = AlgorithmicStrategy(summarize=brief, max_summary_tokens=100)
    context = sized(2_000, compaction_strategy=strategy, storage=MemoryStorage())
    summary = user("Summary", "compaction_summary_x")
    load(context, user("Do it", "u-0"), summary, *(item for n in "abc" for item in turn(n, 300)))
    context.add_user_message("go on")
    prepared = context.prepare()
    assert prepared.compactions
    assert not prepared.reaches_target
    assert asked == []
    assert "compaction_summary_x" in ids_of(context.get_conversation())


def test_nothing_is_summarized_when_moving_results_out_is_enough() -> None:
    asked.clear()
    strategy = AlgorithmicStrategy(summarize=brief)
    context = sized(4_000, compaction_strategy=strategy, storage=MemoryStorage(), features=NOTES)
    recent = [item for name in "bcde" for item in turn(name)]
    load(context, *turn("a"), *exchange("x", 2_600), *recent)
    context.add_user_message("go on")
    assert context.prepare().compacted
    assert asked == []


@pytest.mark.trap("W6.15")
def test_what_only_the_provider_can_read_is_kept_and_sent_back() -> None:
    context = context_of(features=BARE)
    context.add_user_message("hi")
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "zz"}
    shrunk = {"type": "compaction", "id": "cmp_1", "encrypted_content": "yy"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]}
    empty = {"type": "reasoning", "id": "rs_2", "summary": []}
    context.add_assistant_response([shrunk, reasoning, empty, said])
    context.add_user_message("go on")
    sent = context.prepare().input
    assert [item["type"] for item in sent] == [
        "message",
        "message",
        "compaction",
        "reasoning",
        *["message"] * 2,
    ]
    assert sent[2:4] == [shrunk, reasoning]


@pytest.mark.trap("W6.15")
def test_compaction_state_of_the_provider_is_protected_and_reasoning_leaves_with_its_reply() -> None:
    shrunk = cast("InputItem", {"type": "compaction", "id": "cmp_1", "encrypted_content": "yy"})
    thought = cast("InputItem", {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "zz"})
    talk = [item for name in "bcdefghi" for item in turn(name, 440)]
    context = sized(10_000, storage=MemoryStorage())
    load(context, user("Do it", "u-0"), shrunk, thought, assistant("Well.", (), "a-0"), *talk)
    fill_to(context, 9_000)
    context.prepare()
    held = ids_of(context.get_conversation())
    assert "cmp_1" in held
    assert "rs_1" not in held
    assert "a-0" not in held


def test_what_cannot_be_stored_is_neither_summarized_nor_dropped() -> None:
    strategy = AlgorithmicStrategy(summarize=brief, max_summary_tokens=100)
    full = {"working_memory": {"max_size_bytes": 10}}
    context = long_talk(compaction_strategy=strategy, features=NOTES, plugins=full)
    before = context.get_conversation()
    prepared = context.prepare()
    assert context.get_conversation() == before
    assert any("originals could not be stored elsewhere" in line for line in prepared.compaction_log)
    assert any("oldest turn: u-b stays" in line for line in prepared.compaction_log)


@pytest.mark.parametrize("character", ["\x00", "\ud800"])
def test_a_summary_that_cannot_be_stored_is_repaired(character: str) -> None:
    def summarize(request: Any) -> str:
        return f"brief{character}"

    context = long_talk(compaction_strategy=AlgorithmicStrategy(summarize=summarize))
    prepared = context.prepare()
    texts = json.dumps(prepared.input, ensure_ascii=False)
    assert "brief\ufffd" in texts
    json_values.check(context.get_state(), max_depth=100)
