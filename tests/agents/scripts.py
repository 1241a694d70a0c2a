"""Turns of a scripted model for tests: what it says is set per test, by the model's name."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User

from agents import runner, sessions
from agents.connectors.base import Connector, ModelRequest
from agents.connectors.scripted import ScriptedConnector, call
from agents.models import AgentSession, Turn

current: dict[str, Connector] = {}


def connector(model: str, session: AgentSession) -> Connector:
    """Return the connector that the test set for the model, or one with nothing to say."""
    return current.get(model) or ScriptedConnector()


@contextmanager
def scripted(settings: Any) -> Iterator[None]:
    """Let scripts answer for every agent of the provider ``scripted``."""
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    yield
    current.clear()


def say_next(*replies: Any) -> ScriptedConnector:
    """Set what the model ``test`` says from now on."""
    script = ScriptedConnector(*replies)
    current["test"] = script
    return script


def store_set(key: str, value: object, call_id: str = "c1", **more: object) -> list[Any]:
    """Return a reply that writes an entry of the whiteboard."""
    arguments = {"store": "whiteboard", "key": key, "description": f"about {key}", "value": value} | more
    return call((call_id, "store_set", json.dumps(arguments)))


def run(session: AgentSession, text: str, author: User) -> Turn:
    """Send a message and run its turn as a worker would."""
    turn = sessions.submit_turn(session, text, author)
    runner.run(turn.pk)
    turn.refresh_from_db()
    session.refresh_from_db()
    return turn


def roles(session: AgentSession) -> list[str]:
    """Return who said each message of the session."""
    return list(session.messages.order_by("sequence").values_list("role", flat=True))


def unanswered(request: ModelRequest) -> set[str]:
    """Return the ids of calls without result, and of results without call."""
    blocks = [block for item in request.input for block in item["content"]]
    calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return calls ^ {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
