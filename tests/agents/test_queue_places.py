import pytest

from agents.conversation import waiting_views
from agents.conversation_feed import HeadPart
from agents.models import AgentSession, Turn
from agents.queue_places import place_in_queue
from agents.sessions import announce, status_of, stop_turn, submit_turn
from tests.rows import make_profile, make_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def sessions() -> list[AgentSession]:
    """Return three sessions with a message each, in this order, the first with two."""
    profile = make_profile()
    made = [make_session(profile, title) for title in ("first", "second", "third")]
    for session in [*made, made[0]]:
        submit_turn(session, "hi", None)
    return made


def places(sessions: list[AgentSession]) -> list[int | None]:
    for session in sessions:
        session.refresh_from_db()
    return [place_in_queue(session) for session in sessions]


def take_up(session: AgentSession) -> None:
    turn = session.turns.filter(status=Turn.Status.QUEUED).order_by("index").first()
    assert turn is not None
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.RUNNING)
    session.refresh_from_db()
    announce(session, status=status_of(session))


def test_sessions_stand_in_the_order_of_their_messages(sessions: list[AgentSession]) -> None:
    assert places(sessions) == [1, 2, 3]


def test_a_message_behind_another_of_its_session_waits_for_no_worker_yet(
    sessions: list[AgentSession],
) -> None:
    take_up(sessions[0])
    assert places(sessions) == [None, 1, 2]


def test_who_leaves_makes_room(sessions: list[AgentSession]) -> None:
    stop_turn(sessions[1])
    assert places(sessions) == [1, None, 2]


def test_the_head_of_the_page_says_the_place_and_follows_it(sessions: list[AgentSession]) -> None:
    head = HeadPart()
    places(sessions)
    update = head.read(sessions[2], {None})[None]
    assert "3rd in the queue" in update.frame(None)["status"]
    assert head.read(sessions[2], {update.cursor}) == {}
    take_up(sessions[0])
    assert "2nd in the queue" in head.read(sessions[2], {update.cursor})[update.cursor].frame(None)["status"]
    take_up(sessions[2])
    assert "in the queue" not in head.read(sessions[2], {None})[None].frame(None)["status"]


def test_messages_of_one_session_say_their_place_in_line(sessions: list[AgentSession]) -> None:
    assert [(view.waits, view.place) for view in waiting_views(sessions[0])] == [(True, 1), (True, 2)]
    take_up(sessions[0])
    assert [(view.waits, view.place) for view in waiting_views(sessions[0])] == [(False, 0), (True, 1)]
