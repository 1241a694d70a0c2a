"""Turns in rows, asked of a provider over HTTP."""

from collections.abc import Iterator

import pytest

from agents import runner, sessions
from agents.connectors import registry
from agents.connectors.pydantic_ai import ProviderConnector
from agents.models import AgentSession, Turn
from memory.bindings import open_board
from tests.providers import chat_format
from tests.providers.answers import Answer, Call
from tests.providers.server import FakeProvider, refusal
from tests.rows import make_person, make_profile, make_session

pytestmark = pytest.mark.django_db

NOTE = '{"store":"whiteboard","key":"city","description":"Where","value":"Zürich"}'


@pytest.fixture
def session(provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentSession]:
    """Yield a session whose model is served by the provider of the tests."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    connector = registry.connect("openai")
    assert isinstance(connector, ProviderConnector)
    yield make_session(make_profile(model="openai:gpt-4.1"))
    connector.close()


def run(session: AgentSession) -> Turn:
    turn = sessions.submit_turn(session, "Note the city.", make_person("ana"))
    runner.run(turn.pk)
    turn.refresh_from_db()
    return turn


def test_a_turn_of_a_real_provider_writes_the_board(session: AgentSession, provider: FakeProvider) -> None:
    provider.script(Answer(calls=(Call("c1", "store_set", (NOTE[:20], NOTE[20:])),)), Answer(("Noted.",)))
    assert run(session).status == Turn.Status.SUCCEEDED
    assert open_board(session).get("city") == "Zürich"
    last = session.messages.order_by("sequence").last()
    assert last is not None
    assert last.blocks == [{"type": "output_text", "text": "Noted."}]


def test_a_refused_turn_fails_with_what_to_do(session: AgentSession, provider: FakeProvider) -> None:
    provider.script(refusal(401, chat_format.error("invalid_api_key", "No")))
    turn = run(session)
    assert turn.status == Turn.Status.FAILED
    assert turn.error == "openai wants a key, and none is set. Set OPENAI_API_KEY."


def test_a_missing_key_fails_the_turn_and_names_it(
    session: AgentSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert run(session).error == "No key for openai: set OPENAI_API_KEY in the environment."
