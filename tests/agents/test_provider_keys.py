from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core import serializers
from django.core.management import CommandError, call_command

from agents import encryption, provider_keys
from agents.connectors.base import Connector, ConnectorError, ModelRequest, ProviderMismatch
from agents.connectors.pydantic_ai import ProviderConnector
from agents.encryption import CannotDecrypt, CannotEncrypt, decrypt, encrypt
from agents.models import AgentSession, ProviderKey
from agents.provider_keys import ForSession, environment, set_key
from tests.agents.connectors.wire_cast import message, thinking

pytestmark = pytest.mark.django_db

SECRET = "sk-live-0123456789-abcdefgh-WXYZ"
OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@pytest.fixture(autouse=True)
def keys(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ENCRYPTION_KEYS = [OLD]
    for variables in provider_keys.VARIABLES.values():
        for name in variables:
            monkeypatch.delenv(name, raising=False)


def store(provider: str = "openai", key: str = SECRET, base_url: str = "") -> ProviderKey:
    row = ProviderKey(provider=provider, base_url=base_url)
    set_key(row, key)
    row.save()
    return row


def connector(provider: str = "openai", **settings: Any) -> ProviderConnector:
    made: Connector = ForSession(provider)("m", AgentSession(settings=settings))
    assert isinstance(made, ProviderConnector)
    return made


def test_a_stored_key_is_used_for_both_dialects_and_never_readable_in_the_row() -> None:
    row = store()
    assert connector().access.key == SECRET
    assert connector("openai-responses").access.key == SECRET
    exported = serializers.serialize("json", [row])
    assert SECRET not in exported
    assert SECRET not in f"{row!r}{row}{row.__dict__}"
    assert row.ending == "WXYZ"
    assert SECRET not in repr(connector().access)


def test_a_stored_key_replaces_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from the environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://proxy.example/v1")
    assert connector().access.key == "from the environment"
    store()
    access = connector().access
    assert (access.key, access.base_url) == (SECRET, "https://api.openai.com/v1")


def test_the_environments_key_never_goes_to_a_stored_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from the environment")
    store(key="", base_url="https://elsewhere.example/v1")
    access = connector().access
    assert (access.key, access.base_url) == ("no-key", "https://elsewhere.example/v1")


def test_a_server_of_ones_own_needs_no_key() -> None:
    store("compatible", key="", base_url="http://127.0.0.1:8000/v1")
    assert connector("compatible").access.base_url == "http://127.0.0.1:8000/v1"


def test_a_new_key_is_used_at_once() -> None:
    row = store()
    before = connector()
    set_key(row, "another-key")
    row.save()
    assert (before.access.key, connector().access.key) == (SECRET, "another-key")
    assert row.ending == ""


def test_without_a_key_anywhere_the_error_names_the_variable() -> None:
    with pytest.raises(ConnectorError, match="set ANTHROPIC_API_KEY"):
        connector("anthropic")


def test_a_key_that_cannot_be_read_says_what_to_do_and_nothing_secret(settings: Any) -> None:
    row = store()
    settings.ENCRYPTION_KEYS = [NEW]
    with pytest.raises(ConnectorError, match="cannot be read with ENCRYPTION_KEYS") as raised:
        connector()
    assert row.encrypted_key not in str(raised.value)
    settings.ENCRYPTION_KEYS = []
    with pytest.raises(ConnectorError, match="encryption_key"):
        connector()


def test_a_key_copied_to_another_provider_is_not_sent_there() -> None:
    row = store()
    ProviderKey.objects.create(
        provider="compatible", base_url="https://evil.example", encrypted_key=row.encrypted_key
    )
    with pytest.raises(ConnectorError, match="cannot be read"):
        connector("compatible")


def test_a_provider_without_a_row_has_the_environment() -> None:
    assert "OPENAI_API_KEY" not in environment("openai")


# Encryption


def test_what_is_encrypted_can_be_read_for_its_purpose_alone() -> None:
    stored = encrypt("grüß dich\nzwei", "a")
    assert decrypt(stored, "a") == "grüß dich\nzwei"
    for text, purpose in ((stored, "b"), (stored[:-4] + "AAA=", "a"), ("", "a"), ("nonsense", "a")):
        with pytest.raises(CannotDecrypt):
            decrypt(text, purpose)


def test_without_a_key_nothing_is_stored(settings: Any) -> None:
    settings.ENCRYPTION_KEYS = []
    with pytest.raises(CannotEncrypt, match="encryption_key"):
        encrypt("secret", "a")


def test_older_keys_still_read_until_the_keys_are_rotated(settings: Any, capsys: Any) -> None:
    row = store()
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    assert connector().access.key == SECRET
    call_command("rotate_keys")
    assert "1 rotated" in capsys.readouterr().out
    settings.ENCRYPTION_KEYS = [NEW]
    assert connector().access.key == SECRET
    before = row.encrypted_key
    row.refresh_from_db()
    assert row.encrypted_key != before


def test_a_rotation_names_what_no_key_can_read(settings: Any) -> None:
    store()
    settings.ENCRYPTION_KEYS = [NEW]
    with pytest.raises(CommandError, match="fits these: openai"):
        call_command("rotate_keys")
    settings.ENCRYPTION_KEYS = []
    with pytest.raises(CommandError, match="ENCRYPTION_KEYS"):
        call_command("rotate_keys")


def test_a_command_makes_a_key(settings: Any, capsys: Any) -> None:
    call_command("encryption_key")
    settings.ENCRYPTION_KEYS = [capsys.readouterr().out.strip()]
    assert decrypt(encryption.encrypt("x", "a"), "a") == "x"


# Another provider's history


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "google", "compatible"])
def test_a_session_may_allow_one_owner_to_go_on_with_the_history_of_another(provider: str) -> None:
    for name in provider_keys.VARIABLES:
        store(name)
    foreign = ModelRequest([message("assistant", thinking("Hm", "s", "elsewhere"))], [], "m")
    with pytest.raises(ProviderMismatch, match="elsewhere") as raised:
        connector(provider).stream(foreign)
    assert raised.value.count == 1
    with pytest.raises(ProviderMismatch):
        connector(provider, providerTransfer="somebody else").stream(foreign)
    allowed = connector(provider, providerTransfer=raised.value.asked)
    assert allowed.access.provider == provider
    allowed.stream(foreign).close()
