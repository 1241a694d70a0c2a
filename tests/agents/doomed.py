"""Carries out a compaction or rollover in a process of its own that is killed at a named function.

Started as ``python -m tests.agents.doomed RECORD MODULE FUNCTION`` with the database of the test.
"""

import importlib
import os
import signal
import sys
from typing import NoReturn
from uuid import UUID

import django

django.setup()

from django.conf import settings  # noqa: E402

from agents import maintenance  # noqa: E402
from agents.connectors.scripted import ScriptedConnector, say  # noqa: E402
from tests.agents import scripts  # noqa: E402


def die(*_: object, **__: object) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("SIGKILL was survived")


def main(record: str, module: str, function: str) -> None:
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    scripts.current["test"] = ScriptedConnector(say("A brief."))
    target = importlib.import_module(module)
    getattr(target, function)
    setattr(target, function, die)
    maintenance.carry_out(UUID(record))


if __name__ == "__main__":
    main(*sys.argv[1:])
