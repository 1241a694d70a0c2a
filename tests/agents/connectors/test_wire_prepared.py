"""What a context prepares is what providers accept: the recordings and a hard conversation, all formats."""

from collections.abc import Sequence
from typing import Any, Literal, cast

import pytest

from agents.connectors.wire import from_chat, to_anthropic, to_chat, to_responses
from agents.context import AgentContext
from agents.context.messages import InputItem
from tests.agents.connectors.strict_wire_types import check_anthropic, check_chat, check_responses
from tests.agents.connectors.test_wire_recorded import FILES, recorded
from tests.agents.connectors.wire_cast import FULL, PNG, call, contents, message, result, user


def prepared(items: Sequence[InputItem], placement: Literal["mission", "tail"] = "mission") -> dict[str, Any]:
    """Return input and tool definitions of a context that holds these items and a note of its own."""
    context = AgentContext.create(model="gpt-4.1", system_prompt="Be brief.", volatile_placement=placement)
    memory = cast("Any", context.memory)
    memory.store("topic", "What was found", {"a": 1})
    numbered = [cast("InputItem", {**item, "id": f"i{place}"}) for place, item in enumerate(items)]
    history = [item for item in numbered if item.get("role") != "developer"]
    context.load_conversation([(item, None) for item in history[:-1]], [(history[-1], None)])
    preparation = context.prepare()
    assert contents(preparation.input)[0][0] == "developer"
    return {"items": preparation.input, "tools": context.tools.definitions()}


def check_all(items: Sequence[InputItem], tools: Sequence[dict[str, Any]]) -> None:
    check_chat(to_chat(items, tools))
    check_responses(to_responses(items, tools))
    check_anthropic(to_anthropic(items, tools))


def hard_conversation() -> list[InputItem]:
    picture = {"base64": PNG, "mediaType": "image/png"}
    calls = [call(f"c{number}", "search", '{"query":"x"}') for number in range(5)]
    results = [result(f"c{number}", "x" * 100_000, __images=[picture]) for number in range(5)]
    return [
        *FULL,
        message("assistant", *calls),
        message("user", *results[:2]),
        message("user", *results[2:4]),
        message("assistant", call("lost")),
        user("Go on."),
    ]


@pytest.mark.skipif(not FILES, reason="the recorded conversations are not beside the repository")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_recording_is_accepted_after_preparation(path: Any) -> None:
    check_all(**prepared(from_chat(recorded(path))))


@pytest.mark.parametrize("placement", ["mission", "tail"])
def test_parallel_calls_images_and_large_results_are_accepted(placement: Literal["mission", "tail"]) -> None:
    check_all(**prepared(hard_conversation(), placement))


def test_a_note_at_the_tail_leaves_the_system_text_unchanged() -> None:
    body = to_anthropic(prepared(FULL, "tail")["items"])
    assert "What was found" not in str(body["system"])
    assert "What was found" in body["messages"][-1]["content"][-1]["text"]


def test_every_call_of_the_prepared_input_is_answered_in_place() -> None:
    messages = to_chat(prepared(hard_conversation())["items"])["messages"]
    open_ids: list[str] = []
    for each in messages:
        if each["role"] == "tool":
            open_ids.remove(each["tool_call_id"])
        else:
            assert open_ids == []
            open_ids = [made["id"] for made in each.get("tool_calls", [])]
    assert open_ids == []
