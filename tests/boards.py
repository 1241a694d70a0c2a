"""Writes on whiteboards of tests, through the unit of work."""

from typing import Any

from agents.models import AgentSession
from memory.actors import Actor
from memory.bindings import change_board
from memory.models import EntryRevision

ROBOT = Actor.client("robot")


def write(session: AgentSession, key: str, value: object = "x", *, shown: bool = True, **more: Any) -> None:
    """Set a key; ``shown`` is the agent's wish, ``priority`` and ``actor`` may be given."""
    priority, actor = more.pop("priority", None), more.pop("actor", ROBOT)
    change_board(
        session.pk, lambda board: board.set(key, f"About {key}", value, priority, shown), actor=actor, **more
    )


def remove(session: AgentSession, key: str) -> None:
    change_board(session.pk, lambda board: board.delete(key), actor=ROBOT, action=EntryRevision.Action.DELETE)
