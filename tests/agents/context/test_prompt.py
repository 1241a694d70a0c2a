from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.context import json_values, tool
from agents.context.prompt import (
    SEPARATOR,
    PluginText,
    Prompt,
    PromptBuilder,
    date_line,
    resolve_variables,
)
from agents.context.tokens import TiktokenEstimator
from tests.agents.context.cast import START_MS, CountingEstimator, NotePad, context_of, say
from tests.fuzz.compaction import MemoryStorage

DATE = "Current date and time: Friday, January 30, 2026 at 6:40 PM UTC"


def plugin(name: str, content: str | None = None, instructions: str | None = None) -> PluginText:
    return PluginText(name, name.replace("_", " ").title(), instructions, content)


def built(*plugins: PluginText, builder: PromptBuilder | None = None, **more: Any) -> Prompt:
    given: dict[str, Any] = {"system_prompt": None, "overview": "", "now_ms": START_MS}
    ready = builder or PromptBuilder(CountingEstimator(), "mission")
    return ready.build(plugins=plugins, **(given | more))


def text_of(prompt: Prompt) -> str:
    assert prompt.system is not None
    [block] = prompt.system.item["content"]
    assert block["type"] == "input_text"
    return block["text"]


def test_sections_come_in_the_missions_order() -> None:
    prompt = built(
        plugin("other", "other content"),
        plugin("working_memory", "index", "how to note"),
        plugin("persistent_instructions", "be kind", "how to instruct"),
        plugin("in_context_memory", "board"),
        system_prompt="You help.",
        overview="stores",
    )
    assert text_of(prompt).split(SEPARATOR) == [
        "# System Prompt\n\nYou help.",
        "# Persistent Instructions\n\nbe kind",
        "# Plugin Instructions\n\n## Data Stores\n\nstores\n\n## Working Memory\n\nhow to note\n\n"
        "## Persistent Instructions\n\nhow to instruct",
        "# In Context Memory\n\nboard",
        "# Working Memory\n\nindex",
        "# Other\n\nother content",
        DATE,
    ]
    assert prompt.tail is None


def test_the_system_message_is_one_developer_message_of_one_block() -> None:
    prompt = built(system_prompt="x")
    assert prompt.system is not None
    assert prompt.system.item["role"] == "developer"
    assert len(prompt.system.item["content"]) == 1


def test_empty_parts_are_left_out() -> None:
    assert text_of(built(plugin("silent"), plugin("empty", "", ""), system_prompt="")) == DATE


@pytest.mark.trap("W5.21")
def test_the_breakdown_adds_up_to_the_message() -> None:
    prompt = built(
        plugin("persistent_instructions", "be kind"),
        plugin("in_context_memory", "board", "how"),
        system_prompt="You help.",
    )
    parts = prompt.breakdown(tools=1, conversation=2, current_input=3)
    assert prompt.system is not None
    assert parts.system_message == prompt.system.tokens
    assert parts.total == prompt.system.tokens + 6
    assert parts.plugin_contents == {"in_context_memory": prompt.sections[3].tokens}
    assert parts.persistent_instructions == prompt.sections[1].tokens
    assert parts.plugin_instructions == prompt.sections[2].tokens
    assert parts.system_prompt == prompt.sections[0].tokens + prompt.sections[4].tokens + 4


@pytest.mark.trap("W1.17")
@pytest.mark.trap("W5.23")
def test_with_tail_placement_the_first_message_survives_a_write_and_a_new_turn() -> None:
    builder = PromptBuilder(CountingEstimator(), "tail")
    before = built(plugin("in_context_memory", "old", "how"), builder=builder, system_prompt="s")
    after = built(
        plugin("in_context_memory", "new", "how"),
        builder=builder,
        system_prompt="s",
        now_ms=START_MS + 60_000,
    )
    assert before.system == after.system
    assert before.tail is not None
    assert after.tail is not None
    [block] = after.tail.item["content"]
    assert block["type"] == "input_text"
    assert block["text"].startswith(f"# In Context Memory\n\nnew{SEPARATOR}Current date")
    assert before.tail.item != after.tail.item


def test_with_tail_placement_both_messages_are_counted() -> None:
    prompt = built(
        plugin("in_context_memory", "board", "how"), builder=PromptBuilder(CountingEstimator(), "tail")
    )
    assert prompt.system is not None
    assert prompt.tail is not None
    parts = prompt.breakdown(tools=0, conversation=0, current_input=0)
    assert parts.total == prompt.system.tokens + prompt.tail.tokens


def test_with_tail_placement_nothing_stable_is_no_system_message() -> None:
    prompt = built(plugin("in_context_memory", "board"), builder=PromptBuilder(CountingEstimator(), "tail"))
    assert prompt.system is None
    assert prompt.tail is not None


def test_only_a_changed_section_is_counted_again() -> None:
    estimator = CountingEstimator()
    builder = PromptBuilder(estimator, "mission")
    built(plugin("a", "one"), plugin("b", "two"), builder=builder, system_prompt="s")
    estimator.texts.clear()
    built(plugin("a", "one"), plugin("b", "three"), builder=builder, system_prompt="s")
    assert estimator.texts == [f"# B\n\nthree{SEPARATOR}"]


LINES = st.text(st.sampled_from("ab1 -/#*`\n\t.é漢—…'"), max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, max_size=4), LINES, st.sampled_from(["mission", "tail"]))
def test_the_counts_of_the_sections_add_up_to_the_exact_count_of_the_whole_text(
    contents: list[str], prompt_text: str, placement: Any
) -> None:
    estimator = TiktokenEstimator("gpt-4.1")
    prompt = built(
        *(plugin(f"p{n}", content) for n, content in enumerate(contents)),
        builder=PromptBuilder(estimator, placement),
        system_prompt=prompt_text,
    )
    for message in prompt.messages:
        [block] = message.item["content"]
        assert block["type"] == "input_text"
        assert message.tokens == 4 + estimator.estimate_tokens(block["text"])


@pytest.mark.parametrize(
    ("now_ms", "line"),
    [
        (START_MS, DATE),
        (0, "Current date and time: Thursday, January 1, 1970 at 12:00 AM UTC"),
        (12 * 3_600_000, "Current date and time: Thursday, January 1, 1970 at 12:00 PM UTC"),
        (1_796_000_000_000, "Current date and time: Monday, November 30, 2026 at 12:53 AM UTC"),
    ],
)
def test_the_date_line_is_english_whatever_the_locale(now_ms: int, line: str) -> None:
    assert date_line(now_ms) == line


def test_known_variables_are_replaced_and_others_stay() -> None:
    text = "I am {{AGENT_ID}}, not {{NOBODY}} or {{ AGENT_ID }}."
    assert resolve_variables(text, {"AGENT_ID": "a1"}) == "I am a1, not {{NOBODY}} or {{ AGENT_ID }}."


BROKEN = "a\x00b\ud800c"
MENDED = "a\ufffdb\ufffdc"


def test_what_no_text_may_hold_is_replaced_wherever_a_host_writes_it() -> None:
    context = context_of(system_prompt=f"prompt {BROKEN}", storage=MemoryStorage())
    context.register_plugin(NotePad(f"content {BROKEN}", f"instructions {BROKEN}"))
    context.tools.register(tool(name="look", description=f"description {BROKEN}")(say))
    context.add_user_message("hi")
    prepared = context.prepare()
    text = str(prepared.input[0]["content"][0]["text"])  # type: ignore[typeddict-item]
    for said in (f"prompt {MENDED}", f"content {MENDED}", f"instructions {MENDED}"):
        assert said in text
    assert prepared.tools[0]["description"] == f"description {MENDED}"
    json_values.encode(prepared.input)


def test_a_system_prompt_is_saved_as_it_is_sent() -> None:
    context = context_of(system_prompt=BROKEN, storage=MemoryStorage())
    assert context.system_prompt == MENDED
    context.system_prompt = f"new {BROKEN}"
    context.save("s")
    json_values.encode(context.get_state())
    assert context.get_state()["systemPrompt"] == f"new {MENDED}"
    context.system_prompt = None
    assert "systemPrompt" not in context.get_state()
