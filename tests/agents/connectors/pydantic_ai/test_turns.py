"""Whole turns against the wire formats of real providers: the loop, real tools, a real context."""

import json
from typing import Any

import pytest

from agents import AgentContext, tool
from agents.connectors.pydantic_ai import ProviderConnector
from agents.connectors.wire import from_anthropic, from_chat, from_responses
from agents.loop.events import TurnFinished
from agents.loop.turn import Loop
from tests.agents.connectors.pydantic_ai.cast import ACCESSES, MODELS, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.agents.connectors.wire_cast import TOOLS
from tests.providers.answers import Answer, Call
from tests.providers.server import FakeProvider

LOOK = Answer(
    text=("I look ", "at both."),
    calls=(
        Call("call_1", "weather", ('{"ci', 'ty":"Zür', 'ich"}')),
        Call("call_2", "weather", ('{"city":', '"Oslo"}')),
        Call("call_3", "broken", ("{", "}")),
    ),
)
NOTE = Answer(
    calls=(
        Call(
            "call_4",
            "store_set",
            (
                '{"store":"whiteboard","key":"weather",',
                '"description":"What we know",',
                '"value":{"Zürich":"rain"}}',
            ),
        ),
    )
)
END = Answer(text=("Rain in Zürich, ", "snow in Oslo."))


@tool
def weather(city: str) -> str:
    """Tell the weather of a city."""
    return {"Zürich": "rain", "Oslo": "snow"}[city]


@tool
def broken() -> str:
    """Fail."""
    raise ValueError("out of order")


def run(connector: ProviderConnector, name: str) -> tuple[AgentContext, str]:
    context = AgentContext.create(
        model=MODELS[name],
        max_context_tokens=100_000,
        system_prompt="You know the weather.",
        tools=[weather, broken],
        features={"in_context_memory": True},
    )
    context.add_user_message("Where does it rain?")
    loop = Loop(context=context, connector=connector, model=MODELS[name])
    (finished,) = [event for event in loop.run() if isinstance(event, TurnFinished)]
    return context, finished.text


def results_of(items: list[Any]) -> list[str]:
    return [
        block["content"]
        for item in items
        if item["type"] == "message"
        for block in item["content"]
        if block["type"] == "tool_result"
    ]


@pytest.mark.parametrize("name", ACCESSES)
def test_a_turn_with_parallel_calls_reaches_its_answer(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(LOOK, NOTE, END)
    context, text = run(connect(name), name)
    assert text == "Rain in Zürich, snow in Oslo."
    assert len(provider.requests) == 3
    found = results_of(list(context.get_conversation()))
    assert found[:2] == ["rain", "snow"]
    assert "out of order" in found[2]
    assert json.loads(found[3])["success"] is True
    board = context.get_plugin("in_context_memory")
    assert board is not None
    assert board.get("weather") == {"Zürich": "rain"}


def test_results_reach_openai_chat_behind_their_calls(provider: FakeProvider, connect: Connect) -> None:
    provider.script(LOOK, NOTE, END)
    run(connect("openai"), "openai")
    messages = provider.requests[1].body["messages"]
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "tool",
    ]
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["call_1", "call_2", "call_3"]
    assert [message["tool_call_id"] for message in messages[3:]] == ["call_1", "call_2", "call_3"]
    assert messages[5]["content"].startswith("Error: ")
    assert from_chat(messages)
    assert provider.requests[1].body["tool_choice"] == "auto"


def test_results_reach_openai_responses_behind_their_calls(provider: FakeProvider, connect: Connect) -> None:
    provider.script(LOOK, NOTE, END)
    run(connect("openai-responses"), "openai-responses")
    body = provider.requests[1].body
    kinds = [part.get("type") or part["role"] for part in body["input"]]
    assert kinds == [
        "system",
        "user",
        "assistant",
        *["function_call"] * 3,
        *["function_call_output"] * 3,
    ]
    assert body["store"] is False
    assert all(tool["strict"] is False for tool in body["tools"])
    assert from_responses(body["input"])


def test_results_reach_anthropic_in_one_message(provider: FakeProvider, connect: Connect) -> None:
    provider.script(LOOK, NOTE, END)
    run(connect("anthropic"), "anthropic")
    body = provider.requests[1].body
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    results = body["messages"][2]["content"]
    assert [block["tool_use_id"] for block in results] == ["call_1", "call_2", "call_3"]
    assert [block["is_error"] for block in results] == [False, False, True]
    assert body["messages"][1]["content"][1]["input"] == {"city": "Zürich"}
    assert "You know the weather." in body["system"]
    assert from_anthropic(body["messages"])


def test_results_reach_google_with_the_names_of_their_tools(provider: FakeProvider, connect: Connect) -> None:
    provider.script(LOOK, NOTE, END)
    run(connect("google"), "google")
    contents = provider.requests[1].body["contents"]
    assert [each["role"] for each in contents] == ["user", "model", "user"]
    results = [part["functionResponse"] for part in contents[2]["parts"]]
    assert [result["name"] for result in results] == ["weather", "weather", "broken"]
    assert "out of order" in results[2]["response"]["error"]


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("openai", "none"),
        ("openai-responses", "none"),
        ("anthropic", {"type": "none"}),
    ],
)
def test_a_request_without_calls_keeps_its_tools(
    provider: FakeProvider, connect: Connect, name: str, choice: object
) -> None:
    provider.script(Answer(("Noon.",)))
    list(connect(name).stream(request_for(name, may_call_tools=False)))
    body = provider.requests[0].body
    assert body["tool_choice"] == choice
    assert len(body["tools"]) == len(TOOLS)
