import random
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connection

from memory.actors import Actor
from memory.bindings import board_at, change_board, open_board, whiteboard_of
from memory.models import EntryRevision
from memory.plugins.whiteboard import InContextMemory, WhiteboardFull
from tests.rows import make_profile, make_session

WRITERS = 4
OPERATIONS = 250
MAX_ENTRIES = 12
COUNTER = "counter"
PRIORITIES = ("low", "normal", "high", "critical")
Change = Callable[[InContextMemory], object]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="DATABASE_URL does not name PostgreSQL")
def test_four_writers_lose_nothing_and_leave_no_gap() -> None:
    session = make_session(make_profile(whiteboard_max_entries=MAX_ENTRIES))
    sizes: list[int] = []
    faults: list[BaseException] = []

    def write(seed: int) -> None:
        dice = random.Random(seed)
        actor = Actor.client(f"writer {seed}")
        try:
            for number in range(OPERATIONS):
                action, apply = change_at_random(dice, seed * OPERATIONS + number)
                change = change_board(session.pk, counted(apply), actor=actor, action=action)
                sizes.append(len(change.plugin.entries()))
        except BaseException as fault:
            faults.append(fault)
            raise
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not faults
    board = open_board(session)
    assert board.get(COUNTER) == WRITERS * OPERATIONS
    assert max(sizes) <= MAX_ENTRIES
    store = whiteboard_of(session.pk)
    revisions = sorted(set(store.revisions.values_list("revision", flat=True)))
    assert revisions == list(range(1, store.revision + 1))
    assert board_at(session, store.revision).get_contents() == board.get_contents()


def change_at_random(dice: random.Random, number: int) -> tuple[EntryRevision.Action, Change]:
    key = f"key{dice.randrange(20)}"
    roll = dice.random()
    if roll < 0.75:
        priority = dice.choices(PRIORITIES, (5, 5, 3, 1))[0]
        return EntryRevision.Action.SET, lambda board: board.set(key, "written", number, priority)
    if roll < 0.97:
        return EntryRevision.Action.DELETE, lambda board: board.delete(key)
    return EntryRevision.Action.CLEAR, clear_all_but_the_counter


def clear_all_but_the_counter(board: InContextMemory) -> None:
    for entry in board.entries():
        if entry.key != COUNTER:
            board.delete(entry.key)


def counted(apply: Change) -> Change:
    """Do the operation and count it on the board itself: a lost update would be missing in the count."""

    def both(board: InContextMemory) -> None:
        before = board.get(COUNTER) if board.has(COUNTER) else 0
        assert isinstance(before, int)
        board.set(COUNTER, "operations so far", before + 1, "critical")
        with suppress(WhiteboardFull):
            apply(board)

    return both
