"""Pokes for workers. The Turn rows are the queue; a message only says that one may be run now."""

import logging
from uuid import UUID

from celery import current_app
from kombu.exceptions import OperationalError

RUN_TURN = "agents.run_turn"
COMPACT_SESSION = "agents.compact_session"
ROLLOVER_SESSION = "agents.rollover_session"

logger = logging.getLogger(__name__)


def poke_turn(turn_id: UUID) -> None:
    """Tell a worker about a turn; a broker that is down is logged, the sweep tells it again later."""
    _send(RUN_TURN, turn_id)


def poke_compaction(record_id: UUID) -> None:
    """Tell a worker about a compaction that a person asked for; see ``poke_turn``."""
    _send(COMPACT_SESSION, record_id)


def poke_rollover(record_id: UUID) -> None:
    """Tell a worker about a rollover that a person asked for; see ``poke_turn``."""
    _send(ROLLOVER_SESSION, record_id)


def _send(task: str, row_id: UUID) -> None:
    try:
        current_app.send_task(task, args=[str(row_id)], retry=False)
    except OperationalError:
        logger.warning("The broker did not take %s %s; it stays queued.", task, row_id)
