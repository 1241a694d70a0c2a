"""Twenty recorded conversations in rows: compacted to what fits, and restored to the identical prompt."""

from pathlib import Path
from typing import cast

import pytest

from agents import maintenance, sessions
from agents.bindings import Run
from agents.connectors.wire import from_chat
from agents.connectors.wire.parts import Wire
from agents.context import TiktokenEstimator
from agents.context.counting import count_item
from agents.context.json_values import decode
from agents.models import AgentSession, CompactionRecord, Message
from agents.opening import open_context
from tests.agents.test_compaction import prompt
from tests.people import Cast

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "conversations"
FILES = sorted(FOLDER.glob("*.json"))

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not FILES, reason="the recorded conversations are not beside the repository"),
]


def recorded(path: Path, people: Cast, window: int) -> AgentSession:
    """Return a session that holds the conversation, of an agent with so large a window."""
    people.profile.model, people.profile.response_reserve = "gpt-4.1", 0
    people.profile.max_context_tokens = window
    people.profile.save()
    session = sessions.start_session(people.profile, people.operator, path.stem)
    estimator = TiktokenEstimator("gpt-4.1")
    items = from_chat(cast("list[Wire]", decode(path.read_text(encoding="utf-8"))))
    talk = [each for each in items if each["type"] == "message" and each["role"] != "developer"]
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
        for place, item in enumerate(talk, start=1)
    )
    return session


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_in_rows_comes_back_as_it_was(path: Path, people: Cast) -> None:
    opened = open_context(Run(recorded(path, people, 10**7), None, 0)).context
    budget = opened.calculate_budget()
    session = recorded(path, people, int(budget.content_used * 0.6) + budget.tools_tokens)
    messages, before = list(Message.objects.filter(session=session).values()), prompt(session)
    record = maintenance.request_compaction(session, people.operator)
    maintenance.carry_out(record.pk)
    record.refresh_from_db()
    assert record.status == CompactionRecord.Status.DONE
    assert prompt(session) != before
    plan = record.plan
    assert plan["shortfall"] if record.tokens_after > record.target else plan["reachesTarget"]
    assert all(item["keptIn"] for item in plan["items"])
    assert [row["blocks"] for row in messages] == list(session.messages.values_list("blocks", flat=True))
    maintenance.restore(record, people.operator)
    assert prompt(session) == before
