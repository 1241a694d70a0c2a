"""The connectors by the name of their provider; a real one is made, and its key read, on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import cast

from agents.connectors import access
from agents.connectors.access import Access, Environ
from agents.connectors.base import Connector, ConnectorError, ModelEvent, ModelRequest

Factory = Callable[[], Connector]

_ACCESSES: dict[str, Callable[[Environ], Access]] = {
    "openai": access.openai,
    "openai-responses": access.openai_responses,
    "anthropic": access.anthropic,
    "google": access.google,
    "compatible": access.compatible,
}
_IMPLEMENTATION = "agents.connectors.pydantic_ai"
# A turn that shall stop while the model is silent is noticed within this time.
_PATIENCE_S = 0.25
_PACKAGES = frozenset({"pydantic_ai", "httpx2", "openai", "anthropic", "google"})

_registered: dict[str, Factory] = {}


def register(provider: str, factory: Factory) -> None:
    """Let ``provider`` name the connectors that ``factory`` makes, also in place of a built-in one."""
    _registered[provider] = factory


def unregister(provider: str) -> None:
    """Forget a registered provider; a built-in one of that name is back."""
    _registered.pop(provider, None)


def providers() -> list[str]:
    """Return the names that ``connect`` knows."""
    return sorted({*_ACCESSES, *_registered})


def access_of(provider: str, environ: Environ = os.environ) -> Access:
    """Return where a built-in provider is asked and as whom.

    Raises:
        ConnectorError: the provider is unknown.
    """
    if provider not in _ACCESSES:
        raise ConnectorError(f"Unknown provider {provider!r}. Choose one of: {', '.join(providers())}.")
    return _ACCESSES[provider](environ)


def keyed_access(provider: str, environ: Environ = os.environ) -> Access:
    """Return what ``access_of`` does, once there is a key.

    Raises:
        ConnectorError: the provider is unknown, or its key is missing.
    """
    found = access_of(provider, environ)
    if not found.key:
        raise ConnectorError(f"No key for {provider}: set {found.key_variable} in the environment.")
    return found


def connect(
    provider: str, *, environ: Environ = os.environ, allow_provider_transfer: bool = False
) -> Connector:
    """Return the connector of a provider; turns that ask with the same key share it and its connections.

    Raises:
        ConnectorError: the provider is unknown, its key is missing, or the extra ``providers`` is not
            installed; the text says which.
    """
    if provider in _registered:
        return _registered[provider]()
    return _connector(keyed_access(provider, environ), allow_provider_transfer)


class LazyConnector:
    """Connects with the first request, so that an agent can be made without a key."""

    def __init__(self, provider: str, *, allow_provider_transfer: bool = False) -> None:
        self.provider = provider
        self._allow_provider_transfer = allow_provider_transfer

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Ask the provider.

        Raises:
            ConnectorError: as ``connect``, and as the connector.
        """
        connector = connect(self.provider, allow_provider_transfer=self._allow_provider_transfer)
        return connector.stream(request)


@lru_cache(maxsize=64)
def _connector(found: Access, allow_provider_transfer: bool) -> Connector:
    try:
        implementation = import_module(_IMPLEMENTATION)
    except ModuleNotFoundError as fault:
        if str(fault.name).partition(".")[0] not in _PACKAGES:
            raise
        raise ConnectorError(
            "Real providers need more packages: run `make providers`, or install contextsite[providers]."
        ) from fault
    made = implementation.ProviderConnector(
        found, allow_provider_transfer=allow_provider_transfer, patience_s=_PATIENCE_S
    )
    return cast("Connector", made)
