import pytest

from agents import session_care
from agents.conversation_feed import HeadPart
from agents.models import AgentSession
from agents.sessions import announce

pytestmark = pytest.mark.django_db

HEAD = HeadPart()


def test_the_head_is_sent_when_something_in_it_changed(session: AgentSession) -> None:
    update = HEAD.read(session, {None})[None]
    frame = update.frame(None)
    assert frame["type"] == "session"
    assert frame["title"] == session.title
    assert "Idle" in frame["status"]
    assert "scripted:test" in frame["status"]
    assert 'id="budget"' in frame["budget"]
    assert HEAD.read(session, {update.cursor}) == {}
    announce(session, doing="counting")
    assert HEAD.read(session, {update.cursor}) == {}
    announce(session, status=AgentSession.Status.RUNNING)
    assert "Running" in HEAD.read(session, {update.cursor})[update.cursor].frame(None)["status"]


def test_another_title_reaches_everybody_who_watches(session: AgentSession) -> None:
    cursor = HEAD.read(session, {None})[None].cursor
    session_care.rename(session, "Survey of the <b>garden</b>")
    session.refresh_from_db()
    assert HEAD.read(session, {cursor})[cursor].frame(None)["title"] == "Survey of the <b>garden</b>"


def test_everybody_who_watches_sees_a_session_go_into_the_archive_and_come_back(
    session: AgentSession,
) -> None:
    cursor = HEAD.read(session, {None})[None].cursor
    session_care.archive(session)
    session.refresh_from_db()
    archived = HEAD.read(session, {cursor})[cursor]
    assert "In the archive" in archived.frame(None)["status"]
    session_care.unarchive(session)
    session.refresh_from_db()
    assert HEAD.read(session, {archived.cursor})[archived.cursor].cursor == cursor
