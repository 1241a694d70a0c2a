import pytest

from agents.connectors.base import ConnectorError, ModelRequest
from agents.connectors.registry import LazyConnector
from agents.connectors.scripted import ScriptedConnector
from agents.loop.choice import choose


def provider_of(connector: object) -> str:
    assert isinstance(connector, LazyConnector)
    return connector.provider


@pytest.mark.parametrize(
    ("model", "connector"),
    [
        ("openai:gpt-4.1", None),
        ("gpt-4.1", "openai"),
        ("openai:gpt-4.1", "openai"),
        ("gpt-4.1", None),
    ],
)
def test_the_ways_to_name_a_model_are_equal(model: str, connector: str | None) -> None:
    choice = choose(model, connector)
    assert (choice.model, choice.name) == ("openai:gpt-4.1", "gpt-4.1")
    assert provider_of(choice.connector) == "openai"


def test_a_provider_may_serve_any_model() -> None:
    choice = choose("llama3:8b", "compatible")
    assert (choice.model, choice.name) == ("compatible:llama3:8b", "llama3:8b")


def test_a_connector_of_ones_own_is_used_as_it_is() -> None:
    own = ScriptedConnector()
    choice = choose("openai:gpt-4.1", own)
    assert (choice.model, choice.name, choice.connector) == ("openai:gpt-4.1", "gpt-4.1", own)


def test_a_model_that_nobody_is_known_to_serve_is_refused() -> None:
    with pytest.raises(ValueError, match='model="provider:my-model" or connector='):
        choose("my-model", None)


def test_an_unknown_provider_is_an_error_when_it_is_first_asked() -> None:
    choice = choose("gpt-4.1", "nowhere")
    with pytest.raises(ConnectorError, match="Unknown provider 'nowhere'"):
        list(choice.connector.stream(ModelRequest((), (), "gpt-4.1")))
