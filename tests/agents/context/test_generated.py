"""Generated conversations with parallel calls, images and large results, counted again from scratch."""

import json
import random
from typing import Any

import pytest

from agents.context import AgentContext, FileContextStorage, Preparation
from agents.context.pairing import is_sound, piece_of
from agents.context.tokens import TiktokenEstimator
from agents.context.vocabulary_files import load_encoding
from tests.agents.context.cast import StoppedClock, reply, user
from tests.agents.context.test_image_size import encoded, png

WORDS = (
    *("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "und", "läuft", "über", "Straßen"),
    *("漢字", "🙂", "{}", "[]", "1234", "0.5", "/", "\\", "\n"),
)
IMAGE = f"data:image/png;base64,{encoded(png(512, 512))}"
ENCODING = load_encoding("o200k_base")


def text_of(chance: random.Random, characters: int) -> str:
    words: list[str] = []
    while characters > 0:
        words.append(chance.choice(WORDS))
        characters -= len(words[-1]) + 1
    return " ".join(words)


def converse(context: AgentContext, seed: int, turns: int) -> None:
    """Let a person, a model and its tools talk, as fixed by the seed."""
    chance = random.Random(seed)
    for turn in range(turns):
        blocks: list[dict[str, Any]] = [{"type": "input_text", "text": text_of(chance, 200)}]
        if chance.random() < 0.3:
            blocks.append({"type": "input_image_url", "image_url": {"url": IMAGE}})
        context.add_user_message(blocks)
        calls = {f"call_{seed}_{turn}_{n}": "look" for n in range(chance.randint(0, 3))}
        if calls:
            context.add_assistant_response(reply(text_of(chance, 50), calls))
            large = chance.random() < 0.2
            for use_id in calls:
                outcome: Any = {"tool_use_id": use_id, "content": text_of(chance, 100_000 if large else 300)}
                if chance.random() < 0.2:
                    outcome |= {"error": "partly failed", "state": "failed"}
                context.add_tool_results([outcome])
        context.add_assistant_response(reply(text_of(chance, 300)))
    context.add_user_message("And now?")


def recount(prepared: Preparation) -> int:
    """Return the tokens of the prompt, encoded anew text by text and by the rules of the specification."""

    def tokens(text: str) -> int:
        return len(ENCODING.encode_ordinary(text))

    total = 20 if prepared.tools else 0
    for each in prepared.tools:
        schema = json.dumps(each["parameters"], ensure_ascii=False, separators=(",", ":"))
        total += 10 + tokens(each["name"]) + tokens(each["description"]) + tokens(schema)
    for item in prepared.input:
        assert item["type"] == "message"
        total += 4
        for block in item["content"]:
            fields: Any = block
            texts = ("text", "name", "arguments", "content", "error")
            is_image = block["type"] == "input_image_url"
            total += 85 + 170 if is_image else sum(tokens(fields[each]) for each in texts if each in fields)
    return total


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("placement", ["mission", "tail"])
def test_the_total_equals_a_fresh_recount_and_all_pairs_are_whole(seed: int, placement: Any) -> None:
    context = AgentContext.create(model="gpt-4.1", system_prompt="You help.", volatile_placement=placement)
    context.get_plugin("in_context_memory").set("state", "Ünïcödé", {"步骤": [seed, None, True]})
    converse(context, seed, 6)
    prepared = context.prepare()
    assert prepared.budget.total_used == recount(prepared)
    messages = [item for item in prepared.input if item["type"] == "message" and item["role"] != "developer"]
    assert is_sound([piece_of(item) for item in messages])
    parts = prepared.budget.breakdown
    assert parts.total == prepared.budget.total_used
    assert set(parts.plugin_contents) == {"in_context_memory"}


@pytest.mark.parametrize("seed", range(3))
def test_a_generated_session_survives_saving_and_loading(seed: int, tmp_path: Any) -> None:
    storage = FileContextStorage(agent_id="a", root=tmp_path, clock=StoppedClock())
    context = AgentContext.create(model="gpt-4.1", storage=storage, clock=StoppedClock())
    converse(context, seed, 4)
    context.save("s")
    other = AgentContext.create(model="gpt-4.1", storage=storage, clock=StoppedClock())
    assert other.load("s")
    assert other.get_conversation() == context.get_conversation()
    assert other.prepare().budget == context.prepare().budget
    assert other.journal is not None
    assert [each["item"] for each in other.journal.read("s")] == [
        *context.get_conversation(),
        *context.get_current_input(),
    ]


def test_a_result_of_100_kilobytes_in_a_small_window_is_cut_exactly_into_the_room() -> None:
    context = AgentContext.create(model="gpt-4.1", max_context_tokens=8_000, response_reserve=1_000)
    chance = random.Random(11)
    context.add_user_message("look")
    context.add_assistant_response(reply("", {"a": "look", "b": "look"}))
    context.add_tool_results(
        [{"tool_use_id": each, "content": text_of(chance, 100_000)} for each in ("a", "b")]
    )
    prepared = context.prepare()
    assert prepared.budget.total_used == recount(prepared) <= 7_000
    assert prepared.budget.available < 2_500
    assert len(context.memory.get_state()["entries"]) == 2


def test_the_stored_counts_of_a_long_conversation_give_the_same_budget() -> None:
    context = AgentContext.create(model="gpt-4.1")
    converse(context, 5, 5)
    expected = context.prepare().budget
    counted = [(item, context.item_tokens(item["id"])) for item in context.get_conversation()]
    waiting = [(item, context.item_tokens(item["id"])) for item in context.get_current_input()]
    other = AgentContext.create(model="gpt-4.1")
    other.load_conversation(counted, waiting)
    assert other.prepare().budget == expected


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-4", "anthropic:claude-sonnet-4-5", "scripted:demo"])
def test_every_model_counts_with_an_encoding(model: str) -> None:
    estimator = TiktokenEstimator(model)
    context = AgentContext.create(model=model, max_context_tokens=50_000, estimator=estimator)
    context.load_conversation([(user("Grüße"), None)])
    assert context.item_tokens("u") == 4 + estimator.estimate_tokens("Grüße")
