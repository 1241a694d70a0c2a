"""Real providers, over the model classes of pydantic-ai."""

from agents.connectors.pydantic_ai.connector import ProviderConnector, RetryPolicy
from agents.connectors.pydantic_ai.failures import ProviderFailure

__all__ = ["ProviderConnector", "ProviderFailure", "RetryPolicy"]
