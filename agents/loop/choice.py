"""Which model an agent asks, and through what."""

from dataclasses import dataclass

from agents.connectors.base import Connector
from agents.connectors.registry import LazyConnector
from agents.context.models import split_model


@dataclass(frozen=True)
class ModelChoice:
    """A model and the connector to it.

    Attributes:
        model: with its provider where that is known; tells window and encoding.
        name: as the connector knows it.
    """

    model: str
    name: str
    connector: Connector


def choose(
    model: str, connector: str | Connector | None, *, allow_provider_transfer: bool = False
) -> ModelChoice:
    """Return the choice; ``connector="openai", model="gpt-4.1"`` equals ``model="openai:gpt-4.1"``.

    A provider is connected with the first request, so this needs no key.

    Raises:
        ValueError: neither says which provider it is.
    """
    if connector is not None and not isinstance(connector, str):
        return ModelChoice(model, split_model(model)[1], connector)
    if connector is None:
        provider, name = split_model(model)
    else:
        provider, name = connector, model.removeprefix(f"{connector}:")
    if not provider:
        raise ValueError(f'Say who serves the model {model!r}: model="provider:{model}" or connector=….')
    lazy = LazyConnector(provider, allow_provider_transfer=allow_provider_transfer)
    return ModelChoice(f"{provider}:{name}", name, lazy)
