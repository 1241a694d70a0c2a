"""Who changes a store: a turn of an agent, a person, or a client."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.contrib.auth.models import User

from agents.bindings import Run
from agents.models import Turn
from memory.models import EntryRevision

AGENT_NAME = "agent"


@dataclass(frozen=True)
class Actor:
    """Who asks for a change, as the history keeps it.

    Attributes:
        kind: turn, person or client.
        name: in words: "agent", or the name of the person or client.
        fence: fencing number of the turn's lease; the change is refused once the lease is lost.
    """

    kind: EntryRevision.ActorKind
    name: str
    user_id: int | None = None
    turn_id: UUID | None = None
    fence: int | None = None

    @classmethod
    def turn(cls, turn: Turn, fence: int) -> "Actor":
        """Return the agent as it runs ``turn`` under the lease ``fence``."""
        return cls(EntryRevision.ActorKind.TURN, AGENT_NAME, turn_id=turn.pk, fence=fence)

    @classmethod
    def person(cls, user: User) -> "Actor":
        """Return a person who is signed in."""
        return cls(
            EntryRevision.ActorKind.PERSON, user.get_full_name() or user.get_username(), user_id=user.pk
        )

    @classmethod
    def of(cls, run: Run) -> "Actor":
        """Return who acts in a run: the agent in its turn, or the person who asked, under the run's lease."""
        if run.turn is not None:
            return cls.turn(run.turn, run.fence)
        asked = cls.person(run.person) if run.person else cls.client("contextsite")
        return replace(asked, fence=run.fence)

    @classmethod
    def client(cls, name: str) -> "Actor":
        """Return a program that acts for nobody in particular, such as an import."""
        return cls(EntryRevision.ActorKind.CLIENT, name)
