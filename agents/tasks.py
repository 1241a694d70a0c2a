"""Celery tasks: each takes the id of a row and does nothing when there is nothing to do."""

from uuid import UUID

from celery import shared_task

from agents import maintenance, runner
from agents.queue import COMPACT_SESSION, ROLLOVER_SESSION, RUN_TURN


@shared_task(name=RUN_TURN)
def run_turn(turn_id: str) -> None:
    """Run a turn, unless it is finished, not next, or in somebody else's hands."""
    runner.run(UUID(turn_id))


@shared_task(name=COMPACT_SESSION)
def compact_session(record_id: str) -> None:
    """Carry out a compaction that a person asked for, unless it is done or the session is being run."""
    maintenance.carry_out(UUID(record_id))


@shared_task(name=ROLLOVER_SESSION)
def rollover_session(record_id: str) -> None:
    """Carry out a rollover that a person asked for; see ``compact_session``."""
    maintenance.carry_out(UUID(record_id))
