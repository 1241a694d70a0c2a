"""What comes back from each provider: texts, thinking, calls in pieces, usage."""

import json
from typing import Any

import pytest

from agents.connectors.base import (
    Done,
    RequestSent,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    Usage,
)
from agents.connectors.pydantic_ai import ProviderFailure
from tests.agents.connectors.pydantic_ai.cast import ACCESSES, blocks, done, only, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.providers.answers import MODEL, Answer, Call, resliced, sse
from tests.providers.server import FORMATS, FakeProvider, Reply

OWN_PIECES = ["openai", "openai-responses", "anthropic", "compatible"]
PATHS = {
    "openai": "/v1/chat/completions",
    "compatible": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "google": "/v1beta/models/",
}
CALLS = (
    Call("call_1", "store_set", ('{"store":"no', 'tes","key":', '"é","value":[1,', "2.5]}")),
    Call("call_2", "now", ("{", "}")),
)


@pytest.mark.parametrize("name", ACCESSES)
def test_a_text_arrives_in_the_pieces_that_the_model_wrote(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(Answer(text=("It is ", "twelve", " o'clock.")))
    events = list(connect(name).stream(request_for(name)))
    assert [event.text for event in only(events, TextDelta)] == ["It is ", "twelve", " o'clock."]
    assert blocks(events) == [{"type": "output_text", "text": "It is twelve o'clock."}]
    assert isinstance(events[-1], Done)
    assert (done(events).finish_reason, done(events).model) == ("stop", MODEL)


@pytest.mark.parametrize("name", ACCESSES)
def test_a_connection_is_used_again_for_the_next_call(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    connector = connect(name)
    for _ in range(3):
        provider.script(Answer(text=("Yes.",)))
        list(connector.stream(request_for(name)))
    assert provider.accepted == 1


@pytest.mark.parametrize("name", OWN_PIECES)
def test_parallel_calls_arrive_in_pieces_that_make_their_arguments(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(Answer(text=("I look.",), calls=CALLS))
    events = list(connect(name).stream(request_for(name)))
    assert only(events, ToolCallStarted) == [
        ToolCallStarted("call_1", "store_set"),
        ToolCallStarted("call_2", "now"),
    ]
    pieces = only(events, ToolArgumentsDelta)
    assert len([piece for piece in pieces if piece.id == "call_1"]) == 4
    for call in CALLS:
        assert "".join(piece.text for piece in pieces if piece.id == call.id) == call.arguments
    assert blocks(events)[1:] == [
        {"type": "tool_use", "id": call.id, "name": call.name, "arguments": call.arguments} for call in CALLS
    ]
    assert done(events).finish_reason == "tool_call"


def test_calls_of_google_arrive_whole_and_get_ids(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer(calls=CALLS, signature="thought"))
    found = blocks(connect("google").stream(request_for("google")))
    assert [block["name"] for block in found] == ["store_set", "now"]
    assert json.loads(found[0]["arguments"]) == json.loads(CALLS[0].arguments)
    assert found[0]["thoughtSignature"] == "dGhvdWdodA=="
    assert "thoughtSignature" not in found[1]
    assert len({block["id"] for block in found}) == 2


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize("size", [1, 5])
def test_an_answer_cut_within_events_and_characters_is_the_same(
    provider: FakeProvider, connect: Connect, name: str, size: int
) -> None:
    answer = Answer(text=("Zürich 🌧",), calls=CALLS)
    provider.script(Reply(resliced(FORMATS[PATHS[name]].chunks(answer), size)))
    found = blocks(connect(name).stream(request_for(name)))
    assert found[0]["text"] == "Zürich 🌧"
    assert json.loads(found[1]["arguments"])["key"] == "é"


def test_usage_counts_the_cached_part_of_the_prompt_for_openai(
    provider: FakeProvider, connect: Connect
) -> None:
    provider.script(Answer(("Hi",), input_tokens=1200, cached_tokens=1024, output_tokens=3))
    assert done(connect("openai").stream(request_for("openai"))).usage == Usage(1200, 3, 1024, 0)


@pytest.mark.parametrize("name", ["openai-responses", "anthropic"])
def test_usage_counts_what_was_read_from_and_written_to_the_cache(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(
        Answer(("Hi",), input_tokens=1200, cached_tokens=900, cache_write_tokens=200, output_tokens=3)
    )
    assert done(connect(name).stream(request_for(name))).usage == Usage(1200, 3, 900, 200)


def test_usage_of_google_counts_its_cache(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer(("Hi",), input_tokens=1200, cached_tokens=900, output_tokens=3))
    assert done(connect("google").stream(request_for("google"))).usage == Usage(1200, 3, 900, 0)


def test_a_server_that_reports_no_usage_gives_none(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer(("Hi",), input_tokens=0, output_tokens=0))
    assert done(connect("compatible").stream(request_for("compatible"))).usage == Usage()


@pytest.mark.parametrize(
    ("name", "finish"),
    [
        ("openai", "length"),
        ("openai-responses", "max_output_tokens"),
        ("anthropic", "max_tokens"),
        ("google", "MAX_TOKENS"),
    ],
)
def test_a_cut_answer_says_so(provider: FakeProvider, connect: Connect, name: str, finish: str) -> None:
    provider.script(Answer(("It is tw",), finish=finish))
    assert done(connect(name).stream(request_for(name))).finish_reason == "length"


def test_an_empty_answer_has_no_output(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer())
    assert done(connect("anthropic").stream(request_for("anthropic"))).output == []


@pytest.mark.parametrize("name", ["openai-responses", "anthropic", "google", "compatible"])
def test_thinking_streams_apart_from_the_text(provider: FakeProvider, connect: Connect, name: str) -> None:
    provider.script(Answer(thinking=("Let me ", "look."), text=("Noon.",)))
    events = list(connect(name).stream(request_for(name)))
    assert [event.text for event in only(events, ThinkingDelta)] == ["Let me ", "look."]
    assert [event.text for event in only(events, TextDelta)] == ["Noon."]
    thinking, text = blocks(events)
    assert thinking["type"] == "thinking"
    assert "".join(thinking["thinking"].split()) == "Letmelook."
    assert thinking["persistInHistory"] is False
    assert text["text"] == "Noon."


@pytest.mark.parametrize("name", ACCESSES)
def test_the_body_that_left_is_told_byte_for_byte_before_the_answer(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(Answer(("Hi",)))
    first, second, *_ = connect(name).stream(request_for(name))
    assert first == RequestSent(provider.requests[0].raw)
    assert isinstance(second, TextDelta)


def test_requests_share_a_connection(provider: FakeProvider, connect: Connect) -> None:
    connector = connect("openai")
    ports = set()
    for _ in range(3):
        provider.script(Answer(("Hi",)))
        list(connector.stream(request_for("openai")))
        ports |= {connection.getpeername()[1] for connection in provider.connections}
    assert len(ports) == 1


@pytest.mark.parametrize("finish", ["eos_token", "guardrail_intervened", "end_turn"])
def test_an_answer_whose_server_ends_it_in_words_of_its_own_is_an_answer(
    provider: FakeProvider, connect: Connect, finish: str
) -> None:
    provider.script(Answer(("It is twelve.",), finish=finish))
    events = list(connect("compatible").stream(request_for("compatible")))
    assert blocks(events) == [{"type": "output_text", "text": "It is twelve."}]
    assert done(events).finish_reason == "stop"


def test_words_of_other_servers_for_a_cut_answer_are_known(provider: FakeProvider, connect: Connect) -> None:
    provider.script(Answer(("It is tw",), finish="model_length"))
    assert done(connect("compatible").stream(request_for("compatible"))).finish_reason == "length"


@pytest.mark.parametrize("finish", ["abort", "error"])
def test_an_answer_that_its_server_gave_up_breaks_off(
    provider: FakeProvider, connect: Connect, finish: str
) -> None:
    provider.script(Answer(("It is tw",), finish=finish))
    with pytest.raises(ProviderFailure, match="broke off"):
        list(connect("compatible").stream(request_for("compatible")))


def pieces_of_calls(*pieces: dict[str, Any]) -> Reply:
    sent = [
        sse({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **each}]}}]}) for each in pieces
    ]
    end = sse({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return Reply([*sent, end, sse("[DONE]")])


def test_calls_that_a_server_sends_under_one_number_stay_apart(
    provider: FakeProvider, connect: Connect
) -> None:
    provider.script(
        pieces_of_calls(
            {"id": "a", "function": {"name": "now", "arguments": "{}"}},
            {"id": "b", "function": {"name": "store_set", "arguments": '{"key":'}},
            # Some servers repeat what began a call with each of its pieces.
            {"id": "b", "function": {"name": "", "arguments": "1"}},
            {"function": {"arguments": "}"}},
        )
    )
    assert blocks(connect("compatible").stream(request_for("compatible"))) == [
        {"type": "tool_use", "id": "a", "name": "now", "arguments": "{}"},
        {"type": "tool_use", "id": "b", "name": "store_set", "arguments": '{"key":1}'},
    ]


def test_whole_calls_without_ids_under_one_number_stay_apart(
    provider: FakeProvider, connect: Connect
) -> None:
    provider.script(
        pieces_of_calls(
            {"function": {"name": "now", "arguments": "{}"}},
            {"function": {"name": "store_set", "arguments": '{"key":1}'}},
            {"function": {"name": "store_set", "arguments": '{"key":2}'}},
        )
    )
    found = blocks(connect("compatible").stream(request_for("compatible")))
    assert [(each["name"], each["arguments"]) for each in found] == [
        ("now", "{}"),
        ("store_set", '{"key":1}'),
        ("store_set", '{"key":2}'),
    ]
    assert len({each["id"] for each in found}) == 3


@pytest.mark.parametrize(
    ("delta", "finish"),
    [
        ({"function_call": {"name": "now", "arguments": "{}"}}, "function_call"),
        ({"tool_calls": [{"index": 0, "id": "a", "function": {"arguments": "{}"}}]}, "tool_calls"),
    ],
)
def test_a_call_that_cannot_be_read_ends_as_a_call_without_any(
    provider: FakeProvider, connect: Connect, delta: dict[str, Any], finish: str
) -> None:
    end = sse({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    provider.script(Reply([sse({"choices": [{"index": 0, "delta": delta}]}), end, sse("[DONE]")]))
    reply = done(connect("compatible").stream(request_for("compatible")))
    assert (reply.output, reply.finish_reason) == ([], "tool_call")


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("compatible", Answer(finish="content_filter")),
        ("openai-responses", Answer(finish="content_filter")),
        ("anthropic", Answer(finish="refusal")),
        ("google", Answer(finish="SAFETY")),
        ("google", Reply([sse({"promptFeedback": {"blockReason": "SAFETY"}})])),
    ],
)
def test_an_answer_that_was_withheld_says_so(
    provider: FakeProvider, connect: Connect, name: str, reply: Answer | Reply
) -> None:
    provider.script(reply)
    found = done(connect(name).stream(request_for(name)))
    assert (found.output, found.finish_reason) == ([], "content_filter")


def test_a_text_in_parts_is_read(provider: FakeProvider, connect: Connect) -> None:
    parts = [{"type": "text", "text": "Noon."}]
    said = sse({"choices": [{"index": 0, "delta": {"content": parts}, "finish_reason": "stop"}]})
    provider.script(Reply([said, sse("[DONE]")]))
    assert blocks(connect("compatible").stream(request_for("compatible")))[0]["text"] == "Noon."
