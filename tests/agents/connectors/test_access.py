import pytest

from agents.connectors import access
from agents.connectors.access import NO_KEY, Access

MAKERS = {
    "OPENAI": access.openai,
    "ANTHROPIC": access.anthropic,
    "GOOGLE": access.google,
    "COMPATIBLE": access.compatible,
}


@pytest.mark.parametrize("prefix", MAKERS)
def test_key_and_address_come_from_the_environment(prefix: str) -> None:
    environ = {f"{prefix}_API_KEY": "secret", f"{prefix}_BASE_URL": "https://user:pw@proxy.example:8443/api"}
    found = MAKERS[prefix](environ)
    assert (found.key, found.base_url) == ("secret", environ[f"{prefix}_BASE_URL"])
    assert (found.key_variable, found.address_variable) == (f"{prefix}_API_KEY", f"{prefix}_BASE_URL")
    assert (found.address, found.has_key) == ("https://proxy.example:8443/api", True)
    assert found.account == found.host == "proxy.example:8443"


@pytest.mark.parametrize("prefix", ["OPENAI", "ANTHROPIC", "GOOGLE"])
def test_the_providers_own_address_wants_a_key(prefix: str) -> None:
    assert MAKERS[prefix]({}).key == ""
    assert MAKERS[prefix]({}).base_url.startswith("https://")


@pytest.mark.parametrize("prefix", MAKERS)
def test_a_server_of_ones_own_needs_none(prefix: str) -> None:
    found = MAKERS[prefix]({f"{prefix}_BASE_URL": "http://127.0.0.1:8000/v1"})
    assert (found.key, found.has_key) == (NO_KEY, False)


def test_a_compatible_server_is_looked_for_where_ollama_is() -> None:
    found = access.compatible({})
    assert (found.base_url, found.key) == ("http://127.0.0.1:11434/v1", NO_KEY)


def test_the_responses_api_shares_everything_with_the_chat_api() -> None:
    environ = {"OPENAI_API_KEY": "secret", "OPENAI_ORG_ID": "org-1"}
    chat, responses = access.openai(environ), access.openai_responses(environ)
    assert (chat.dialect, responses.dialect) == ("chat", "responses")
    assert (chat.key, chat.base_url, chat.account) == (responses.key, responses.base_url, responses.account)


def test_a_key_is_never_shown() -> None:
    found: Access = access.openai({"OPENAI_API_KEY": "sk-very-secret"})
    assert "very-secret" not in repr(found)
