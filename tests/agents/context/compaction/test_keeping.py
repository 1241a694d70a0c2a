"""Nothing leaves before it is kept, nothing kept is overwritten, and nothing is kept twice."""

import json
from typing import Any

from agents.context import AgentContext, AlgorithmicStrategy, ApproximateTokenEstimator
from agents.context.compaction.keeper import Keeper
from agents.context.compaction.plan import HISTORY, NOWHERE, PluginShrink
from agents.context.compaction.pointers import full_value, is_pointer, pointer_text
from agents.context.cut_texts import cut_text
from agents.context.json_values import JSON
from agents.context.messages import ToolResult
from agents.context.offload import Call, one_line
from agents.context.stores import StoreResult
from agents.context.toolbox import ToolManager
from memory.plugins import WorkingMemory
from tests.agents.context.cast import Shelf
from tests.agents.context.compaction.cast import NOTES, note_values, sized, words

LOOK = Call("look", {})


def result(text: str, use_id: str = "c") -> ToolResult:
    return {"type": "tool_result", "tool_use_id": use_id, "content": text}


def keeper(notes: Any = None, live: Any = None, *, has_history: bool = False) -> Keeper:
    return Keeper(notes, live, has_history, ToolManager())


def test_without_notes_the_history_counts_and_without_both_nothing() -> None:
    kept = keeper(has_history=True).keep_result(result("x"), LOOK, "r")
    assert kept is not None
    assert (kept.places, kept.key) == ((HISTORY,), None)
    lost = keeper().keep_result(result("x"), LOOK, "r")
    assert lost is not None
    assert lost.places == (NOWHERE,)
    assert not keeper().can_keep


def test_a_note_of_another_result_is_not_overwritten() -> None:
    live = WorkingMemory()
    first = keeper(live.copy(), live)
    one, two = first.keep_result(result("one"), LOOK, "r1"), first.keep_result(result("two"), LOOK, "r2")
    assert one is not None
    assert two is not None
    assert two.key == f"{one.key}.2"
    assert [write.data["value"] for write in first.take_writes()] == ["one", "two"]
    assert first.take_writes() == []


def test_what_is_there_already_is_not_stored_again() -> None:
    live = WorkingMemory()
    stored = keeper(live, live).keep_result(result("one"), LOOK, "r1")
    assert stored is not None
    again = keeper(live.copy(), live)
    kept = again.keep_result(result("one"), LOOK, "r1")
    assert kept is not None
    assert kept.key == stored.key
    assert kept.needs == frozenset()
    assert again.take_writes() == []
    (entry,) = live.entries()
    assert entry.access_count == 0, "looking is no use"


def test_a_result_that_was_cut_points_to_the_full_one() -> None:
    live = WorkingMemory()
    stored = keeper(live, live).keep_result(result("abc" * 100), LOOK, "r1")
    assert stored is not None
    cut = result(cut_text("abc" * 100, 30, stored.key))
    kept = keeper(live.copy(), live).keep_result(cut, LOOK, "r1")
    assert kept is not None
    assert kept.key == stored.key
    other = result(cut_text("zzz" * 100, 30, stored.key))
    kept = keeper(live.copy(), live).keep_result(other, LOOK, "r1")
    assert kept is not None
    assert kept.key == f"{stored.key}.2"


def test_a_result_that_only_looks_cut_is_kept() -> None:
    live = WorkingMemory()
    stored = keeper(live, live).keep_result(result("one"), LOOK, "r1")
    assert stored is not None
    text = "all of it\n\n[Cut: anything]"
    kept = keeper(live.copy(), live).keep_result(result(text), LOOK, "r1")
    assert kept is not None
    assert kept.key == f"{stored.key}.2"


def test_notes_that_cannot_be_looked_into_are_never_overwritten() -> None:
    class Closed(Shelf):
        def store_get(self, key: str | None = None) -> StoreResult:
            return {"found": key in self.entries, "key": key}

    shelf = Closed("notes")
    first = keeper(shelf, shelf)
    kept = first.keep_result(result("one"), LOOK, "r1")
    assert kept is not None
    second = keeper(shelf, shelf).keep_result(result("one"), LOOK, "r1")
    assert second is not None
    assert second.key == f"{kept.key}.2"


def test_notes_of_a_host_that_show_the_same_value_are_used_again() -> None:
    shelf = Shelf("notes")
    first = keeper(shelf, shelf).keep_result(result("one"), LOOK, "r1")
    again = keeper(shelf, shelf).keep_result(result("one"), LOOK, "r1")
    assert first is not None
    assert again is not None
    assert again.key == first.key


def test_notes_whose_values_only_the_copy_knows_are_never_overwritten() -> None:
    live = WorkingMemory()
    kept = keeper(live).keep_result(result("one"), LOOK, "r1")
    assert kept is not None
    second = keeper(live).keep_result(result("one"), LOOK, "r1")
    assert second is not None
    assert second.key == f"{kept.key}.2"


def test_too_many_notes_of_one_call_are_given_up() -> None:
    class Full(Shelf):
        def store_get(self, key: str | None = None) -> StoreResult:
            return {"found": True, "key": str(key), "entry": {"value": "other"}}

    assert keeper(Full("notes"), Full("notes")).keep_result(result("one"), LOOK, "r1") is None


def test_a_store_that_fails_while_looking_or_storing_keeps_nothing() -> None:
    class Broken(Shelf):
        def store_get(self, key: str | None = None) -> StoreResult:
            raise RuntimeError("no")

        def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
            raise RuntimeError("no")

    assert keeper(Broken("notes")).keep_result(result("one"), LOOK, "r1") is None


def test_forgotten_writes_are_written_again() -> None:
    live = WorkingMemory()
    one = keeper(live.copy(), live)
    one.keep_result(result("one"), LOOK, "r1")
    one.forget_writes()
    one.notes = live.copy()
    one.keep_result(result("one"), LOOK, "r1")
    assert len(one.take_writes()) == 1


def test_an_entry_of_any_form_can_be_kept() -> None:
    live = WorkingMemory()
    one = keeper(live.copy(), live)
    one.keep_entry("ledger", "row 1", {"description": "  ", "value": 7, "priority": "high"})
    one.keep_entry("ledger", "row 2", "plain")
    one.keep_entry("ledger", "\u202e", ["odd"])
    descriptions = [write.data["description"] for write in one.take_writes()]
    assert descriptions == ["ledger:row 1", "row 2 of ledger", "of ledger"]


def test_a_result_cut_twice_keeps_its_full_text() -> None:
    context = sized(3_000, features=NOTES)
    context.add_user_message("go")
    context.add_assistant_response(
        [{"type": "message", "content": [{"type": "tool_use", "id": "c", "name": "look", "arguments": "{}"}]}]
    )
    context.add_tool_results([{"tool_use_id": "c", "content": words(9_000)}])
    context.prepare()
    context._assembler.window = type(context._assembler.window)(2_800, 0)
    context.prepare()
    assert list(note_values(context).values()) == [words(9_000)]


def test_pointers_are_known_again() -> None:
    assert is_pointer(pointer_text("look", 1_000, "raw.key", is_in_history=False))
    assert is_pointer(pointer_text("x" * 500, 1_000, None, is_in_history=True))
    assert is_pointer(pointer_text("a\nb", 1_000, None, is_in_history=False))
    assert not is_pointer("The result of look (1.0 KB) was moved out of the context.")
    assert not is_pointer(f"[The result of look was moved out of the context{'a' * 9_000}]")


def test_one_line_is_clipped_and_shows_nothing_that_cannot_be_seen() -> None:
    assert one_line("a\n\tb\u202e\x00c") == "a b c"
    assert one_line("x" * 200) == "x" * 149 + "…"


def test_what_is_more_than_text_is_kept_as_an_object() -> None:
    image: JSON = {"url": "https://example.org/a.png"}
    assert full_value(result("seen")) == "seen"
    assert full_value({**result("seen"), "error": "late"}) == {"content": "seen", "error": "late"}
    assert full_value({**result("seen"), "__images": [image]}) == {"content": "seen", "images": [image]}


def test_looking_for_a_note_again_does_not_make_the_preview_another_one() -> None:
    context = AgentContext.create(
        model="gpt-4.1",
        max_context_tokens=20_000,
        response_reserve=500,
        estimator=ApproximateTokenEstimator(),
        compaction_strategy=AlgorithmicStrategy(threshold=0.3),
    )
    # The first exchange moves into the notes, its line there is folded, and then its whole turn leaves.
    for number, calls in enumerate((5, 0, 2, 0, 5, 0, 2, 0)):
        context.add_user_message(f"{number} {words(250 if number % 2 == 0 else 40)}")
        if not calls:
            continue
        ids = [f"c{number}-{n}" for n in range(calls)]
        arguments = json.dumps({"u": "x" * 300})
        blocks = [{"type": "tool_use", "id": each, "name": "fetch", "arguments": arguments} for each in ids]
        context.add_assistant_response([{"type": "message", "role": "assistant", "content": blocks}])
        context.add_tool_results([{"tool_use_id": each, "content": f"{each} {words(570)}"} for each in ids])
    plan = context.preview_compaction()
    assert [operation for operation in plan.operations if isinstance(operation, PluginShrink)]
    assert context.apply_compaction(plan).after == plan.after
