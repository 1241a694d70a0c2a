"""Items of the context to and from what providers speak: OpenAI Chat and Responses, Anthropic Messages."""

from agents.connectors.wire.anthropic import from_anthropic, to_anthropic
from agents.connectors.wire.chat import from_chat, to_chat
from agents.connectors.wire.parts import NothingToSend, WireError
from agents.connectors.wire.responses import from_responses, to_responses

__all__ = [
    "NothingToSend",
    "WireError",
    "from_anthropic",
    "from_chat",
    "from_responses",
    "to_anthropic",
    "to_chat",
    "to_responses",
]
