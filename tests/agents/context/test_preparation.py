from functools import partial
from typing import Any

import pytest

from agents.context import AgentContext, Tool
from agents.context.errors import ContextOverflow, InputTooLarge
from agents.context.messages import InputItem
from agents.context.oversize import OversizeResult
from agents.context.tokens import TiktokenEstimator
from tests.agents.context.cast import CountingEstimator, NotePad, Shelf, context_of, reply, texts_of


def heard(context: AgentContext, *events: str) -> list[tuple[str, Any]]:
    seen: list[tuple[str, Any]] = []
    for event in events:
        context.on(event, partial(_hear, seen, event))
    return seen


def _hear(seen: list[tuple[str, Any]], event: str, payload: Any) -> None:
    seen.append((event, payload))


def small(window: int = 1_000, **options: Any) -> AgentContext:
    return context_of(max_context_tokens=window, response_reserve=100, **options)


def test_the_prompt_is_system_message_history_and_input() -> None:
    context = context_of(system_prompt="You help.")
    context.add_user_message("one")
    context.add_assistant_response("two")
    context.add_user_message("three")
    prepared = context.prepare()
    assert [item["role"] for item in prepared.input if item["type"] == "message"] == [
        "developer",
        "user",
        "assistant",
        "user",
    ]
    assert texts_of(prepared.input)[1:] == ["one", "two", "three"]
    assert not prepared.compacted
    assert prepared.compaction_log == []
    assert prepared.rewritten == ()


def test_the_last_preparation_and_its_budget_are_remembered() -> None:
    context = context_of()
    assert context.last_preparation is None
    assert context.last_budget is None
    context.add_user_message("hi")
    prepared = context.prepare()
    assert context.last_preparation is prepared
    assert context.last_budget is prepared.budget


def test_preparing_twice_gives_the_same_prompt() -> None:
    context = context_of()
    context.add_user_message("hi")
    assert context.prepare() == context.prepare()


def test_with_tail_placement_what_changes_follows_the_newest_input() -> None:
    context = context_of(system_prompt="You help.", volatile_placement="tail")
    context.register_plugin(NotePad("changing"))
    context.add_user_message("hi")
    prepared = context.prepare()
    texts = texts_of(prepared.input)
    assert texts[0] == "# System Prompt\n\nYou help."
    assert texts[1] == "hi"
    assert texts[2].startswith("# Note Pad\n\nchanging")
    assert prepared.budget.total_used == sum(each.tokens for each in prepared.sections) + 8 + 5


def test_tools_are_sent_as_they_were_counted() -> None:
    context = context_of(tools=[Tool("look", print, "Look.", {"type": "object"})])
    context.add_user_message("hi")
    prepared = context.prepare()
    assert [each["name"] for each in prepared.tools] == ["look"]
    assert (
        prepared.budget.tools_tokens == context.tools_tokens == context.tools.count_tokens(context.estimator)
    )


def test_budget_events_tell_how_full_the_window_is() -> None:
    for length, expected in ((100, []), (2_400, ["budget:warning"]), (2_950, ["budget:critical"])):
        context = small()
        seen = heard(context, "budget:updated", "budget:warning", "budget:critical")
        context.add_user_message("x" * length)
        budget = context.prepare().budget
        assert [name for name, _ in seen] == ["budget:updated", *expected]
        assert seen[0][1] == {"budget": budget, "timestamp": context._clock()}
        assert all(payload["budget"] is budget for _, payload in seen)


def test_the_prepared_event_comes_last() -> None:
    context = context_of()
    seen = heard(context, "context:prepared", "budget:updated")
    context.add_user_message("hi")
    prepared = context.prepare()
    assert [name for name, _ in seen] == ["budget:updated", "context:prepared"]
    assert seen[1][1] == {"budget": prepared.budget, "compacted": False}


def test_thinking_is_forgotten_at_the_next_prompt() -> None:
    context = context_of()
    context.add_user_message("hi")
    thought = [
        {
            "type": "message",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}],
        }
    ]
    context.add_assistant_response(thought)
    assert context.last_thinking == "hm"
    context.prepare()
    assert context.last_thinking is None


def test_too_many_tools_are_named_as_the_reason() -> None:
    context = small(tools=[Tool("big", print, "x" * 4_000, {"type": "object"})])
    context.add_user_message("hi")
    with pytest.raises(ContextOverflow, match="too many tools") as caught:
        context.prepare()
    assert caught.value.content_max <= 0
    assert caught.value.budget.tools_tokens > 1_000
    assert str(caught.value).endswith(" Offer fewer tools, or allow a larger window.")


@pytest.mark.trap("W5.4")
@pytest.mark.parametrize("with_input", [True, False])
def test_a_system_message_that_does_not_fit_is_named_as_the_reason(with_input: bool) -> None:
    context = small(system_prompt="x" * 4_000)
    if with_input:
        context.add_user_message("hi")
    with pytest.raises(ContextOverflow, match="system message alone does not fit") as caught:
        context.prepare()
    assert not isinstance(caught.value, InputTooLarge)
    assert caught.value.budget.breakdown.system_prompt > 1_000
    assert str(caught.value).endswith(" Shorten the system message, or allow a larger window.")
    assert "-" not in str(caught.value).partition(":")[2].partition("tokens")[0]


@pytest.mark.trap("W5.6")
def test_a_prompt_known_not_to_fit_is_never_returned() -> None:
    context = small()
    seen = heard(context, "context:prepared")
    for _ in range(10):
        context.add_user_message("x" * 350)
        context.add_assistant_response("x" * 525)
    context.add_user_message("hi")
    with pytest.raises(ContextOverflow, match="conversation 878") as caught:
        context.prepare()
    assert caught.value.budget.conversation_tokens == 878
    assert caught.value.budget.content_used > caught.value.content_max
    assert seen == []
    assert context.last_preparation is None


def test_a_user_message_too_large_is_refused_with_both_numbers() -> None:
    context = small()
    seen = heard(context, "input:oversized")
    context.add_user_message("x" * 7_000)
    with pytest.raises(InputTooLarge, match=r"too large: 2004 tokens, and 8\d\d fit"):
        context.prepare()
    [(_, payload)] = seen
    assert isinstance(payload["result"], OversizeResult)
    assert not payload["result"].accepted
    assert texts_of(context.get_current_input()) == ["x" * 7_000]


def answered(context: AgentContext, content: str) -> str:
    context.add_user_message("look")
    context.add_assistant_response(reply("", {"call_1": "search"}))
    return context.add_tool_results([{"tool_use_id": "call_1", "content": content}])


def test_an_oversized_result_is_cut_and_the_cut_form_is_held() -> None:
    context = small()
    seen = heard(context, "input:oversized")
    item_id = answered(context, "word " * 3_000)
    prepared = context.prepare()
    assert prepared.rewritten == (item_id,)
    assert prepared.budget.available >= 0
    [(_, payload)] = seen
    assert payload["result"].accepted
    held: Any = context.get_current_input()[0]
    sent: Any = prepared.input[-1]
    assert held is sent
    assert "[Cut: 14.6 KB" in str(held)
    assert context.item_tokens(item_id) == prepared.budget.current_input_tokens
    assert context.prepare().rewritten == ()


def test_the_full_result_can_be_read_again_from_the_notes() -> None:
    context = context_of(features={}, max_context_tokens=4_000, response_reserve=100)
    answered(context, "word " * 8_000)
    held: Any = context.prepare().input[-1]
    key = held["content"][0]["content"].partition('store_get("notes", "')[2].partition('"')[0]
    assert key.startswith("raw.tool_result.search.call_1")
    assert context.memory.retrieve(key) == "word " * 8_000


def key_in(item: InputItem) -> str:
    assert item["type"] == "message"
    text = str(item["content"][0])
    return text.partition('store_get("notes", "')[2].partition('"')[0]


def test_results_of_a_reused_call_id_are_read_again_each_by_its_own_key() -> None:
    context = context_of(features={}, max_context_tokens=4_000, response_reserve=100)
    keys = []
    for letter in "ab":
        answered(context, f"{letter} word " * 8_000)
        keys.append(key_in(context.prepare().input[-1]))
        context.add_assistant_response("done")
    assert [context.memory.retrieve(key) for key in keys] == ["a word " * 8_000, "b word " * 8_000]


def test_a_result_that_ends_like_a_cut_one_is_kept_even_after_a_restore() -> None:
    text = "word " * 8_000 + "\n\n[Cut: anything]"
    context = context_of(features={}, max_context_tokens=4_000, response_reserve=100)
    answered(context, text)
    restored = context_of(features={}, max_context_tokens=4_000, response_reserve=100)
    restored.restore_state(context.get_state())
    key = key_in(restored.prepare().input[-1])
    assert restored.memory.retrieve(key) == text
    smaller = context_of(features={}, max_context_tokens=3_000, response_reserve=100)
    smaller.restore_state(restored.get_state())
    assert key_in(smaller.prepare().input[-1]) == key
    assert smaller.memory.count == 1


@pytest.mark.trap("W5.20")
def test_the_budget_is_that_of_the_repaired_prompt() -> None:
    context = context_of()
    context.add_user_message("look")
    context.add_assistant_response(reply("I look", {"lost": "search"}))
    context.add_user_message("never mind")
    prepared = context.prepare()
    assert "tool_use" not in str(prepared.input)
    used = 4 + 2 + 4 + 2
    assert prepared.budget.conversation_tokens == used
    assert context.get_conversation_length() == 2
    assert "tool_use" in str(context.get_conversation())


def test_a_repaired_item_is_counted_once_while_it_stays_the_same() -> None:
    estimator = CountingEstimator()
    context = context_of(estimator=estimator)
    context.add_user_message("look")
    context.add_assistant_response(reply("I look", {"lost": "search"}))
    context.add_user_message("never mind")
    first = context.prepare()
    estimator.texts.clear()
    assert context.prepare() == first
    assert estimator.texts == []


def test_a_second_prompt_counts_only_what_is_new() -> None:
    estimator = CountingEstimator()
    context = context_of(estimator=estimator, system_prompt="You help.")
    for number in range(50):
        context.add_user_message(f"question {number}")
        context.add_assistant_response(f"answer {number}")
    context.prepare()
    estimator.texts.clear()
    context.add_user_message("the newest")
    context.prepare()
    assert estimator.texts == ["the newest"]


def test_a_conversation_loaded_with_counts_is_not_counted_at_all() -> None:
    estimator = CountingEstimator()
    source = context_of()
    for number in range(20):
        source.add_user_message(f"question {number}")
        source.add_assistant_response(f"answer {number}")
    context = context_of(estimator=estimator)
    context.load_conversation([(item, source.item_tokens(item["id"])) for item in source.get_conversation()])
    assert not any("question" in text for text in estimator.texts)
    assert context.prepare().budget.conversation_tokens == source.prepare().budget.conversation_tokens
    assert not any("question" in text for text in estimator.texts)


def test_the_total_is_an_exact_recount_of_what_is_sent() -> None:
    exact = TiktokenEstimator("gpt-4.1")
    context = context_of(estimator=exact, features={}, system_prompt="You help. — déjà vu")
    context.get_plugin("in_context_memory").set("state", "Ünïcödé", {"步骤": [1, 2, None], "ok": True})
    answered(context, '{"漢字": "result"}')
    prepared = context.prepare()
    total = 20
    for item in prepared.input:
        assert item["type"] == "message"
        total += 4
        for block in item["content"]:
            match block["type"]:
                case "input_text":
                    total += exact.estimate_tokens(block["text"])
                case "tool_use":
                    total += exact.estimate_tokens(block["name"]) + exact.estimate_tokens(block["arguments"])
                case "tool_result":
                    total += exact.estimate_tokens(block["content"])
    for each in prepared.tools:
        texts = (each["name"], each["description"])
        total += sum(map(exact.estimate_tokens, texts)) + exact.estimate_data_tokens(each["parameters"]) + 10
    assert prepared.budget.total_used == total


def test_a_cut_leaves_the_history_its_place() -> None:
    context = small()
    context.add_user_message("x" * 700)
    context.add_assistant_response("x" * 700)
    answered(context, "word " * 3_000)
    budget = context.prepare().budget
    assert budget.conversation_tokens > 400
    assert budget.available >= 0


def test_a_history_that_takes_most_leaves_the_input_what_is_left() -> None:
    context = small()
    context.add_user_message("x" * 2_500)
    context.add_assistant_response("x" * 350)
    answered(context, "word " * 3_000)
    seen = heard(context, "input:oversized")
    prepared = context.prepare()
    assert prepared.budget.available >= 0
    assert prepared.budget.conversation_tokens > 700
    assert len(seen) == 2
    assert prepared.rewritten == (context.get_current_input()[-1]["id"],)


def test_notes_that_grow_with_every_cut_do_not_hold_up_the_prompt() -> None:
    class Growing(Shelf):
        name = "growing"

        def get_content(self) -> str:
            return "x" * 3_500 * len(self.entries)

    context = small(3_000)
    context.register_plugin(Growing("notes"))
    answered(context, "word " * 9_000)
    prepared = context.prepare()
    assert prepared.budget.breakdown.plugin_contents["growing"] > 1_000
    assert prepared.budget.available >= 0


def test_a_system_message_that_grows_faster_than_the_cuts_ends_in_an_overflow() -> None:
    class Swelling(NotePad):
        def get_content(self) -> str:
            self.text = f"{self.text}{'x' * 1_000}"
            return self.text

    context = small(3_000)
    context.register_plugin(Swelling(""))
    seen = heard(context, "input:oversized")
    answered(context, "word " * 9_000)
    with pytest.raises(ContextOverflow, match="The prompt does not fit"):
        context.prepare()
    assert len(seen) >= 1


def test_with_nothing_stable_to_say_the_prompt_begins_with_the_history() -> None:
    context = context_of(volatile_placement="tail")
    context.add_user_message("hi")
    assert texts_of(context.prepare().input)[0] == "hi"
