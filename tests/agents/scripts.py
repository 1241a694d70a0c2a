"""A connector for runner tests: what the model says is set per test, by name."""

from agents.connectors.base import Connector
from agents.connectors.scripted import ScriptedConnector
from agents.models import AgentSession

current: dict[str, Connector] = {}


def connector(model: str, session: AgentSession) -> Connector:
    """Return the connector that the test set for the model, or one with nothing to say."""
    return current.get(model) or ScriptedConnector()
