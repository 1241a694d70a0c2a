from collections.abc import Iterator
from typing import Any

import pytest

from agents import runner, sessions
from agents.connectors.scripted import ScriptedConnector, say
from agents.models import AgentSession
from memory.board import read_board, whiteboard_row
from memory.cards import BoardView, dom_id
from memory.receipt_feed import ReceiptPart
from memory.receipts import Receipt, receipt_of, seen_revision
from tests.agents import scripts
from tests.boards import write

pytestmark = pytest.mark.django_db

PART = ReceiptPart()


@pytest.fixture(autouse=True)
def connectors(settings: Any) -> Iterator[None]:
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    yield
    scripts.current.clear()


def ask(session: AgentSession) -> None:
    scripts.current["test"] = ScriptedConnector(say("Fine."))
    runner.run(sessions.submit_turn(session, "hi", None).pk)


def receipts(session: AgentSession) -> dict[str, Receipt | None]:
    board = read_board(session, whiteboard_row(session.pk))
    return {entry.key: receipt_of(entry) for entry in board.entries}


def frame(session: AgentSession, cursor: Any, view: BoardView | None = None) -> Any:
    return PART.read(session, {cursor})[cursor].frame(view or BoardView())


def test_a_card_is_not_seen_before_a_request_held_it(session: AgentSession) -> None:
    write(session, "plan", 1)
    assert receipts(session) == {"plan": None}


def test_a_card_names_the_first_call_that_held_it_as_it_is(session: AgentSession) -> None:
    write(session, "plan", 1)
    write(session, "limits", 1)
    ask(session)
    ask(session)
    assert receipts(session) == {"plan": Receipt(1, 1), "limits": Receipt(1, 1)}
    write(session, "plan", 2)
    assert receipts(session) == {"plan": None, "limits": Receipt(1, 1)}
    ask(session)
    assert receipts(session) == {"plan": Receipt(3, 1), "limits": Receipt(1, 1)}


def test_other_sessions_do_not_count(session: AgentSession) -> None:
    other = sessions.start_session(session.profile, None, "Other")
    write(other, "plan", 1)
    write(session, "plan", 1)
    ask(other)
    assert receipts(session) == {"plan": None}
    assert (seen_revision(session.pk), seen_revision(other.pk)) == (0, 1)


def test_pages_hear_what_the_model_has_seen_since(session: AgentSession) -> None:
    write(session, "plan", 1)
    ask(session)
    write(session, "limits", 1)
    ask(session)
    sent = frame(session, 1)
    assert [card["id"] for card in sent["cards"]] == [dom_id("limits")]
    assert "turn 2, call 1" in sent["cards"][0]["html"]
    assert len(frame(session, None)["cards"]) == 2
    assert PART.read(session, {2}) == {}


def test_nothing_is_said_of_cards_that_a_person_does_not_see(session: AgentSession) -> None:
    write(session, "secret", 1, shown=False)
    ask(session)
    assert frame(session, 0)["cards"] == []
    assert len(frame(session, 0, BoardView(pins=("secret",)))["cards"]) == 1


def test_a_session_without_a_board_has_no_receipts(session: AgentSession) -> None:
    assert PART.read(session, {None, 0}) == {}


def test_cards_that_a_new_view_brings_have_their_receipts_with_them(session: AgentSession) -> None:
    assert PART.transition(session, BoardView(), BoardView(pins=("a",))) == {"type": "receipts", "cards": []}
