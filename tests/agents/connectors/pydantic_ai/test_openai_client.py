"""Bodies leave as OpenAI's own client sends them, and are not looked through on the way."""

import asyncio
import json
import sys
from typing import Any

import httpx2
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from agents.connectors.pydantic_ai.openai_client import PlainOpenAI

TOOL = {"name": "look", "description": "Looks", "parameters": {"type": "object", "properties": {}}}
CHAT = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "seen"},
    ],
    "tools": [{"type": "function", "function": TOOL}],
    "temperature": 0.5,
}
RESPONSES = {
    "model": "m",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
        {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "seen"},
    ],
    "tools": [{"type": "function", **TOOL}],
    "store": False,
}
COMPLETION = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}
RESPONSE = {"id": "1", "object": "response", "created_at": 0, "model": "m", "output": []}


class Sent:
    """What a client sent, and the client."""

    def __init__(self, kind: type[AsyncOpenAI]) -> None:
        self.bodies: list[bytes] = []
        transport = httpx2.MockTransport(self._answer)
        self.client = kind(
            api_key="k", base_url="http://local", http_client=httpx2.AsyncClient(transport=transport)
        )

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.bodies.append(request.content)
        return httpx2.Response(200, json=COMPLETION if request.url.path.endswith("completions") else RESPONSE)

    def chat(self, **params: Any) -> ChatCompletion:
        answer: ChatCompletion = asyncio.run(self.client.chat.completions.create(**params))
        return answer

    def respond(self, **params: Any) -> Response:
        answer: Response = asyncio.run(self.client.responses.create(**params))
        return answer


def python_calls(kind: type[AsyncOpenAI], messages: int) -> int:
    """Return how many functions are called to send so many messages."""
    sent = Sent(kind)
    sent.chat(**CHAT)
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        sent.chat(model="m", messages=[{"role": "user", "content": "Hello"}] * messages)
    finally:
        sys.setprofile(None)
    return calls


def test_the_bytes_are_those_of_the_official_client() -> None:
    plain, official = Sent(PlainOpenAI), Sent(AsyncOpenAI)
    for sent in (plain, official):
        sent.chat(**CHAT)
        sent.respond(**RESPONSES)
    assert plain.bodies == official.bodies
    assert json.loads(plain.bodies[0]) == CHAT
    assert json.loads(plain.bodies[1]) == RESPONSES


def test_answers_have_the_types_of_the_official_client() -> None:
    sent = Sent(PlainOpenAI)
    assert isinstance(sent.chat(**CHAT), ChatCompletion)
    assert isinstance(sent.respond(**RESPONSES), Response)


def test_messages_cost_the_event_loop_nothing_one_by_one() -> None:
    def each(kind: type[AsyncOpenAI]) -> float:
        return (python_calls(kind, messages=101) - python_calls(kind, messages=1)) / 100

    assert each(PlainOpenAI) < 1
    assert each(AsyncOpenAI) > 20


def test_what_the_caller_adds_to_the_body_is_sent_and_wins() -> None:
    sent = Sent(PlainOpenAI)
    sent.chat(**CHAT, extra_body={"top_k": 4, "tools": []})
    assert json.loads(sent.bodies[0]) == {**CHAT, "top_k": 4, "tools": []}
    assert "tools" in CHAT
