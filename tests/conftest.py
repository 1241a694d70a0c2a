"""What many tests share: the people of a story, an agent, a session, and properties without a clock."""

import pytest
from hypothesis import settings

from agents.models import AgentProfile, AgentSession
from tests.people import Cast, make_cast

# A shared machine has slow moments; they say nothing about a property.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def people(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def profile(people: Cast) -> AgentProfile:
    """Return an agent that the operator may steer and the member may watch."""
    return people.profile


@pytest.fixture
def session(people: Cast) -> AgentSession:
    return people.session
