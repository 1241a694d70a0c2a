import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from agents import maintenance
from agents.connectors.scripted import say
from agents.models import AgentSession, CompactionRecord, Message, Turn
from agents.sessions import start_session
from memory.bindings import open_notes
from tests.agents.scripts import run, say_next
from tests.people import Cast

ROOT = Path(__file__).resolve().parents[2]
LONG = "The quick brown fox jumps over the lazy dog. " * 120
COMPACTION_STEPS = {
    "after notes, before marks": "_mark_messages",
    "after marks": "_spans",
    "before commit": "announce",
}
ROLLOVER_STEPS = {"before marks": "_write", "before commit": "announce"}

# Another process must see the rows.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("scripted")]


@pytest.fixture
def filled(people: Cast) -> AgentSession:
    people.profile.max_context_tokens, people.profile.response_reserve = 9_000, 500
    people.profile.save()
    session = start_session(people.profile, people.operator, "Small window")
    for number in range(6):
        say_next(say(f"answer {number}. {LONG}"))
        assert run(session, f"question {number}", people.operator).status == Turn.Status.SUCCEEDED
    return session


def database_url() -> str:
    """Return the address of the test's own database, for another process."""
    place = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{place['NAME']}"
    account = f"{place['USER']}:{place['PASSWORD']}" if place["PASSWORD"] else place["USER"]
    return f"postgresql://{account}@{place['HOST']}:{place['PORT']}/{place['NAME']}"


def kill_at(record: UUID, module: str, function: str) -> None:
    """Carry it out in a process that dies there, and let its lease end as if time had passed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.agents.doomed", str(record), module, function],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": database_url()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    AgentSession.objects.update(lease_until="2000-01-01T00:00Z")


def rows(session: AgentSession) -> tuple[Any, ...]:
    """Return everything that a compaction or rollover may change."""
    return list(Message.objects.order_by("sequence").values()), open_notes(session).get_state()


@pytest.mark.parametrize(
    ("request_it", "module", "steps"),
    [
        (maintenance.request_compaction, "agents.compaction", COMPACTION_STEPS),
        (partial(maintenance.request_rollover, preserve_recent_turns=2), "agents.rollover", ROLLOVER_STEPS),
    ],
    ids=["compaction", "rollover"],
)
def test_a_process_killed_at_any_step_leaves_the_session_as_it_was_and_the_next_one_ends_it(
    filled: AgentSession,
    people: Cast,
    request_it: Callable[..., CompactionRecord],
    module: str,
    steps: dict[str, str],
) -> None:
    record = request_it(filled, people.operator)
    before = rows(filled)
    for step, function in steps.items():
        kill_at(record.pk, module, function)
        assert rows(filled) == before, step
    say_next(say("A brief."))
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == CompactionRecord.Status.DONE, record.error
    assert rows(filled) != before
    say_next(say("yes"))
    assert run(filled, "go on", people.operator).status == Turn.Status.SUCCEEDED
