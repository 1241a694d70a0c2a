"""What people read of a failure: the words of a provider where they are words, and what to look at."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAuthenticationError, ModelHTTPError, ModelNotFoundError, UserError

from agents.connectors.access import compatible
from agents.connectors.pydantic_ai.failures import explained
from agents.connectors.pydantic_ai.remedies import Asked
from agents.connectors.pydantic_ai.words import wait_in_words
from tests.agents.connectors.pydantic_ai.cast import ACCESSES, blocks, fail, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.providers import anthropic_format, chat_format, responses_format
from tests.providers.answers import Answer, sse
from tests.providers.server import FakeProvider, Reply, refusal

PAGE = b"<!DOCTYPE html>\n<html><head><title>403</title></head><body><h1>Forbidden</h1></body></html>"
HTML = {"Content-Type": "text/html; charset=utf-8"}
JSON = {"Content-Type": "application/json"}
CHECK = "Check the model and its settings, then retry the turn."
TOO_LONG = (
    "The prompt is longer than llama3:8b accepts. "
    "Lower the agent's limit of context tokens, or compact the conversation."
)


def page(status: int, body: bytes = PAGE) -> Reply:
    return Reply([body], status, HTML)


def text_of(provider: FakeProvider, connect: Connect, reply: Reply, name: str = "compatible") -> str:
    """Return the text for people when each attempt gets the same reply."""
    attempts = 4 if reply.status >= 500 else 1
    provider.script(*[reply] * attempts)
    return str(fail(connect(name), name)[0]).replace(provider.url.removeprefix("http://"), "HOST")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([{"error": {"code": 400, "message": "Bad schema", "status": "INVALID_ARGUMENT"}}], "Bad schema."),
        ({"detail": "Bad schema"}, "Bad schema."),
        (
            {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]},
            "body.messages: field required.",
        ),
        ({"object": "error", "message": {"detail": [{"msg": "Extra inputs", "loc": []}]}}, "Extra inputs."),
        ({"error": "Bad schema"}, "Bad schema."),
        ({"object": "error", "message": "Bad schema", "code": 400}, "Bad schema."),
        ({"title": "Bad schema", "status": 400}, "Bad schema."),
        ({"error": {"message": "One. Two! Three? Four."}}, "One. Two!"),
        ({"error": {"message": "Nul \x00 and \ud800 tab\t."}}, "Nul and tab ."),
        ({"error": {"message": "Broken: {'loc': ('body',)}"}}, "Broken."),
    ],
)
def test_the_words_of_a_provider_are_found_in_the_shapes_that_servers_send(
    provider: FakeProvider, connect: Connect, body: Any, said: str
) -> None:
    assert text_of(provider, connect, refusal(400, body)) == f"compatible refused the request: {said} {CHECK}"


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "google"])
def test_words_in_a_list_are_found_for_every_provider(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    reply = refusal(400, [{"error": {"code": 400, "message": "Bad schema", "status": "INVALID_ARGUMENT"}}])
    assert text_of(provider, connect, reply, name) == f"{name} refused the request: Bad schema. {CHECK}"


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"loc": ["body"]},
        [[[[[[[[["deep"]]]]]]]]],
        {"error": {"message": "[{'loc': ('body',), 'msg': 'x'}]"}},
        {"error": {"message": 'Traceback (most recent call last): File "x"'}},
        {"error": {"message": ["<b>", 5, None]}},
    ],
)
def test_what_is_no_words_is_told_as_its_status_only(
    provider: FakeProvider, connect: Connect, body: Any
) -> None:
    assert text_of(provider, connect, refusal(400, body)) == (
        f"compatible refused the request (status 400). {CHECK}"
    )


def test_a_web_page_is_not_quoted(provider: FakeProvider, connect: Connect) -> None:
    assert text_of(provider, connect, page(400)) == (
        f"compatible refused the request: a web page came back (status 400). {CHECK}"
    )


def test_a_web_page_of_a_gateway_is_not_quoted(provider: FakeProvider, connect: Connect) -> None:
    assert text_of(provider, connect, page(502)) == (
        "compatible is overloaded or out of service, after 4 attempts: a web page came back (status 502). "
        "Retry the turn in a while."
    )


def test_settings_with_which_no_request_can_be_made_are_logged_and_not_quoted(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise UserError("`openai_store` must not be set")

    monkeypatch.setattr("pydantic_ai.direct.model_request_stream", refuse)
    assert str(fail(connect("openai"), "openai")[0]) == (
        "openai could not be asked with these settings; the server's log says why. Check the model."
    )
    assert "`openai_store` must not be set" in caplog.text


def test_plain_text_is_quoted(provider: FakeProvider, connect: Connect) -> None:
    reply = Reply([b"I am a teapot"], 418, {"Content-Type": "text/plain"})
    assert text_of(provider, connect, reply) == (
        "compatible failed: I am a teapot. Check the address and the model, then retry the turn."
    )


def test_an_answer_without_any_choice_broke_off(provider: FakeProvider, connect: Connect) -> None:
    empty = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
    assert text_of(provider, connect, Reply([sse(empty), sse("[DONE]")])) == (
        "The answer of compatible broke off before its end. Nothing was carried out; retry the turn."
    )


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_an_address_that_refers_to_another_is_wrong(
    provider: FakeProvider, connect: Connect, name: str, status: int
) -> None:
    reply = Reply([], status, {"Location": "https://elsewhere.example/"})
    variable = "OPENAI" if name.startswith("openai") else name.upper()
    text = text_of(provider, connect, reply, name)
    assert text.startswith("The address http://HOST")
    assert text.endswith(
        f" is wrong: what answers there refers to another one (status {status}). Check {variable}_BASE_URL."
    )


WHOLE = {"id": "x", "object": "chat.completion", "model": "m", "choices": [{"message": {"content": "Hi"}}]}


@pytest.mark.parametrize("name", ACCESSES)
@pytest.mark.parametrize(
    "reply",
    [
        page(200),
        Reply([json.dumps(WHOLE).encode()], 200, JSON),
        Reply([], 204, {"Content-Type": ""}),
        Reply([]),
        Reply([b"data: hello\n\n"], 200, {"Content-Type": "text/plain"}),
    ],
)
def test_an_address_where_something_else_answers_is_named(
    provider: FakeProvider, connect: Connect, name: str, reply: Reply
) -> None:
    variable = "OPENAI" if name.startswith("openai") else name.upper()
    text = text_of(provider, connect, reply, name)
    assert text.startswith("What answered at HOST does not stream answers in the format of ")
    assert text.endswith(f" Check {variable}_BASE_URL.")


@pytest.mark.parametrize("name", ["openai", "openai-responses", "compatible"])
def test_a_stream_of_nothing_but_its_end_is_no_answer_of_the_format(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    assert text_of(provider, connect, Reply([sse("[DONE]")]), name).startswith(
        "What answered at HOST does not"
    )


def test_an_answer_is_read_whatever_type_its_server_gives_it(
    provider: FakeProvider, connect: Connect
) -> None:
    provider.script(Reply(list(chat_format.chunks(Answer(("Noon.",)))), 200, {"Content-Type": "text/plain"}))
    assert blocks(connect("compatible").stream(request_for("compatible")))[0]["text"] == "Noon."


@pytest.mark.parametrize(
    "reply",
    [
        page(404),
        Reply([b"404 page not found"], 404, {"Content-Type": "text/plain"}),
        Reply([], 404),
        refusal(404, {"detail": "Not Found"}),
        refusal(404, chat_format.error("not_found", "Invalid URL (POST /chat/completions)")),
    ],
)
def test_what_is_not_found_may_be_the_address(provider: FakeProvider, connect: Connect, reply: Reply) -> None:
    assert text_of(provider, connect, reply) == (
        "compatible found nothing at http://HOST/v1 for the model 'llama3:8b': one of the two is wrong. "
        "Check COMPATIBLE_BASE_URL and the agent's model."
    )


def test_an_address_without_its_version_is_told_so(provider: FakeProvider) -> None:
    access = compatible({"COMPATIBLE_BASE_URL": f"{provider.url}/openai/"})
    fault = ModelHTTPError.for_category(ModelNotFoundError, status_code=404, model_name="m")
    text = str(explained(fault, Asked(access, "m", attempts=1)))
    assert text.endswith("Check COMPATIBLE_BASE_URL, which mostly ends in /v1, and the agent's model.")


@pytest.mark.parametrize(
    "body",
    [
        chat_format.error("model_not_found", "Nothing of that name"),
        chat_format.error("NotFoundError", "The model `x` does not exist."),
        {"error": "llama3:8b is unknown, try pulling it first"},
    ],
)
def test_a_model_that_a_provider_does_not_know_is_named(
    provider: FakeProvider, connect: Connect, body: Any
) -> None:
    assert text_of(provider, connect, refusal(404, body)) == (
        "compatible knows no model 'llama3:8b'. Choose another model for this agent."
    )


@pytest.mark.parametrize("name", ["openai", "anthropic", "google"])
def test_a_page_of_a_proxy_is_not_taken_for_a_refused_key(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    assert text_of(provider, connect, page(403), name) == (
        "A web page came back from HOST instead of an answer (status 403), most likely of a proxy or a "
        f"firewall. Check the network and {name.upper()}_BASE_URL."
    )


@pytest.mark.parametrize("key", ["", "no-key"])
def test_a_key_that_nobody_set_is_not_refused(provider: FakeProvider, key: str) -> None:
    access = replace(compatible({}), key=key)
    fault = ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name="m")
    assert str(explained(fault, Asked(access, "m", attempts=1))) == (
        "compatible wants a key, and none is set. Set COMPATIBLE_API_KEY."
    )


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (400, "exceed_context_size_error", "Too much of it"),
        (400, "", "the request exceeds the available context size. try increasing the context size"),
        (400, "", "prompt too long; exceeded max context length by 904 tokens"),
        (500, "api_error", "the input length exceeds the context length"),
        (400, "", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
        (400, "", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
        (422, "validation", "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000"),
        (422, "", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"),
        (400, "", "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
        (400, "", "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
        (
            400,
            "",
            "However, the model is loaded with context length of only 4096 tokens, which is not enough.",
        ),
        (400, "", "This model's maximum prompt length is 131072 but the request contains 200000 tokens."),
        (400, "", "Your input exceeds the context window of this model."),
        (400, "", "Invalid request: Your request exceeded model token limit: 8192"),
        (400, "", "Input is too long for requested model."),
    ],
)
def test_a_prompt_that_is_too_long_is_known_in_the_words_of_each_server(
    provider: FakeProvider, connect: Connect, status: int, kind: str, message: str
) -> None:
    body = {"error": {"code": status, "message": message, "type": kind}}
    provider.script(refusal(status, body))
    failure, _ = fail(connect("compatible"), "compatible")
    assert str(failure) == TOO_LONG


@pytest.mark.parametrize(
    "message",
    [
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64",
        "max_tokens is too large: 5000. This model supports at most 4096 completion tokens",
        "The user name is too long",
    ],
)
def test_other_things_that_are_too_long_are_no_prompt(
    provider: FakeProvider, connect: Connect, message: str
) -> None:
    text = text_of(provider, connect, refusal(400, chat_format.error("invalid_value", message)))
    assert text.startswith("compatible refused the request: ")


@pytest.mark.parametrize("has_begun", [False, True])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"message": "CUDA out of memory. Tried to allocate 20 MiB", "code": 500}, "is overloaded or out of"),
        ({"message": "CUDA out of memory. Tried to allocate 20 MiB", "code": 503}, "is overloaded or out of"),
        ({"message": "CUDA out of memory. Tried to allocate 20 MiB"}, "failed: "),
        ("CUDA out of memory. Tried to allocate 20 MiB", "failed: "),
    ],
)
def test_what_a_server_says_within_an_answer_is_told(
    provider: FakeProvider, connect: Connect, error: Any, said: str, has_begun: bool
) -> None:
    begun = [sse({"choices": [{"index": 0, "delta": {"content": "Half"}}]})] if has_begun else []
    provider.script(*[Reply([*begun, sse({"error": error})])] * (1 if has_begun or said == "failed: " else 4))
    text = str(fail(connect("compatible"), "compatible")[0])
    assert text.startswith(f"compatible {said}")
    assert ": CUDA out of memory. Tried to allocate 20 MiB. " in text


@pytest.mark.parametrize("has_begun", [False, True])
def test_what_openai_and_anthropic_say_within_an_answer_is_told(
    provider: FakeProvider, connect: Connect, has_begun: bool
) -> None:
    anthropic = list(anthropic_format.chunks(Answer(("Half",))))[:3] if has_begun else []
    provider.script(*[Reply([*anthropic, anthropic_format.error_event("odd_error", "Boom")])])
    assert str(fail(connect("anthropic"), "anthropic")[0]).startswith("anthropic failed: Boom. Check")
    responses = list(responses_format.chunks(Answer(("Half",))))[:6] if has_begun else []
    provider.script(*[Reply([*responses, responses_format.failure("odd", "Boom")])])
    assert str(fail(connect("openai-responses"), "openai-responses")[0]).startswith(
        "openai-responses failed: odd: Boom. Check"
    )


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "in a while"),
        (0, "in a while"),
        (0.4, "in 1 s"),
        (90, "in 90 s"),
        (120, "in about 2 minutes"),
        (3700, "in about 1 hour"),
        (3 * 3600, "in about 3 hours"),
        (3 * 86_400, "after 3 December 2026"),
        (2_303_625_909, "after 29 November 2099"),
        (1e18, "later"),
        (float("inf"), "later"),
        (float("nan"), "later"),
    ],
)
def test_a_wait_is_told_in_words(seconds: float | None, words: str) -> None:
    assert wait_in_words(seconds, NOW) == words


def test_a_date_to_wait_for_is_named(provider: FakeProvider, connect: Connect) -> None:
    reply = refusal(
        429, chat_format.error("rate_limit", "Slow down."), retry_after="Wed, 21 Oct 2099 07:28:00 GMT"
    )
    assert text_of(provider, connect, reply) == (
        "compatible limits the rate of requests. Retry the turn after 21 October 2099, or use another model."
    )


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("anthropic", list(anthropic_format.chunks(Answer(("Noon.",))))[1:]),
        ("anthropic", [sse({"type": "message_start", "message": 5}, "message_start")]),
        ("google", [sse({"candidates": 5})]),
    ],
)
def test_an_answer_that_breaks_the_providers_protocol_is_the_providers_fault(
    provider: FakeProvider, connect: Connect, name: str, events: list[bytes]
) -> None:
    assert text_of(provider, connect, Reply(events), name) == (
        f"{name} sent an answer that cannot be read. Retry the turn."
    )


@pytest.mark.parametrize("kind", [AssertionError, NotImplementedError, RecursionError, ZeroDivisionError])
def test_whatever_reading_an_answer_raises_is_the_answers_fault(
    provider: FakeProvider, connect: Connect, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def misread(self: object, event: object) -> None:
        raise kind("internal")

    monkeypatch.setattr("agents.connectors.pydantic_ai.reply.Reply.events", misread)
    assert "cannot be read" in text_of(provider, connect, Reply(list(chat_format.chunks(Answer(("Hi",))))))
