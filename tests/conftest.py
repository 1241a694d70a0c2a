"""Fixtures that many tests share: the people of a story, an agent, and a session with a whiteboard."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from agents.models import AgentProfile, AgentSession
from tests.rows import make_person, make_profile, make_session


@dataclass(frozen=True)
class Cast:
    """Who may do what with the agent of the test.

    Attributes:
        operator: may see and act.
        member: may see.
        stranger: belongs to no agent.
        staff: may see and act on everything.
    """

    operator: User
    member: User
    stranger: User
    staff: User


@pytest.fixture
def people(db: None) -> Cast:
    return Cast(
        operator=make_person("olga"),
        member=make_person("mira"),
        stranger=make_person("stan"),
        staff=make_person("stella", staff=True),
    )


@pytest.fixture
def profile(people: Cast) -> AgentProfile:
    """Return an agent that the operator may steer and the member may watch."""
    profile = make_profile()
    profile.operators.add(people.operator)
    profile.members.add(people.member)
    return profile


@pytest.fixture
def session(profile: AgentProfile) -> AgentSession:
    return make_session(profile)
