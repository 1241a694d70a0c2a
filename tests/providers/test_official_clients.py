"""The provider of the tests, checked by the clients of the real ones."""

from collections.abc import Iterator
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic import InternalServerError as AnthropicOverloaded
from google import genai
from google.genai import errors as google_errors
from google.genai import types
from openai import APIConnectionError, APIStatusError, BadRequestError, OpenAI, RateLimitError

from tests.providers import anthropic_format, chat_format, google_format, responses_format
from tests.providers.answers import MODEL, Answer, Call, resliced
from tests.providers.server import Drop, FakeProvider, Reply, refusal

ANSWER = Answer(
    text=("Es ist ", "kühl"),
    thinking=("Let me ", "look."),
    signature="sig-1",
    calls=(Call("call_1", "weather", ('{"city":', '"Zürich"}')), Call("call_2", "now", ("{", "}"))),
    input_tokens=120,
    cached_tokens=100,
    output_tokens=9,
)
TOOL: dict[str, object] = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.fixture
def openai(provider: FakeProvider) -> Iterator[OpenAI]:
    with OpenAI(api_key="k", base_url=f"{provider.url}/v1", max_retries=0) as client:
        yield client


@pytest.fixture
def anthropic(provider: FakeProvider) -> Iterator[Anthropic]:
    with Anthropic(api_key="k", base_url=provider.url, max_retries=0) as client:
        yield client


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_openai_client_reads_a_chat_answer_cut_anywhere(
    provider: FakeProvider, openai: OpenAI, size: int
) -> None:
    provider.script(Reply(resliced(chat_format.chunks(ANSWER), size)))
    with openai.chat.completions.stream(
        model="m",
        messages=[{"role": "user", "content": "Weather?"}],
        stream_options={"include_usage": True},
    ) as stream:
        completion = stream.get_final_completion()
    message = completion.choices[0].message
    assert message.content == "Es ist kühl"
    assert [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()] == [
        ("call_1", "weather", '{"city":"Zürich"}'),
        ("call_2", "now", "{}"),
    ]
    assert completion.choices[0].finish_reason == "tool_calls"
    assert completion.usage is not None
    assert completion.usage.prompt_tokens == 120
    assert completion.usage.prompt_tokens_details is not None
    assert completion.usage.prompt_tokens_details.cached_tokens == 100
    assert completion.model == MODEL


@pytest.mark.parametrize("size", [1, 10_000])
def test_the_openai_client_reads_a_responses_answer(
    provider: FakeProvider, openai: OpenAI, size: int
) -> None:
    provider.script(Reply(resliced(responses_format.chunks(ANSWER), size)))
    with openai.responses.stream(model="m", input="Weather?") as stream:
        kinds = [event.type for event in stream]
        response = stream.get_final_response()
    assert response.output_text == "Es ist kühl"
    assert [item.type for item in response.output] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert kinds.count("response.function_call_arguments.delta") == 4
    assert kinds.count("response.reasoning_summary_text.delta") == 2
    assert response.usage is not None
    assert response.usage.input_tokens_details.cached_tokens == 100


@pytest.mark.parametrize("size", [1, 10_000])
def test_the_anthropic_client_reads_an_answer(
    provider: FakeProvider, anthropic: Anthropic, size: int
) -> None:
    provider.script(Reply(resliced(anthropic_format.chunks(ANSWER), size)))
    with anthropic.messages.stream(
        model="m",
        max_tokens=100,
        messages=[{"role": "user", "content": [{"type": "text", "text": "Weather?"}]}],
        tools=[{"name": "weather", "description": "Tell the weather.", "input_schema": TOOL}],
    ) as stream:
        message = stream.get_final_message()
    thinking, text, weather, now = message.content
    assert thinking.type == "thinking"
    assert (thinking.thinking, thinking.signature) == ("Let me look.", "sig-1")
    assert text.type == "text"
    assert text.text == "Es ist kühl"
    assert weather.type == now.type == "tool_use"
    assert (weather.input, now.input) == ({"city": "Zürich"}, {})
    assert message.stop_reason == "tool_use"
    assert (message.usage.input_tokens, message.usage.cache_read_input_tokens) == (20, 100)
    assert message.usage.output_tokens == 9


def test_the_google_client_reads_an_answer(provider: FakeProvider) -> None:
    provider.script(ANSWER)
    options = types.HttpOptions(base_url=provider.url)
    with genai.Client(api_key="k", http_options=options) as client:
        parts = [
            part
            for chunk in client.models.generate_content_stream(model="m", contents="Weather?")
            for candidate in chunk.candidates or ()
            if candidate.content is not None
            for part in candidate.content.parts or ()
        ]
    assert "".join(part.text or "" for part in parts if not part.thought) == "Es ist kühl"
    calls = [part.function_call for part in parts if part.function_call]
    assert [(call.name, call.args) for call in calls] == [("weather", {"city": "Zürich"}), ("now", {})]


def test_the_openai_client_sees_a_rate_limit(provider: FakeProvider, openai: OpenAI) -> None:
    provider.script(refusal(429, chat_format.error("rate_limit_exceeded", "Slow down."), retry_after="3"))
    with pytest.raises(RateLimitError) as caught:
        openai.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "Hi"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    assert caught.value.response.headers["retry-after"] == "3"
    assert caught.value.code == "rate_limit_exceeded"


def test_the_anthropic_client_sees_an_overload(provider: FakeProvider, anthropic: Anthropic) -> None:
    provider.script(refusal(529, anthropic_format.error("overloaded_error", "Overloaded")))
    with pytest.raises(AnthropicOverloaded) as caught:
        anthropic.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}], stream=True
        )
    assert caught.value.status_code == 529


def test_the_google_client_sees_a_refusal(provider: FakeProvider) -> None:
    provider.script(refusal(404, google_format.error("NOT_FOUND", 404, "No such model")))
    options = types.HttpOptions(base_url=provider.url)
    with genai.Client(api_key="k", http_options=options) as client, pytest.raises(google_errors.ClientError):
        list(client.models.generate_content_stream(model="m", contents="Hi"))


def test_the_openai_client_sees_a_dropped_connection(provider: FakeProvider, openai: OpenAI) -> None:
    provider.script(Reply(begin=[Drop()]))
    with pytest.raises(APIConnectionError):
        openai.responses.create(model="m", input="Hi", stream=True)


def test_a_request_that_breaks_the_format_is_refused_and_reported(openai: OpenAI) -> None:
    strict = FakeProvider().__enter__()
    client = openai.with_options(base_url=f"{strict.url}/v1")
    broken: Any = [{"role": "assistant", "tool_calls": "none"}]
    with pytest.raises(BadRequestError):
        client.chat.completions.create(
            model="m", messages=broken, stream=True, stream_options={"include_usage": True}
        )
    with pytest.raises(AssertionError, match="tool_calls"):
        strict.__exit__(None, None, None)


def test_a_request_without_a_scripted_reply_is_reported(openai: OpenAI) -> None:
    silent = FakeProvider().__enter__()
    client = openai.with_options(base_url=f"{silent.url}/v1")
    with pytest.raises(APIStatusError, match="418"):
        client.responses.create(model="m", input="Hi", stream=True)
    with pytest.raises(AssertionError, match="no reply was scripted"):
        silent.__exit__(None, None, None)


def test_a_script_must_be_played_to_its_end() -> None:
    idle = FakeProvider().__enter__()
    idle.script(Answer(("unheard",)))
    with pytest.raises(AssertionError, match="never asked"):
        idle.__exit__(None, None, None)
