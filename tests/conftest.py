"""What many tests share: a cast, an agent, a session, properties without a clock, and measured numbers."""

import os
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.db import connection
from hypothesis import settings
from pytest_django import DjangoDbBlocker

from agents.models import AgentProfile, AgentSession
from tests.people import Cast, make_cast

# A shared machine has slow moments; they say nothing about a property. People search new examples with
# every run; a gate must give the same answer twice.
settings.register_profile("unhurried", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let go of the test database before it is dropped, whatever a thread of a test still holds.

    PostgreSQL drops no database that somebody is connected to, and a thread that another test left may be.
    """
    yield
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            connection.close()


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
