"""A request can be given up at any moment, also while the provider is silent."""

import threading

import pytest

from agents.connectors.base import RequestCancelled, RequestSent, TextDelta, Waiting
from tests.agents.connectors.pydantic_ai.cast import blocks, request_for
from tests.agents.connectors.pydantic_ai.conftest import Connect
from tests.providers import anthropic_format
from tests.providers.answers import Answer
from tests.providers.server import FakeProvider, Pause, Reply

NAMES = ["openai", "openai-responses", "anthropic", "google"]
NOON = Answer(("Noon.",))


@pytest.mark.parametrize("name", NAMES)
def test_closing_before_the_first_byte_ends_the_request_at_the_provider(
    provider: FakeProvider, connect: Connect, name: str
) -> None:
    silence = Pause()
    provider.script(Reply(begin=[silence]))
    stream = connect(name, patience_s=0.01).stream(request_for(name))
    assert any(isinstance(event, Waiting) for event in stream)
    assert silence.reached.wait(10)
    stream.close()
    assert silence.left.wait(10)
    with pytest.raises(RequestCancelled):
        next(stream)


@pytest.mark.parametrize("name", NAMES)
def test_another_thread_frees_the_one_that_waits(provider: FakeProvider, connect: Connect, name: str) -> None:
    silence = Pause()
    provider.script(Reply(begin=[silence]))
    stream = connect(name, patience_s=60.0).stream(request_for(name))
    assert isinstance(next(stream), RequestSent)
    assert silence.reached.wait(10)
    closing = threading.Timer(0.0, stream.close)
    closing.start()
    with pytest.raises(RequestCancelled):
        next(stream)
    closing.join()
    assert silence.left.wait(10)


def test_closing_within_the_answer_ends_the_request(provider: FakeProvider, connect: Connect) -> None:
    silence = Pause()
    begun = list(anthropic_format.chunks(Answer(("It is ", "noon."))))[:4]
    provider.script(Reply([*begun, silence]))
    stream = connect("anthropic").stream(request_for("anthropic"))
    assert next(event for event in stream if isinstance(event, TextDelta)) == TextDelta("It is ")
    stream.close()
    assert silence.left.wait(10)


def test_a_stream_nobody_reads_any_more_ends_the_request(provider: FakeProvider, connect: Connect) -> None:
    silence = Pause()
    provider.script(Reply(begin=[silence]))
    for event in connect("openai", patience_s=60.0).stream(request_for("openai")):
        assert isinstance(event, RequestSent)
        assert silence.reached.wait(10)
        break
    assert silence.left.wait(10)


def test_a_slow_first_byte_is_waited_for(provider: FakeProvider, connect: Connect) -> None:
    silence = Pause()
    provider.script(Reply(list(anthropic_format.chunks(NOON)), begin=[silence]))
    stream = connect("anthropic", patience_s=0.01).stream(request_for("anthropic"))
    assert any(isinstance(event, Waiting) for event in stream)
    silence.released.set()
    assert blocks(stream)[0]["text"] == "Noon."


def test_a_cancelled_request_leaves_the_connector_usable(provider: FakeProvider, connect: Connect) -> None:
    silence = Pause()
    provider.script(Reply(begin=[silence]), NOON)
    connector = connect("openai")
    stream = connector.stream(request_for("openai"))
    next(stream)
    assert silence.reached.wait(10)
    stream.close()
    assert silence.left.wait(10)
    assert blocks(connector.stream(request_for("openai")))[0]["text"] == "Noon."


def test_closing_the_connector_twice_is_harmless(connect: Connect) -> None:
    connector = connect("openai")
    connector.close()
    connector.close()
