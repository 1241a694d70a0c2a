"""Who answers for a session's model, and how a process holds no database connection meanwhile."""

import threading
from contextlib import suppress
from importlib import import_module

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string

from agents.connectors.base import Connector, ConnectorError
from agents.connectors.registry import providers
from agents.context.models import split_model
from agents.models import AgentProfile, AgentSession


def connector_of(session: AgentSession) -> tuple[Connector, str]:
    """Return the connector for the session's model, and the model's name without its provider.

    Raises:
        ConnectorError: no connector is set up for the provider.
    """
    provider, model = split_model(str(session.settings["model"]))
    path = settings.AGENT_CONNECTORS.get(provider)
    if path is None:
        known = ", ".join(sorted(settings.AGENT_CONNECTORS))
        raise ConnectorError(f"No connector is set up for {provider!r}. Choose a model of: {known}.")
    connector: Connector = import_string(path)(model, session)
    return connector, model


def give_connections_back() -> None:
    """Hold no database connection while the model works."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


def warm_up() -> None:
    """Load in the background what the first turn would otherwise wait for, which takes seconds."""
    threading.Thread(target=_load_providers, name="warm-up", daemon=True).start()


def _load_providers() -> None:
    models = AgentProfile.objects.values_list("model", flat=True).distinct()
    asked = {split_model(model)[0] for model in models}
    connections.close_all()
    if asked.intersection(providers()):
        # Without the extra, the turn itself says what is missing.
        with suppress(ModuleNotFoundError):
            import_module("agents.connectors.pydantic_ai")
