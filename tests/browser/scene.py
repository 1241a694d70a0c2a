"""Who takes part in one browser test."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Person:
    """Somebody with an account; the cookie is that of a browser where they are signed in."""

    name: str
    cookie: str


@dataclass(frozen=True)
class Scene:
    """An agent with one idle session, and people of this scene only.

    Attributes:
        agent: slug.
        session: id.
    """

    agent: str
    session: str
    operator: Person
    member: Person
    stranger: Person

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Scene":
        people = {role: Person(**told[role]) for role in ("operator", "member", "stranger")}
        return cls(agent=told["agent"], session=told["session"], **people)

    @property
    def path(self) -> str:
        """The page of the session."""
        return session_path(self.session)


def session_path(session: str) -> str:
    return f"/sessions/{session}/"
