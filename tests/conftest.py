"""What many tests share: a cast, an agent, a session, properties without a clock, and measured numbers."""

import os
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import settings

from agents.models import AgentProfile, AgentSession
from tests.people import Cast, make_cast

# A shared machine has slow moments; they say nothing about a property. People search new examples with
# every run; a gate must give the same answer twice.
settings.register_profile("unhurried", deadline=None, derandomize="CI" in os.environ)
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


Measured = Callable[[str], None]


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Measured:
    """Return what keeps a sentence with a measurement for the end of the run: shown, never asserted."""
    return partial(record_property, "measured")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("passed"):
        for name, sentence in report.user_properties:
            if name == "measured":
                terminalreporter.write_line(f"Measured: {sentence}")
