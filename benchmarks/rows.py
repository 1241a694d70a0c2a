"""Rows: one change of a whiteboard, and 10,000 stored messages made a prompt, in a database of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from django.db import connection

from agents.bindings import Run
from agents.context import TiktokenEstimator
from agents.context.counting import count_item
from agents.models import AgentProfile, AgentSession, Message
from agents.opening import open_context
from agents.sessions import start_session, submit_turn
from benchmarks.encoding import encoded_texts
from benchmarks.messages import make_items
from benchmarks.timing import medians_ms, print_table, timed
from memory.actors import Actor
from memory.bindings import change_board

MODEL = "gpt-4.1"
WINDOW = 10_000_000
ENTRIES = 20
MESSAGES = 10_000
WRITER = Actor.client("benchmark")


def main() -> None:
    with own_database():
        profile = AgentProfile.objects.create(
            slug="bench", name="Bench", model=MODEL, max_context_tokens=WINDOW
        )
        session = start_session(profile, None, "Measured")
        _fill_board(session)
        print(f"Rows: {connection.vendor}, a board of {ENTRIES} entries, medians in ms")
        change = medians_ms(
            {"change": timed(_numbers(), lambda number: _set(session, "entry_7", number))}, 100
        )
        fill_conversation(session, MESSAGES)
        run = _run(session)
        load = medians_ms({"load": timed(lambda: run, _load_and_prepare)}, 20)
        texts = encoded_texts(lambda: _load_and_prepare(run))
        print_table(
            ["what", "rounds", "ms", "texts encoded"],
            [
                ("change_board: one set", 100, change["change"], "-"),
                (f"load {MESSAGES:,} messages and prepare()", 20, load["load"], len(texts)),
            ],
        )


@contextmanager
def own_database() -> Iterator[None]:
    name = connection.creation.create_test_db(verbosity=0, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def _numbers() -> Callable[[], int]:
    numbers = count()
    return lambda: next(numbers)


def _fill_board(session: AgentSession) -> None:
    for place in range(ENTRIES):
        _set(session, f"entry_{place}", {"files": [f"docs/{place}.md"] * 10, "note": "Nothing yet. " * 20})


def _set(session: AgentSession, key: str, value: object) -> None:
    change_board(session.pk, lambda board: board.set(key, "A finding", value), actor=WRITER)


def fill_conversation(session: AgentSession, messages: int) -> None:
    estimator = TiktokenEstimator(MODEL)
    Message.objects.bulk_create(
        Message(
            session=session,
            sequence=place,
            item_id=item["id"],
            role=item["role"],
            blocks=item["content"],
            tokens=count_item(item, estimator),
            revision=1,
        )
        for place, item in enumerate(make_items(messages), start=1)
        if item["type"] == "message"
    )


def _run(session: AgentSession) -> Run:
    turn = submit_turn(session, "Go on.", None)
    return Run(session, turn, fence=session.fence)


def _load_and_prepare(run: Run) -> None:
    open_context(run).context.prepare()
