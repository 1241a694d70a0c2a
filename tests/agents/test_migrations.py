"""What migrations make of rows that were there before them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from agents.models import Message
from tests.rows import make_session

pytestmark = pytest.mark.django_db(transaction=True)


class Past:
    """A database as it was, with one session."""

    def __init__(self, migration: str) -> None:
        self._session = make_session().pk
        self._turns = 0
        target = [("agents", migration)]
        MigrationExecutor(connection).migrate(target)
        self._models = MigrationExecutor(connection).loader.project_state(target).apps

    def leave(self) -> None:
        """Bring the database to the present."""
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes("agents"))

    def cut_answer(
        self, *calls: str, said: str = "Half", in_context: bool = True, status: str = "failed"
    ) -> Any:
        """Return the id of an answer that was cut in the first of a turn's calls, which ended so."""
        self._turns += 1
        in_session = {"session_id": self._session}
        turn = self._create("Turn", **in_session, index=self._turns, input="go", status=status)
        begun = timezone.now()
        for ordinal, outcome in enumerate(calls, start=1):
            self._create(
                "ModelCall",
                at={"started_at": begun + timedelta(seconds=2 * ordinal)},
                **in_session,
                turn_id=turn,
                ordinal=ordinal,
                status=outcome,
                model_asked="m",
                body_size=0,
                estimated_tokens=0,
            )
        return self._create(
            "Message",
            at={"created_at": begun + timedelta(seconds=3)},
            **in_session,
            turn_id=turn,
            sequence=self._turns,
            item_id=str(turn),
            role="assistant",
            blocks=[{"type": "output_text", "text": said}],
            is_cut=True,
            in_context=in_context,
            tokens=1,
            revision=1,
        )

    def _create(self, model: str, *, at: Any = None, **columns: Any) -> Any:
        rows = self._models.get_model("agents", model).objects
        row = rows.create(**columns)
        rows.filter(pk=row.pk).update(**(at or {"created_at": timezone.now()}))
        return row.pk


@pytest.fixture
def past() -> Iterator[Past]:
    past = Past("0014_calls_of_rollovers")
    yield past
    past.leave()


def test_answers_that_were_cut_get_their_reason_from_their_call(past: Past) -> None:
    expected = {
        past.cut_answer("stopped"): (Message.Cut.STOPPED, False),
        past.cut_answer("stopped", in_context=False): (Message.Cut.STOPPED, False),
        past.cut_answer("stopped", "succeeded", in_context=False): (Message.Cut.STOPPED, True),
        past.cut_answer("failed", in_context=False, status="queued"): (Message.Cut.FAILED, True),
        past.cut_answer("failed", "failed", in_context=False): (Message.Cut.FAILED, True),
        past.cut_answer("succeeded"): (Message.Cut.PROVIDER, False),
        past.cut_answer("succeeded", "failed", in_context=False): (Message.Cut.PROVIDER, False),
        past.cut_answer("succeeded", said=" \n"): (Message.Cut.SILENT, False),
        past.cut_answer(): (Message.Cut.STOPPED, False),
    }
    past.leave()
    found = {row.pk: (row.cut, row.is_replaced) for row in Message.objects.all()}
    assert found == expected
