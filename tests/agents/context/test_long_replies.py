import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import Agent, tool
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.connectors.wire import to_anthropic, to_chat
from agents.context import AgentContext
from agents.context.counting import count_item
from agents.context.errors import ContextOverflow
from agents.context.long_replies import SHOWN_CHARACTERS, shorten_replies
from agents.context.messages import Block, InputItem
from agents.context.tokens import ApproximateTokenEstimator
from tests.agents.context.cast import BARE, user
from tests.agents.loop.cast import StoppedTime

ESTIMATOR = ApproximateTokenEstimator()
LONG = "word " * 8_000
SMALL: dict[str, Any] = {"max_context_tokens": 8_192, "response_reserve": 1_024}


@tool
def write(path: str, text: str) -> str:
    """Write a file."""
    return f"wrote {len(text)} characters"


def said(*content: Any, item_id: str = "a") -> InputItem:
    return {"type": "message", "id": item_id, "role": "assistant", "content": list(content)}


def text(value: str) -> Any:
    return {"type": "output_text", "text": value}


def use(arguments: str) -> Any:
    return {"type": "tool_use", "id": "c1", "name": "write", "arguments": arguments}


def shortened(item: InputItem, excess: int = 1_000_000, key: str | None = None) -> Any:
    def keep(_: InputItem, block: Block) -> str | None:
        return key

    return shorten_replies([item], excess, ESTIMATOR, keep).get(0)


def agent_of(*replies: Any, **context: Any) -> Agent:
    connector = ScriptedConnector(*replies)
    options: dict[str, Any] = {"context": SMALL | context, "pace": StoppedTime().pace()}
    return Agent.create(model="gpt-4.1", tools=[write], connector=connector, **options)


def test_a_long_text_keeps_its_beginning_and_names_where_all_of_it_is() -> None:
    [block] = shortened(said(text(LONG)), key="raw.k")["content"]
    assert block["text"].startswith(LONG[:SHOWN_CHARACTERS])
    assert block["text"].endswith(
        "[Cut: 39.1 KB, of which the first 1.0 KB are shown. "
        'Read all of it with store_get("notes", "raw.k").]'
    )


def test_only_the_long_texts_within_arguments_are_cut() -> None:
    arguments = {"path": "a.txt", "parts": [LONG, "short", 3], "more": {"text": LONG}, "flag": None}
    [block] = shortened(said(use(json.dumps(arguments))))["content"]
    cut = json.loads(block["arguments"])
    assert (cut["path"], cut["parts"][1:], cut["flag"]) == ("a.txt", ["short", 3], None)
    for each in (cut["parts"][0], cut["more"]["text"]):
        assert each.startswith("word word")
        assert len(each) < SHOWN_CHARACTERS + 100


@pytest.mark.parametrize(
    "arguments", [json.dumps({"many": list(range(9_000))}), '{"path": "' + LONG, "[1]" * 2_000]
)
def test_other_arguments_become_an_object_with_their_beginning(arguments: str) -> None:
    [block] = shortened(said(use(arguments)))["content"]
    cut = json.loads(block["arguments"])
    assert list(cut) == ["cut"]
    assert cut["cut"].startswith(arguments[:SHOWN_CHARACTERS])


def test_the_largest_goes_first_and_no_more_than_has_to() -> None:
    item = said(text(LONG), text(LONG * 2), text("short"), {"type": "thinking", "thinking": LONG})
    first, second, *others = shortened(item, excess=100)["content"]
    assert first["text"] == LONG
    assert len(second["text"]) < len(LONG)
    assert others == item["content"][2:]  # type: ignore[typeddict-item]


def test_what_people_wrote_and_what_only_a_provider_reads_stay() -> None:
    opaque: Any = {"type": "compaction", "id": "o", "encrypted_content": "x" * 9_000}
    assert shorten_replies([user(LONG), opaque], 9_000, ESTIMATOR, lambda *_: None) == {}


@given(
    st.dictionaries(st.text(), st.one_of(st.text(), st.lists(st.integers())), max_size=4),
    st.integers(0, 9_000),
)
def test_shortened_arguments_are_an_object_and_never_longer(arguments: dict[str, Any], length: int) -> None:
    item = said(use(json.dumps(arguments | {"text": "é" * length})))
    after: Any = shortened(item) or item
    assert isinstance(json.loads(after["content"][0]["arguments"]), dict)
    assert count_item(after, ESTIMATOR) <= count_item(item, ESTIMATOR)


@pytest.mark.parametrize("features", [{}, BARE])
@pytest.mark.parametrize(
    "arguments",
    [
        json.dumps({"path": "a", "text": LONG}),
        json.dumps({"text": [1] * 20_000}),
        '{"path": "' + LONG,
        '{"path": "' + "\x01" * 20_000,
    ],
)
def test_a_turn_goes_on_after_a_call_that_leaves_no_room(features: Any, arguments: str) -> None:
    agent = agent_of(call(("c1", "write", arguments)), say("done"), say("well"), features=features)
    assert agent.run("write it").text == "done"
    prepared = agent.context.last_preparation
    assert prepared is not None
    recount = sum(count_item(item, agent.context.estimator) for item in prepared.input)
    assert prepared.budget.total_used == recount + prepared.budget.tools_tokens
    assert "Shortened an answer whose own words left no room" in prepared.compaction_log
    assert prepared.compacted
    assert to_chat(prepared.input)
    assert to_anthropic(prepared.input)
    assert agent.run("go on").text == "well"


def test_a_conversation_goes_on_after_an_answer_that_leaves_no_room() -> None:
    agent = agent_of(say(LONG), say("well"))
    agent.run("tell me all")
    assert agent.run("shorter, please").text == "well"
    prepared = agent.context.last_preparation
    assert prepared is not None
    answer = agent.context.get_conversation()[1]
    assert prepared.rewritten == (answer["id"],)
    [key] = [entry["key"] for entry in agent.context.memory.query(pattern="raw.answer.*")["entries"]]
    assert agent.context.memory.retrieve(key) == LONG
    assert key in str(answer)


def test_all_of_the_arguments_are_kept_in_the_notes() -> None:
    arguments = json.dumps({"path": "a.txt", "text": LONG})
    agent = agent_of(call(("c1", "write", arguments)), say("done"))
    agent.run("write it")
    [entry] = agent.context.memory.query(pattern="raw.arguments.*")["entries"]
    assert agent.context.memory.retrieve(entry["key"]) == arguments
    assert entry["description"].startswith("Arguments of write")


def test_a_person_who_wrote_too_much_is_still_told_so() -> None:
    context = AgentContext.create(model="gpt-4.1", features=BARE, **SMALL)
    for place in range(3):
        context.add_user_message(f"{place} " + "word " * 3_000)
        context.add_assistant_response("ok")
    context.add_user_message("and?")
    with pytest.raises(ContextOverflow, match="Roll the conversation over"):
        context.prepare()
