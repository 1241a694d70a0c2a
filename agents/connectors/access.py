"""Where a provider is asked and as whom; keys and addresses come from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Dialect = Literal["chat", "responses", "anthropic", "google"]
"""How a provider is spoken to."""
Environ = Mapping[str, str]

# Servers of one's own often want no key, but the clients of the providers want a text.
NO_KEY = "no-key"


@dataclass(frozen=True)
class Access:
    """What it takes to ask one provider.

    Attributes:
        provider: the name used in ``provider:model``.
        base_url: where its API begins.
        key: secret, shown nowhere; empty when none was given.
        key_variable: the environment variable of the key, for error messages.
        address_variable: the one of the address.
        maker: the provider as encrypted items name it; both dialects of OpenAI are one.
        organization: sent to OpenAI; empty for the default one.
    """

    provider: str
    dialect: Dialect
    base_url: str
    key: str = field(repr=False)
    key_variable: str
    address_variable: str
    maker: str
    organization: str = ""

    @property
    def host(self) -> str:
        """The host that is asked, with its port."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def address(self) -> str:
        """Where its API begins, without what an address may hold of a user and a password."""
        return urlsplit(self.base_url)._replace(netloc=self.host, query="", fragment="").geturl()

    @property
    def has_key(self) -> bool:
        """Whether somebody gave a key."""
        return self.key not in ("", NO_KEY)

    @property
    def account(self) -> str:
        """Who can read the encrypted items of this access again: its organization at this host."""
        return f"{self.host}/{self.organization}" if self.organization else self.host


def openai(environ: Environ) -> Access:
    """Return the access to the Chat API of OpenAI, or to a proxy in front of it."""
    address = environ.get("OPENAI_BASE_URL") or ""
    return Access(
        provider="openai",
        dialect="chat",
        base_url=address or "https://api.openai.com/v1",
        key=environ.get("OPENAI_API_KEY") or _key_for(address),
        key_variable="OPENAI_API_KEY",
        address_variable="OPENAI_BASE_URL",
        maker="openai",
        organization=environ.get("OPENAI_ORG_ID") or "",
    )


def openai_responses(environ: Environ) -> Access:
    """Return the access to the Responses API of OpenAI."""
    chat = openai(environ)
    return Access(
        provider="openai-responses",
        dialect="responses",
        base_url=chat.base_url,
        key=chat.key,
        key_variable=chat.key_variable,
        address_variable=chat.address_variable,
        maker=chat.maker,
        organization=chat.organization,
    )


def anthropic(environ: Environ) -> Access:
    """Return the access to Anthropic."""
    address = environ.get("ANTHROPIC_BASE_URL") or ""
    return Access(
        provider="anthropic",
        dialect="anthropic",
        base_url=address or "https://api.anthropic.com",
        key=environ.get("ANTHROPIC_API_KEY") or _key_for(address),
        key_variable="ANTHROPIC_API_KEY",
        address_variable="ANTHROPIC_BASE_URL",
        maker="anthropic",
    )


def google(environ: Environ) -> Access:
    """Return the access to the Gemini API of Google."""
    address = environ.get("GOOGLE_BASE_URL") or ""
    return Access(
        provider="google",
        dialect="google",
        base_url=address or "https://generativelanguage.googleapis.com",
        key=environ.get("GOOGLE_API_KEY") or _key_for(address),
        key_variable="GOOGLE_API_KEY",
        address_variable="GOOGLE_BASE_URL",
        maker="google",
    )


def compatible(environ: Environ) -> Access:
    """Return the access to a server that speaks OpenAI's Chat API, such as vLLM or Ollama."""
    address = environ.get("COMPATIBLE_BASE_URL") or "http://127.0.0.1:11434/v1"
    return Access(
        provider="compatible",
        dialect="chat",
        base_url=address,
        key=environ.get("COMPATIBLE_API_KEY") or _key_for(address),
        key_variable="COMPATIBLE_API_KEY",
        address_variable="COMPATIBLE_BASE_URL",
        maker="compatible",
    )


def _key_for(address: str) -> str:
    """Return what stands for the key of a server with an address of its own."""
    return NO_KEY if address else ""
