"""Encrypted thinking goes back unchanged to who made it, and to nobody else."""

import logging
from typing import Any

import pytest

from agents import AgentContext
from agents.connectors.base import ProviderMismatch, TextDelta, ThinkingDelta
from agents.connectors.pydantic_ai import ProviderConnector
from agents.context.messages import InputItem
from tests.agents.connectors.pydantic_ai.cast import MODELS, done, only, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.agents.connectors.wire_cast import call, message, result, user
from tests.providers.answers import Answer, Call
from tests.providers.server import FakeProvider

THOUGHT = Answer(
    thinking=("First this.", "Then that."),
    signature="EqQBCkgIBxABGAI/+=signed",
    text=("I look.",),
    calls=(Call("call_1", "now"),),
)
END = Answer(("Noon.",))


def second_body(provider: FakeProvider, connector: ProviderConnector, name: str, first: Answer) -> Any:
    """Return the request after an answer, a result, and all of it kept by a context."""
    provider.script(first, END)
    context = AgentContext.create(model=MODELS[name], max_context_tokens=100_000)
    context.add_user_message("What time is it?")
    reply = done(connector.stream(request_for(name, *context.prepare().input)))
    context.add_assistant_response(reply.output)
    uses = [block for item in reply.output for block in item["content"] if block["type"] == "tool_use"]
    context.add_tool_results([{"tool_use_id": use["id"], "content": "12:00"} for use in uses])
    list(connector.stream(request_for(name, *context.prepare().input)))
    return provider.requests[1].body


def test_anthropic_gets_its_thinking_back_in_place(provider: FakeProvider, connect: Connect) -> None:
    body = second_body(provider, connect("anthropic"), "anthropic", THOUGHT)
    kept = next(each for each in body["messages"] if each["role"] == "assistant")
    assert [block["type"] for block in kept["content"]] == ["thinking", "text", "tool_use"]
    assert kept["content"][0] == {
        "type": "thinking",
        "thinking": "First this.Then that.",
        "signature": THOUGHT.signature,
    }


def test_anthropic_gets_redacted_thinking_back(provider: FakeProvider, connect: Connect) -> None:
    redacted = Answer(signature="redacted-data", calls=(Call("call_1", "now"),))
    body = second_body(provider, connect("anthropic"), "anthropic", redacted)
    kept = next(each for each in body["messages"] if each["role"] == "assistant")
    assert kept["content"][0] == {"type": "redacted_thinking", "data": "redacted-data"}


def test_openai_gets_its_reasoning_back_in_place(provider: FakeProvider, connect: Connect) -> None:
    body = second_body(provider, connect("openai-responses"), "openai-responses", THOUGHT)
    kinds = [part.get("type") or part["role"] for part in body["input"]]
    reasoning = body["input"][kinds.index("reasoning")]
    assert reasoning["encrypted_content"] == THOUGHT.signature
    assert reasoning["id"] == "rs_1"
    assert [each["text"] for each in reasoning["summary"]] == ["First this.\n\nThen that."]
    assert kinds[-3:] == ["assistant", "function_call", "function_call_output"]
    assert "reasoning.encrypted_content" in body["include"]


def test_google_gets_the_signature_back_on_its_call(provider: FakeProvider, connect: Connect) -> None:
    body = second_body(provider, connect("google"), "google", THOUGHT)
    (kept,) = (each for each in body["contents"] if each["role"] == "model")
    (signed,) = (part for part in kept["parts"] if "functionCall" in part)
    assert (
        signed["thoughtSignature"].replace("-", "+").replace("_", "/") == "RXFRQkNrZ0lCeEFCR0FJLys9c2lnbmVk"
    )


def test_a_kept_thought_of_google_goes_back_with_its_signature(
    provider: FakeProvider, connect: Connect
) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "AAAA", "provider": "google"}
    provider.script(END)
    items = [user("Hi"), message("assistant", thought, {"type": "output_text", "text": "Yes"}), user("So?")]
    list(connect("google").stream(request_for("google", *items)))
    parts = provider.requests[0].body["contents"][1]["parts"]
    assert parts[0] == {"text": "Hm.", "thought": True, "thoughtSignature": "AAAA"}


def test_thinking_is_marked_with_who_can_read_it(provider: FakeProvider, connect: Connect) -> None:
    provider.script(THOUGHT)
    (item,) = done(connect("anthropic").stream(request_for("anthropic"))).output
    assert item["content"][0] == {
        "type": "thinking",
        "thinking": "First this.Then that.",
        "signature": THOUGHT.signature,
        "persistInHistory": True,
        "provider": "anthropic",
        "account": provider.url.removeprefix("http://"),
    }


HISTORY: list[InputItem] = [
    user("Hi"),
    message(
        "assistant",
        {"type": "thinking", "thinking": "Hm", "signature": "s", "provider": "anthropic"},
        call("call_1"),
    ),
    message("user", result("call_1")),
]


def test_another_providers_thinking_is_refused_before_anything_is_sent(
    provider: FakeProvider, connect: Connect
) -> None:
    with pytest.raises(ProviderMismatch, match="encrypted reasoning of anthropic") as caught:
        connect("openai").stream(request_for("openai", *HISTORY))
    assert caught.value.found == ("anthropic",)
    assert provider.requests == []


def test_another_accounts_thinking_is_refused(connect: Connect) -> None:
    foreign = {
        "type": "thinking",
        "thinking": "Hm",
        "signature": "s",
        "provider": "anthropic",
        "account": "elsewhere.example",
    }
    with pytest.raises(ProviderMismatch, match=r"anthropic \(elsewhere.example\)"):
        connect("anthropic").stream(request_for("anthropic", user("Hi"), message("assistant", foreign)))


def test_an_allowed_transfer_drops_it_and_says_so_in_the_log(
    provider: FakeProvider, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    provider.script(END)
    with caplog.at_level(logging.WARNING):
        list(connect("openai", allow_provider_transfer=True).stream(request_for("openai", *HISTORY)))
    roles = [each["role"] for each in provider.requests[0].body["messages"]]
    assert roles == ["user", "assistant", "tool"]
    assert "Left out 1 encrypted items of anthropic" in caplog.text


@pytest.mark.parametrize(
    ("pieces", "thought", "said"),
    [
        (("<think>", "Hm.", "</think>", "Noon."), "Hm.", "Noon."),
        (("<think>\n", "Hm.", "\n</think>\n\n", "Noon."), "\nHm.\n", "Noon."),
        (("<think>Hm.</think>Noon.",), "Hm.", "Noon."),
        (("\n", " <", "think>H", "m.</", "think>", "\n\n", "Noon."), "Hm.", "Noon."),
        (("<think>a < b </thin </think>Noon.",), "a < b </thin ", "Noon."),
        (("<think>Hm.</thin",), "Hm.</thin", ""),
        (("<think></think>", "Noon."), "", "Noon."),
        (("<think>Hm.</think>Write <think>x</think>", " so."), "Hm.", "Write <think>x</think> so."),
        (("Write <think>", "x", "</think>", " so."), "", "Write <think>x</think> so."),
        (("Write ", "<think>", "x", "</think>", " so."), "", "Write <think>x</think> so."),
        (("<thin", "g> is no tag."), "", "<thing> is no tag."),
        (("<think",), "", "<think"),
        (("  ", "Noon."), "", "  Noon."),
        (("  ",), "", "  "),
        ((" " * 101, "<think>x"), "", " " * 101 + "<think>x"),
    ],
)
def test_thinking_that_a_model_writes_in_tags_before_its_answer_is_no_text(
    provider: FakeProvider, connect: Connect, pieces: tuple[str, ...], thought: str, said: str
) -> None:
    provider.script(Answer(text=pieces))
    events = list(connect("compatible").stream(request_for("compatible")))
    assert "".join(event.text for event in only(events, ThinkingDelta)) == thought
    assert "".join(event.text for event in only(events, TextDelta)) == said
    found = done(events).output[0]["content"]
    assert "".join(block.get("thinking", "") for block in found) == thought
    assert "".join(block.get("text", "") for block in found) == said


def test_thinking_in_tags_ends_before_a_call(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer(text=("<think>Hm.</think>\n\n",), calls=(Call("call_1", "now", ("{}",)),)))
    found = done(connect("compatible").stream(request_for("compatible"))).output[0]["content"]
    assert [block["type"] for block in found] == ["thinking", "tool_use"]


def test_text_that_looks_like_the_beginning_of_a_tag_comes_before_a_call(
    provider: FakeProvider, connect: Connect
) -> None:
    provider.script(Answer(text=(" <th",), calls=(Call("call_1", "now", ("{}",)),)))
    found = done(connect("compatible").stream(request_for("compatible"))).output[0]["content"]
    assert [block["type"] for block in found] == ["output_text", "tool_use"]
