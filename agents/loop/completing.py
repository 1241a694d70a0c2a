"""One prompt to a model, without tools and without any context."""

from collections.abc import Mapping
from typing import Any

from agents.connectors.base import Connector, ConnectorError, Done, ModelRequest


def complete(connector: Connector, model: str, settings: Mapping[str, Any], prompt: str) -> str:
    """Return what the model answers.

    Raises:
        ConnectorError: it could not be asked, or broke off.
    """
    message = {
        "type": "message",
        "id": "prompt",
        "role": "user",
        "content": [{"type": "input_text", "text": prompt}],
    }
    request = ModelRequest([message], (), model, settings, may_call_tools=False)
    for event in connector.stream(request):
        if isinstance(event, Done):
            blocks = [block for item in event.output for block in item.get("content", ())]
            return "".join(block["text"] for block in blocks if block["type"] == "output_text")
    raise ConnectorError("The model's answer broke off before its end. Try again.")
