"""How providers are reached: by what an admin stored, encrypted, or else by the environment."""

import os
from collections.abc import Mapping

from django.db import transaction

from agents.connectors.base import Connector, ConnectorError
from agents.connectors.ownership import owner_of
from agents.connectors.registry import access_of, connect, keyed_access
from agents.context.models import split_model
from agents.encryption import CannotDecrypt, CannotEncrypt, decrypt, encrypt, rotate
from agents.models import AgentSession, ProviderKey

SHOWN_ENDING = 4
# Of a shorter key the end would give too much away.
SHORTEST_WITH_ENDING = 20

# The environment variables of each provider: its key and its address.
VARIABLES = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "google": ("GOOGLE_API_KEY", "GOOGLE_BASE_URL"),
    "compatible": ("COMPATIBLE_API_KEY", "COMPATIBLE_BASE_URL"),
}


class ForSession:
    """Makes the connector of a session's turn, as an entry of ``settings.AGENT_CONNECTORS``.

    The session's setting ``providerTransfer`` names the provider and account that may go on with another
    one's history.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider

    def __call__(self, model: str, session: AgentSession) -> Connector:
        """Return the connector; the requests name the model.

        Raises:
            ConnectorError: there is no key, or the stored one cannot be read.
        """
        environ = environment(self._provider)
        owner = owner_of(access_of(self._provider, environ))
        may_transfer = session.settings.get("providerTransfer") == owner
        return connect(self._provider, environ=environ, allow_provider_transfer=may_transfer)


openai = ForSession("openai")
openai_responses = ForSession("openai-responses")
anthropic = ForSession("anthropic")
google = ForSession("google")
compatible = ForSession("compatible")


def environment(provider: str) -> Mapping[str, str]:
    """Return the environment with what is stored for the provider in place of its own variables.

    Raises:
        ConnectorError: the stored key cannot be read.
    """
    shared = provider.removesuffix("-responses")
    row = ProviderKey.objects.filter(provider=shared).first()
    if row is None:
        return os.environ
    key_variable, address_variable = VARIABLES[shared]
    return {**os.environ, key_variable: _key(row), address_variable: row.base_url}


def setup_fault(model: str) -> str:
    """Return why the model's provider cannot be asked as things are, for people; empty when it can."""
    provider, _ = split_model(model)
    if provider.removesuffix("-responses") not in VARIABLES:
        return ""
    try:
        keyed_access(provider, environment(provider))
    except ConnectorError as fault:
        return str(fault)
    return ""


def set_key(row: ProviderKey, key: str) -> None:
    """Put the key into the unsaved row; empty removes it.

    Raises:
        CannotEncrypt: there is no key to encrypt with.
    """
    row.encrypted_key = encrypt(key, _purpose(row)) if key else ""
    row.ending = key[-SHOWN_ENDING:] if len(key) >= SHORTEST_WITH_ENDING else ""


def rotate_keys() -> tuple[int, list[str]]:
    """Return how many keys are now under the first encryption key, and the providers whose key is lost.

    Raises:
        CannotEncrypt: there is no encryption key.
    """
    lost: list[str] = []
    count = 0
    with transaction.atomic():
        for row in ProviderKey.objects.select_for_update().exclude(encrypted_key=""):
            try:
                row.encrypted_key = rotate(row.encrypted_key)
            except CannotDecrypt:
                lost.append(row.provider)
            else:
                row.save(update_fields=["encrypted_key"])
                count += 1
    return count, lost


def _key(row: ProviderKey) -> str:
    if not row.encrypted_key:
        return ""
    try:
        return decrypt(row.encrypted_key, _purpose(row))
    except CannotEncrypt as fault:
        raise ConnectorError(f"The stored key of {row.provider} cannot be read. {fault}") from None
    except CannotDecrypt:
        raise ConnectorError(
            f"The stored key of {row.provider} cannot be read with ENCRYPTION_KEYS. An admin has to enter it "
            "again, or to add the encryption key that was used."
        ) from None


def _purpose(row: ProviderKey) -> str:
    return f"provider-key:{row.provider}"
