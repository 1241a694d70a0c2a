"""What happens when a provider refuses, limits, breaks off or talks nonsense."""

from collections.abc import Sequence

import pytest

from agents.connectors.base import ModelEvent, RequestSent, Retrying, TextDelta
from agents.connectors.pydantic_ai import ProviderConnector, ProviderFailure, RetryPolicy
from tests.agents.connectors.pydantic_ai.cast import KEY, access_to, blocks, fail, only, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect, Pauses
from tests.agents.connectors.wire_cast import message, user
from tests.providers import anthropic_format, chat_format, google_format, responses_format
from tests.providers.answers import Answer, sse
from tests.providers.server import Drop, FakeProvider, Pause, Reply, refusal

REAL = ["openai", "openai-responses", "anthropic"]
NOON = Answer(("Noon.",))


def limit(name: str, **headers: str) -> Reply:
    body = (
        anthropic_format.error("rate_limit_error", "Slow down.")
        if name == "anthropic"
        else chat_format.error("rate_limit_exceeded", "Slow down.", "requests")
    )
    return refusal(429, body, **headers)


OVERLOADED = refusal(529, anthropic_format.error("overloaded_error", "Overloaded"))
UNAVAILABLE = refusal(503, chat_format.error("server_error", "The server is overloaded", "server_error"))


@pytest.mark.parametrize("name", REAL)
def test_a_rate_limit_is_waited_for_as_long_as_the_provider_asks(
    provider: FakeProvider, connect: Connect, pauses: Pauses, name: str
) -> None:
    provider.script(limit(name, retry_after="7"), NOON)
    events = list(connect(name).stream(request_for(name)))
    assert pauses == [7.0]
    assert only(events, Retrying) == [Retrying("rate limit", 7.0)]
    assert [event.attempt for event in only(events, RequestSent)] == [1, 2]
    assert provider.requests[0].raw == provider.requests[1].raw
    assert blocks(events)[0]["text"] == "Noon."


def test_pauses_double_until_the_attempts_are_used_up(
    provider: FakeProvider, connect: Connect, pauses: Pauses
) -> None:
    provider.script(*[limit("openai")] * 4)
    failure, _ = fail(connect("openai"), "openai")
    assert pauses == [0.5, 1.0, 2.0]
    assert str(failure) == (
        "openai limits the rate of requests, after 4 attempts. "
        "Retry the turn in a while, or use another model."
    )
    assert (failure.provider, failure.status, failure.retry_after_s) == ("openai", 429, None)


def test_a_pause_gets_longer_by_chance_so_that_turns_do_not_return_together(
    provider: FakeProvider, connect: Connect, pauses: Pauses
) -> None:
    provider.script(limit("openai"), NOON)
    policy = RetryPolicy(sleep=pauses, chance=lambda: 0.5)
    list(connect("openai", retries=policy).stream(request_for("openai")))
    assert pauses == [0.75]


def test_a_pause_of_minutes_is_left_to_people(
    provider: FakeProvider, connect: Connect, pauses: Pauses
) -> None:
    provider.script(limit("openai", retry_after="120"))
    failure, _ = fail(connect("openai"), "openai")
    assert pauses == []
    assert failure.retry_after_s == 120
    assert "Retry the turn in about 2 minutes" in str(failure)


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("anthropic", OVERLOADED),
        ("anthropic", Reply([anthropic_format.error_event("overloaded_error", "Overloaded")])),
        ("openai", UNAVAILABLE),
        ("openai-responses", UNAVAILABLE),
        ("openai-responses", Reply([responses_format.failure("server_is_overloaded", "Later")])),
        ("openai", refusal(502, {})),
        ("google", refusal(503, google_format.error("UNAVAILABLE", 503, "The model is overloaded"))),
    ],
)
def test_an_overloaded_provider_is_asked_again(
    provider: FakeProvider, connect: Connect, pauses: Pauses, name: str, reply: Reply
) -> None:
    provider.script(reply, NOON)
    events = list(connect(name).stream(request_for(name)))
    assert pauses == [0.5]
    assert only(events, Retrying)[0].reason == "provider overloaded"
    assert blocks(events)[0]["text"] == "Noon."


def test_a_provider_that_stays_overloaded_says_so(provider: FakeProvider, connect: Connect) -> None:
    provider.script(*[OVERLOADED] * 4)
    failure, _ = fail(connect("anthropic"), "anthropic")
    assert str(failure) == (
        "anthropic is overloaded or out of service, after 4 attempts. Retry the turn in a while."
    )


@pytest.mark.parametrize("name", [*REAL, "google"])
def test_a_connection_dropped_before_the_answer_is_opened_again(
    provider: FakeProvider, connect: Connect, pauses: Pauses, name: str
) -> None:
    provider.script(Reply(begin=[Drop()]), NOON)
    events = list(connect(name).stream(request_for(name)))
    assert [event.reason for event in only(events, Retrying)] == ["connection lost"]
    assert pauses == [0.5]
    assert blocks(events)[0]["text"] == "Noon."


@pytest.mark.parametrize("name", [*REAL, "google"])
def test_connections_that_are_taken_and_dropped_are_not_called_unreachable(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(*[Reply(begin=[Drop()])] * 4)
    failure, _ = fail(connect(name), name)
    assert str(failure) == (
        f"{name} was reached, but the connection broke off before an answer, after 4 attempts. "
        "Retry the turn in a while."
    )


@pytest.mark.parametrize("name", REAL)
def test_a_connection_dropped_within_the_answer_fails_without_asking_again(
    provider: FakeProvider, connect: Connect, pauses: Pauses, name: str
) -> None:
    provider.script(Reply([*_beginning(name), Drop()]))
    failure, events = fail(connect(name), name)
    assert [event.text for event in only(events, TextDelta)] == ["It is "]
    assert pauses == []
    assert str(failure) == (
        f"The answer of {name} broke off before its end. Nothing was carried out; retry the turn."
    )


@pytest.mark.parametrize("name", REAL)
def test_an_answer_that_ends_without_saying_why_is_not_taken_for_whole(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    provider.script(Reply(_beginning(name)))
    failure, events = fail(connect(name), name)
    assert only(events, TextDelta)
    assert "broke off" in str(failure)


@pytest.mark.parametrize("name", REAL)
def test_a_malformed_chunk_fails_clearly(provider: FakeProvider, connect: Connect, name: str) -> None:
    provider.script(Reply([*_beginning(name), sse('{"type":"content_block_delta",', "content_block_delta")]))
    failure, _ = fail(connect(name), name)
    assert str(failure) == f"{name} sent an answer that cannot be read. Retry the turn."


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("openai", "[1,2]"),
        ("openai", "null"),
        ("openai", '{"id":"1","choices":"no"}'),
        ("openai", '{"id":"1","choices":["x"]}'),
        (
            "openai",
            '{"id":"1","model":5,"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}',
        ),
        ("openai", '{"id":"1","model":"m","choices":[{"index":0,"delta":{"tool_calls":"x"}}]}'),
        (
            "openai",
            '{"id":"1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":7,'
            '"type":"function","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}',
        ),
        (
            "openai",
            '{"id":"1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"7",'
            '"type":"function","function":{"name":["look"],"arguments":"{}"}}]}}]}',
        ),
        ("openai-responses", "[1]"),
        ("openai-responses", '{"type":"response.created","sequence_number":0,"response":"no"}'),
    ],
)
def test_an_answer_of_another_shape_fails_clearly(
    provider: FakeProvider, connect: Connect, name: str, data: str
) -> None:
    provider.script(Reply([sse(data)]))
    failure, _ = fail(connect(name), name)
    assert str(failure) == f"{name} sent an answer that cannot be read. Retry the turn."


@pytest.mark.parametrize("name", REAL)
def test_an_overload_within_the_answer_is_not_retried(
    provider: FakeProvider, connect: Connect, pauses: Pauses, name: str
) -> None:
    provider.script(Reply([*_beginning(name), _overload_event(name)]))
    failure, events = fail(connect(name), name)
    assert only(events, TextDelta)
    assert pauses == []
    assert "overloaded" in str(failure)


@pytest.mark.parametrize(
    ("name", "reply", "text"),
    [
        (
            "openai",
            refusal(401, chat_format.error("invalid_api_key", f"Incorrect API key provided: {KEY}")),
            "openai refused the key. Check OPENAI_API_KEY, and that it may use gpt-4.1.",
        ),
        (
            "anthropic",
            refusal(403, anthropic_format.error("permission_error", "Not yours")),
            "anthropic refused the key. Check ANTHROPIC_API_KEY, and that it may use claude-sonnet-5.",
        ),
        (
            "openai-responses",
            refusal(404, chat_format.error("model_not_found", "No such model")),
            "openai-responses knows no model 'gpt-5'. Choose another model for this agent.",
        ),
        (
            "openai",
            refusal(400, chat_format.error("context_length_exceeded", "Too many tokens")),
            "The prompt is longer than gpt-4.1 accepts. "
            "Lower the agent's limit of context tokens, or compact the conversation.",
        ),
        (
            "anthropic",
            refusal(400, anthropic_format.error("invalid_request_error", "prompt is too long: 210000")),
            "The prompt is longer than claude-sonnet-5 accepts. "
            "Lower the agent's limit of context tokens, or compact the conversation.",
        ),
        (
            "openai",
            refusal(429, chat_format.error("insufficient_quota", "You exceeded your quota")),
            "The quota or credit at openai is used up. Check the plan of the account behind OPENAI_API_KEY.",
        ),
        (
            "openai",
            refusal(400, chat_format.error("invalid_value", f"Bad temperature, said {KEY}")),
            "openai refused the request: Bad temperature, said …",
        ),
        (
            "openai",
            refusal(418, chat_format.error("teapot", "sk-live-abcdefghijklmnop is short and stout " * 20)),
            "openai failed: … is short and stout",
        ),
        (
            "openai",
            refusal(413, chat_format.error("request_too_large", "Too large")),
            "The request is larger than openai accepts. "
            "Compact the conversation, or send fewer and smaller images and files.",
        ),
        (
            "anthropic",
            refusal(413, anthropic_format.error("request_too_large", "Too large")),
            "The request is larger than anthropic accepts. ",
        ),
        (
            "openai",
            refusal(405, chat_format.error("no", "no")),
            "openai failed: no. Check the address and the model, then retry the turn.",
        ),
        (
            "openai",
            refusal(400, chat_format.error("invalid_value", "Bad temperature")),
            "openai refused the request: Bad temperature. "
            "Check the model and its settings, then retry the turn.",
        ),
    ],
)
def test_a_refusal_says_what_to_do_and_no_secret(
    provider: FakeProvider, connect: Connect, name: str, reply: Reply, text: str
) -> None:
    provider.script(reply)
    failure, events = fail(connect(name), name)
    assert str(failure).startswith(text)
    assert len(str(failure)) < 450
    assert KEY not in f"{failure!r} {failure.__dict__}"
    assert only(events, Retrying) == []


@pytest.mark.parametrize("setting", ["timeout", "first_event_timeout"])
def test_a_silent_provider_is_given_up_in_time_and_only_once(
    provider: FakeProvider, connect: Connect, setting: str
) -> None:
    silence = Pause()
    provider.script(Reply(begin=[silence]))
    request = request_for("openai", settings={setting: 0.5})
    with pytest.raises(ProviderFailure, match="openai gave no answer in time"):
        list(connect("openai").stream(request))
    assert silence.left.wait(10)


def test_an_unreachable_address_is_named(pauses: Pauses) -> None:
    policy = RetryPolicy(attempts=2, sleep=pauses)
    connector = ProviderConnector(access_to("compatible", "http://127.0.0.1:9"), retries=policy)
    failure, _ = fail(connector, "compatible")
    connector.close()
    assert str(failure) == (
        "compatible could not be reached at 127.0.0.1:9, after 2 attempts. Check the network and the address."
    )


def test_a_body_that_breaks_the_rules_is_not_sent(provider: FakeProvider, connect: Connect) -> None:
    orphan = message("user", {"type": "tool_result", "tool_use_id": "call_9", "content": "?"})
    events: list[ModelEvent] = []
    with pytest.raises(ProviderFailure, match="Nothing was sent") as caught:
        events.extend(connect("openai").stream(request_for("openai", user("Hi"), orphan)))
    assert "call_9" in str(caught.value)
    assert provider.requests == []
    assert events == []


def _beginning(name: str) -> Sequence[bytes]:
    """Return the chunks of an answer up to its first words."""
    whole = {
        "openai": chat_format.chunks,
        "openai-responses": responses_format.chunks,
        "anthropic": anthropic_format.chunks,
    }[name](Answer(("It is ", "noon.")))
    found: list[bytes] = []
    for chunk in whole:
        found.append(chunk)
        if b'"It is "' in chunk:
            break
    return found


def _overload_event(name: str) -> bytes:
    if name == "anthropic":
        return anthropic_format.error_event("overloaded_error", "Overloaded")
    if name == "openai":
        return sse(chat_format.error("server_is_overloaded", "Later", "server_error"))
    return responses_format.failure("server_is_overloaded", "Later")
