import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.connectors import registry
from agents.connectors.base import ConnectorError, ModelRequest
from agents.connectors.pydantic_ai import ProviderConnector
from agents.connectors.registry import LazyConnector, connect
from agents.connectors.scripted import ScriptedConnector, say

ENVIRON = {"OPENAI_API_KEY": "k1", "ANTHROPIC_API_KEY": "k2", "GOOGLE_API_KEY": "k3"}
REQUEST = ModelRequest([], [], "m")

WITHOUT_EXTRA = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"pydantic_ai", "httpx2", "openai", "anthropic", "google", "django"}:
            raise ModuleNotFoundError(f"{name} is not installed", name=name)

sys.meta_path.insert(0, Refuse())
import agents
from agents.connectors import registry
from agents.connectors.base import ConnectorError

try:
    registry.connect("openai", environ={"OPENAI_API_KEY": "k"})
except ConnectorError as fault:
    print(fault)
"""


@pytest.fixture
def scripted() -> Iterator[ScriptedConnector]:
    connector = ScriptedConnector(say("one"), say("two"))
    registry.register("ours", lambda: connector)
    yield connector
    registry.unregister("ours")


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "google", "compatible"])
def test_a_provider_is_found_by_its_name(provider: str) -> None:
    connector = connect(provider, environ=ENVIRON)
    assert isinstance(connector, ProviderConnector)
    assert connector.access.provider == provider


def test_turns_with_the_same_key_share_a_connector() -> None:
    assert connect("openai", environ=ENVIRON) is connect("openai", environ=dict(ENVIRON))
    assert connect("openai", environ=ENVIRON) is not connect("openai", environ={"OPENAI_API_KEY": "other"})


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_a_missing_key_is_named(provider: str) -> None:
    with pytest.raises(ConnectorError) as caught:
        connect(provider, environ={})
    assert str(caught.value) == f"No key for {provider}: set OPENAI_API_KEY in the environment."


def test_an_unknown_provider_is_answered_with_the_known_ones(scripted: ScriptedConnector) -> None:
    with pytest.raises(ConnectorError) as caught:
        connect("mistral", environ={})
    assert str(caught.value) == (
        "Unknown provider 'mistral'. "
        "Choose one of: anthropic, compatible, google, openai, openai-responses, ours."
    )


def test_a_host_registers_providers_of_its_own(scripted: ScriptedConnector) -> None:
    assert connect("ours") is scripted


def test_a_lazy_connector_needs_its_key_with_the_first_request(
    scripted: ScriptedConnector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    lazy = LazyConnector("anthropic")
    with pytest.raises(ConnectorError, match="set ANTHROPIC_API_KEY"):
        lazy.stream(REQUEST)
    assert list(LazyConnector("ours").stream(REQUEST))


def test_without_the_extra_everything_imports_and_the_first_use_says_what_to_install() -> None:
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-W", "error", "-c", WITHOUT_EXTRA]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stderr == ""
    assert ran.stdout.strip() == (
        "Real providers need more packages: run `make providers`, or install contextsite[providers]."
    )


def test_the_extra_is_named_when_one_of_its_packages_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> object:
        raise ModuleNotFoundError("No module named 'anthropic'", name="anthropic.types")

    monkeypatch.setattr(registry, "import_module", broken)
    with pytest.raises(ConnectorError, match="run `make providers`"):
        connect("openai", environ={"OPENAI_API_KEY": "a second key of this test alone"})


def test_another_missing_module_is_not_taken_for_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> object:
        raise ModuleNotFoundError("No module named 'yaml'", name="yaml")

    monkeypatch.setattr(registry, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="yaml"):
        connect("openai", environ={"OPENAI_API_KEY": "a key of this test alone"})
