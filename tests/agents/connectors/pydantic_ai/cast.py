"""The cast of the tests of real providers: the access to each, requests, and what is asked of answers."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

from agents.connectors import access
from agents.connectors.access import Access
from agents.connectors.base import Done, ModelEvent, ModelRequest
from agents.connectors.pydantic_ai import ProviderConnector, ProviderFailure
from agents.context.messages import InputItem
from tests.agents.connectors.wire_cast import TOOLS, developer, user

E = TypeVar("E")

ACCESSES = {
    "openai": access.openai,
    "openai-responses": access.openai_responses,
    "anthropic": access.anthropic,
    "google": access.google,
    "compatible": access.compatible,
}
# Models that think, so that encrypted reasoning goes both ways.
MODELS = {
    "openai": "gpt-4.1",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-5",
    "google": "gemini-2.5-pro",
    "compatible": "llama3:8b",
}
KEY = "sk-test-0123456789abcdefghij"


def access_to(name: str, url: str) -> Access:
    """Return the access to the provider of the tests under the name of a real one."""
    root = url if name in {"anthropic", "google"} else f"{url}/v1"
    prefix = "OPENAI" if name.startswith("openai") else name.upper()
    return ACCESSES[name]({f"{prefix}_BASE_URL": root, f"{prefix}_API_KEY": KEY})


def request_for(name: str, *items: InputItem, **more: Any) -> ModelRequest:
    given: Sequence[InputItem] = items or (developer("Be brief."), user("What time is it?"))
    return ModelRequest(given, more.pop("tools", TOOLS), MODELS[name], **more)


def only(events: Iterable[ModelEvent], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def done(events: Iterable[ModelEvent]) -> Done:
    (last,) = only(events, Done)
    return last


def blocks(events: Iterable[ModelEvent]) -> list[dict[str, Any]]:
    return [dict(block) for item in done(events).output for block in item["content"]]


def fail(connector: ProviderConnector, name: str) -> tuple[ProviderFailure, list[ModelEvent]]:
    events: list[ModelEvent] = []
    with pytest.raises(ProviderFailure) as caught:
        events.extend(connector.stream(request_for(name)))
    return caught.value, events
