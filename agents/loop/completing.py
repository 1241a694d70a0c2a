"""One prompt to a model, without tools and without any context."""

from collections.abc import Callable, Mapping
from typing import Any

from agents.connectors.base import Connector, ConnectorError, Done, ModelEvent, ModelRequest

Observe = Callable[[ModelEvent], object]


def prompt_request(model: str, settings: Mapping[str, Any], prompt: str) -> ModelRequest:
    """Return the request that asks only this."""
    message = {
        "type": "message",
        "id": "prompt",
        "role": "user",
        "content": [{"type": "input_text", "text": prompt}],
    }
    return ModelRequest([message], (), model, settings, may_call_tools=False)


def complete(
    connector: Connector,
    model: str,
    settings: Mapping[str, Any],
    prompt: str,
    *,
    observe: Observe | None = None,
) -> str:
    """Return what the model answers; ``observe`` gets every event of its stream.

    Raises:
        ConnectorError: it could not be asked, or broke off.
    """
    for event in connector.stream(prompt_request(model, settings, prompt)):
        if observe is not None:
            observe(event)
        if isinstance(event, Done):
            blocks = [block for item in event.output for block in item.get("content", ())]
            return "".join(block["text"] for block in blocks if block["type"] == "output_text")
    raise ConnectorError("The model's answer broke off before its end. Try again.")
