"""The models of pydantic-ai, each with our HTTP client underneath, kept per event loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from agents.connectors.access import Access, Dialect
from agents.connectors.pydantic_ai.chat_model import ChatModel
from agents.connectors.pydantic_ai.openai_client import PlainOpenAI
from agents.connectors.transport import BodyCheck, open_client
from agents.connectors.validate import WireFormat, check_body

# Schemas of tools leave as they were counted; no provider's dialect of JSON Schema is guessed.
_PLAIN_SCHEMAS = ModelProfile(json_schema_transformer=None)
# A stream that ends without saying why it ends was cut.
_CHAT_PROFILE = OpenAIModelProfile(
    json_schema_transformer=None, openai_chat_streaming_requires_finish_reason=True
)
_DEFAULT_SETTINGS: dict[Dialect, ModelSettings] = {
    # The conversation is kept here; OpenAI need not keep a second copy.
    "responses": cast("ModelSettings", {"openai_store": False}),
}


@dataclass
class Endpoint:
    """One provider as one event loop reaches it.

    Attributes:
        client: keeps connections open between requests; closed by whoever opened the endpoint.
    """

    access: Access
    client: httpx2.AsyncClient
    _models: dict[str, Model[Any]] = field(default_factory=dict)

    def model(self, name: str) -> Model[Any]:
        """Return the model of that name."""
        if name not in self._models:
            self._models[name] = _BUILDERS[self.access.dialect](name, self.access, self.client)
        return self._models[name]


def open_endpoint(access: Access) -> Endpoint:
    """Return an endpoint whose requests are checked before they leave."""
    return Endpoint(access, open_client(access.base_url, _check_of(access.dialect)))


def default_settings(dialect: Dialect) -> ModelSettings:
    """Return the settings that a request has unless it says otherwise."""
    return _DEFAULT_SETTINGS.get(dialect, ModelSettings())


def _check_of(dialect: Dialect) -> BodyCheck | None:
    if dialect == "google":
        return None
    wire_format: WireFormat = dialect
    return lambda body: check_body(body, wire_format)


def _chat(name: str, access: Access, client: httpx2.AsyncClient) -> Model[Any]:
    asked = _openai_client(access, client)
    provider = (
        OpenAIProvider(openai_client=asked)
        if access.maker == "openai"
        else OpenAICompatibleProvider(access.maker, openai_client=asked)
    )
    return ChatModel(name, provider=provider, profile=_CHAT_PROFILE)


def _responses(name: str, access: Access, client: httpx2.AsyncClient) -> Model[Any]:
    provider = OpenAIProvider(openai_client=_openai_client(access, client))
    return OpenAIResponsesModel(name, provider=provider, profile=_PLAIN_SCHEMAS)


def _anthropic(name: str, access: Access, client: httpx2.AsyncClient) -> Model[Any]:
    asked = AsyncAnthropic(
        api_key=access.key,
        base_url=access.base_url,
        http_client=client,
        timeout=client.timeout,
        max_retries=0,
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=asked), profile=_PLAIN_SCHEMAS)


def _google(name: str, access: Access, client: httpx2.AsyncClient) -> Model[Any]:
    provider = GoogleProvider(api_key=access.key, base_url=access.base_url, http_client=client)
    return GoogleModel(name, provider=provider)


def _openai_client(access: Access, client: httpx2.AsyncClient) -> PlainOpenAI:
    # Retries are the connector's: a second copy of them would multiply.
    return PlainOpenAI(
        api_key=access.key,
        organization=access.organization or None,
        base_url=access.base_url,
        http_client=client,
        timeout=client.timeout,
        max_retries=0,
    )


_BUILDERS: dict[Dialect, Callable[[str, Access, httpx2.AsyncClient], Model[Any]]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "google": _google,
}
