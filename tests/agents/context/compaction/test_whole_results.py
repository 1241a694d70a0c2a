"""Rungs 1, 2 and 6: results leave one by one, with a pointer, and only when they are stored."""

from typing import Any, cast

import pytest

from agents.context import AgentContext, AlgorithmicStrategy, Tool
from agents.context.compaction.plan import HISTORY
from agents.context.json_values import JSON
from agents.context.messages import InputItem
from agents.context.stores import StoreResult
from memory.plugins import WorkingMemory
from tests.agents.context.cast import BARE, Shelf, assistant, results, user
from tests.agents.context.compaction.cast import (
    NOTES,
    contents_of,
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

RECENT = [item for name in "wxyz" for item in turn(name)]


def compacted(*items: InputItem, used: int = 9_000, **options: Any) -> AgentContext:
    """Return a context after a compaction, with four recent turns behind the items."""
    context = sized(10_000, **({"features": NOTES} | options))
    load(context, *turn("first"), *items, *RECENT)
    fill_to(context, used)
    assert context.prepare().compactions
    return context


@pytest.mark.trap("W6.2")
def test_a_large_result_leaves_alone_its_siblings_and_the_text_stay() -> None:
    parallel = exchange("p", 2_000, 40, 0, text="I look at three things.")
    context = compacted(*parallel)
    held = {item["id"]: item for item in context.get_conversation()}
    assert held["c-p"] == parallel[0]
    contents, before = contents_of(context.get_conversation()), contents_of(parallel)
    assert contents["p-1"] == before["p-1"]
    assert contents["p-2"] == before["p-2"]
    key = next(iter(note_values(context)))
    assert contents["p-0"] == (
        "[The result of look (6.8 KB) was moved out of the context. "
        f'Read it with store_get("notes", "{key}").]'
    )
    read: Any = context.tools.execute("store_get", {"store": "notes", "key": key})
    assert read["entry"]["value"] == before["p-0"]


def test_no_more_leaves_than_the_target_needs() -> None:
    context = compacted(*exchange("p", 1_700), *exchange("q", 1_700), *exchange("r", 1_700))
    contents = contents_of(context.get_conversation())
    assert "moved out" in contents["p-0"]
    assert "moved out" not in contents["q-0"]
    assert "moved out" not in contents["r-0"]


@pytest.mark.trap("W6.4")
def test_calls_whose_ids_end_alike_keep_notes_of_their_own() -> None:
    ids = ("toolu_a_12345678", "toolu_b_12345678", "toolu:a:12345678", "toolu/a/12345678")
    items: list[InputItem] = []
    for number, use_id in enumerate(ids):
        items += [
            assistant("", (use_id,), f"c{number}"),
            results(use_id, item_id=f"r{number}", text=f"{use_id} {words(1_000)}"),
        ]
    context = compacted(*items, used=9_950)
    values = set(note_values(context).values())
    moved = [
        use_id for use_id, text in contents_of(context.get_conversation()).items() if "moved out" in text
    ]
    assert len(moved) >= 2
    assert all(f"{use_id} {words(1_000)}" in values for use_id in moved)


def test_a_call_id_used_again_keeps_a_note_of_its_own() -> None:
    items = [
        assistant("", ("call_0",), "c1"),
        results("call_0", item_id="r1", text=f"one {words(1_000)}"),
        assistant("", ("call_0",), "c2"),
        results("call_0", item_id="r2", text=f"two {words(1_000)}"),
    ]
    context = compacted(*items)
    assert sorted(value[:3] for value in note_values(context).values()) == ["one", "two"]


@pytest.mark.trap("W6.3")
@pytest.mark.parametrize("use_id", ["call:1", "a/b c", "é" * 300, "\u202eabc", ""])
def test_no_id_and_no_description_can_stop_a_compaction(use_id: str) -> None:
    def explode(arguments: dict[str, JSON]) -> str:
        return f"look\n\x1b[31m\u202e{'x' * 500}"

    tool = Tool("look", print, "Look.", {"type": "object"}, call_description=explode)
    items = [assistant("", (use_id,), "c"), results(use_id, item_id="r", text=words(2_000))]
    context = compacted(*items, tools=[tool])
    (note,) = context.memory.entries()
    assert len(note.description) == 150
    assert note.description.isprintable()
    assert note.value == words(2_000)
    context.consolidate()


def test_a_description_is_clipped_to_what_the_notes_accept() -> None:
    notes = WorkingMemory(description_max_length=40)
    tool = Tool("look", print, "Look.", {"type": "object"}, call_description=lambda _: "x" * 100)
    context = sized(10_000, features=NOTES, tools=[tool])
    context.register_plugin(notes)
    load(context, *turn("first"), *exchange("p", 2_000), *RECENT)
    fill_to(context, 9_000)
    context.prepare()
    (note,) = notes.entries()
    assert len(note.description) == 40


class Refusing(Shelf):
    """Notes that store nothing."""

    name = "working_memory"

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        return {"success": False, "key": key, "error": "full"}


def test_what_cannot_be_stored_stays_and_the_rest_goes_on() -> None:
    context = sized(10_000)
    context.register_plugin(Refusing("notes"))
    load(context, *turn("first"), *exchange("p", 2_000), *turn("b", 100), *RECENT)
    fill_to(context, 9_000)
    prepared = context.prepare()
    assert "moved out" not in contents_of(context.get_conversation())["p-0"]
    assert any("could not be stored elsewhere" in line for line in prepared.compaction_log)
    assert ids_of(context.get_conversation())[0] == "u-first"


class FailingLater(WorkingMemory):
    """Notes that can be planned with and then fail."""

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        raise OSError("disk full")

    def copy(self) -> WorkingMemory:
        twin = WorkingMemory()
        twin.adopt(self.entries())
        return twin


def test_a_store_that_fails_in_the_end_leaves_the_result_where_it_is() -> None:
    context = sized(10_000, features=NOTES)
    context.register_plugin(FailingLater())
    load(context, *turn("first"), *exchange("p", 2_000), *RECENT)
    fill_to(context, 9_000)
    prepared = context.prepare()
    (plan,) = prepared.compactions
    assert len(plan.failed) >= 1
    assert any(line.startswith("not stored: raw.tool_result.look.p-0") for line in plan.log)
    assert "moved out" not in contents_of(context.get_conversation())["p-0"]
    assert not plan.reaches_target


def test_with_a_history_a_failing_store_is_gone_round() -> None:
    context = sized(10_000, features=NOTES, storage=MemoryStorage())
    context.register_plugin(FailingLater())
    load(context, *turn("first"), *exchange("p", 2_000), *RECENT)
    fill_to(context, 9_000)
    prepared = context.prepare()
    assert [bool(plan.failed) for plan in prepared.compactions] == [True, False]
    assert contents_of(context.get_conversation())["p-0"].endswith("the session's history keeps it.]")
    assert prepared.budget.content_used <= 7_500


@pytest.mark.trap("W6.6")
def test_consolidation_below_the_threshold_does_nothing() -> None:
    context = sized(10_000, features=NOTES)
    load(context, *turn("first"), *exchange("p", 2_000), *RECENT)
    before = context.get_state()
    done = context.consolidate()
    assert (done.performed, done.tokens_changed, list(done.actions)) == (False, 0, [])
    assert context.get_state() == before


def test_consolidation_above_it_moves_results_and_leaves_pointers() -> None:
    context = sized(10_000, features=NOTES)
    load(context, *turn("first"), *exchange("p", 2_000), *turn("b", 2_300), *RECENT)
    used = context.calculate_budget().content_used
    assert 7_500 < used < 9_000
    done = context.consolidate()
    assert done.performed
    assert done.tokens_changed == context.calculate_budget().content_used - used < -1_500
    assert "store_get" in contents_of(context.get_conversation())["p-0"]
    assert ids_of(context.get_conversation())[:4] == ["u-first", "a-first", "c-p", "r-p"]


def test_consolidation_never_drops_a_turn() -> None:
    context = sized(5_000, features=NOTES)
    load(context, *turn("first"), *turn("b", 2_000), *RECENT)
    assert context.calculate_budget().content_utilization > 0.75
    assert not context.consolidate().performed


def test_a_result_with_error_and_images_is_kept_whole() -> None:
    result: Any = results("p", item_id="r", text=words(1_500))
    result["content"][0] |= {"error": "e" * 300, "__images": [{"url": "https://example.org/x.png"}]}
    context = compacted(assistant("", ("p",), "c"), result)
    (value,) = note_values(context).values()
    assert value == {
        "content": words(1_500),
        "error": "e" * 300,
        "images": [{"url": "https://example.org/x.png"}],
    }
    block: Any = cast("Any", context.get_conversation()[3])["content"][0]
    assert "__images" not in block
    assert block["error"] == f"{'e' * 200}…"


def test_old_exchanges_are_told_in_lines_with_what_they_said() -> None:
    strategy = AlgorithmicStrategy(max_tool_pairs=1)
    old = [item for number in range(40) for item in exchange(f"o{number}", 88, text=f"Step {number}.")]
    context = compacted(*old, compaction_strategy=strategy, storage=MemoryStorage())
    told = [item for item in context.get_conversation() if item["id"] == "c-o0"]
    text = cast("Any", told[0])["content"][0]["text"]
    assert text.startswith("Step 0.\n[Called ")
    assert "r-o0" not in ids_of(context.get_conversation())


def test_without_a_history_a_told_exchange_says_where_its_messages_are() -> None:
    strategy = AlgorithmicStrategy(max_tool_pairs=0)
    huge: Any = exchange("big", 10)
    huge[0]["content"][0]["arguments"] = f'{{"text": "{words(1_900)}"}}'
    context = compacted(*huge, compaction_strategy=strategy)
    told = cast("Any", context.get_conversation()[2])["content"][0]["text"]
    key = next(key for key in note_values(context) if ".messages." in key)
    assert f'store_get("notes", "{key}")' in told
    assert [item["id"] for item in note_values(context)[key]] == ["c-big", "r-big"]


def test_an_exchange_in_which_a_person_spoke_is_not_told_in_lines() -> None:
    strategy = AlgorithmicStrategy(max_tool_pairs=0)
    calls: Any = assistant("", ("p", "q"), "c")
    calls["content"][0]["arguments"] = f'{{"text": "{words(1_900)}"}}'
    items = [calls, results("p", item_id="r1"), user("Hurry!", "u-hurry"), results("q", item_id="r2")]
    context = compacted(*items, compaction_strategy=strategy, storage=MemoryStorage())
    assert not any("[Called" in str(item) for item in context.get_conversation())


def test_failures_and_lost_results_are_told_too() -> None:
    strategy = AlgorithmicStrategy(max_tool_pairs=0)
    calls: Any = assistant("", ("p", "q"), "c")
    calls["content"][0]["arguments"] = f'{{"text": "{words(1_900)}"}}'
    failed: Any = results("p", item_id="r")
    failed["content"][0]["error"] = "not found"
    context = compacted(calls, failed, compaction_strategy=strategy, storage=MemoryStorage())
    text = str(context.get_conversation()[2])
    assert ": failed: not found]" in text
    assert "no result.]" in text


def test_as_a_last_resort_protected_results_are_moved_too() -> None:
    context = sized(2_000, features=NOTES)
    load(context, *turn("a"), *exchange("p", 600), *exchange("q", 600))
    context.add_user_message("go on")
    prepared = context.prepare()
    assert prepared.compacted
    assert {change.rung for change in prepared.compactions[0].changes} == {"last_resort"}
    assert len(note_values(context)) >= 1


def test_what_the_current_input_answers_is_never_touched() -> None:
    context = sized(1_700, features=NOTES)
    load(context, *turn("a"), *exchange("p", 700))
    call = assistant("", ("now",), "c-now")
    context.load_conversation(
        [(item, None) for item in [*context.get_conversation(), call]],
        [(results("now", item_id="r-now", text=words(300)), None)],
    )
    prepared = context.prepare()
    assert prepared.compacted
    assert call in prepared.input
    assert contents_of(prepared.input)["now"] == words(300)


def test_where_nothing_can_be_kept_results_are_given_up_only_for_a_prompt_that_fits() -> None:
    context = sized(1_300)
    load(context, *turn("a"), *exchange("p", 600), *exchange("q", 600), *exchange("r", 10))
    context.add_user_message("go on")
    prepared = context.prepare()
    assert prepared.compacted
    assert contents_of(prepared.input)["p-0"].endswith("moved out of the context and not kept.]")
    roomy = sized(1_600)
    load(roomy, *turn("a"), *exchange("p", 600), *exchange("q", 600), *exchange("r", 10))
    roomy.add_user_message("go on")
    assert "not kept" not in str(roomy.prepare().input)


def test_many_protected_exchanges_are_told_in_lines_before_the_prompt_overflows() -> None:
    items = [*turn("a", 5), *(item for n in range(30) for item in exchange(f"e{n}", 80))]
    context = sized(2_800, storage=MemoryStorage())
    load(context, *items)
    context.add_user_message("go on")
    assert context.calculate_budget().content_used > 2_800
    prepared = context.prepare()
    assert "[Called" in str(prepared.input)
    assert prepared.budget.content_used <= 2_800


@pytest.mark.trap("W6.7")
def test_moved_results_outlive_thirty_others() -> None:
    strategy = AlgorithmicStrategy(threshold=0.45)
    many = [item for number in range(40) for item in exchange(f"m{number}", 320)]
    context = sized(16_000, features=NOTES, compaction_strategy=strategy)
    load(context, *turn("first"), *many, *RECENT)
    fill_to(context, 15_500)
    prepared = context.prepare()
    moved = [write.key for write in prepared.compactions[0].notes]
    assert len(moved) > 31
    assert all(key.startswith("raw.tool_result.look.") for key in moved)
    assert set(moved) <= set(note_values(context))


def test_a_result_in_the_history_only_points_there() -> None:
    context = compacted(*exchange("p", 2_000), features=BARE, storage=MemoryStorage())
    assert context.last_preparation is not None
    (change, *_) = context.last_preparation.compactions[0].changes
    assert change.kept_in == (HISTORY,)
    assert "history keeps it" in contents_of(context.get_conversation())["p-0"]


def test_an_exchange_that_cannot_be_stored_stays_and_the_next_is_tried() -> None:
    strategy = AlgorithmicStrategy(max_tool_pairs=0)
    huge: Any = exchange("big", 10)
    huge[0]["content"][0]["arguments"] = f'{{"text": "{words(1_900)}"}}'
    full = {"working_memory": {"max_size_bytes": 10}}
    context = compacted(*huge, compaction_strategy=strategy, plugins=full)
    assert context.last_preparation is not None
    assert (
        "old_exchanges: c-big stays, it could not be stored elsewhere"
        in context.last_preparation.compaction_log
    )
    assert huge[0] in context.get_conversation()
