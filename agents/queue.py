"""Pokes for workers. The Turn rows are the queue; a message only says that one may be run now."""

import logging
from uuid import UUID

from celery import current_app
from kombu.exceptions import OperationalError

RUN_TURN = "agents.run_turn"

logger = logging.getLogger(__name__)


def poke_turn(turn_id: UUID) -> None:
    """Tell a worker about a turn; a broker that is down is logged, the sweep tells it again later."""
    try:
        current_app.send_task(RUN_TURN, args=[str(turn_id)], retry=False)
    except OperationalError:
        logger.warning("The broker did not take turn %s; it stays queued.", turn_id)
