"""Fixtures of the tests of agents."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.agents import scripts, waiting_tools
from tests.agents.waiting_stage import Stage


@pytest.fixture
def stage(db: None, settings: Any) -> Iterator[Stage]:
    """Return a session whose tools wait for people and for times."""
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    settings.AGENT_TOOLS = waiting_tools.PATHS
    yield Stage.open()
    scripts.current.clear()
