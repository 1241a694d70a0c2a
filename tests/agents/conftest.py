"""Fixtures of the tests of agents."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.agents import scripts, waiting_tools
from tests.agents.waiting_stage import Stage
from tests.rows import make_person


@pytest.fixture
def scripted(settings: Any) -> Iterator[None]:
    """Let the models of agents say what ``tests.agents.scripts`` is told to let them say."""
    with scripts.scripted(settings):
        yield


@pytest.fixture
def ana(db: None) -> User:
    return make_person("ana")


@pytest.fixture
def stage(db: None, settings: Any) -> Iterator[Stage]:
    """Return a session whose tools wait for people and for times."""
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    settings.AGENT_TOOLS = waiting_tools.PATHS
    yield Stage.open()
    scripts.current.clear()
