import pytest

from agents.conversation_feed import HeadPart
from agents.models import AgentSession
from agents.sessions import announce

pytestmark = pytest.mark.django_db

HEAD = HeadPart()


def test_the_head_is_sent_when_something_in_it_changed(session: AgentSession) -> None:
    update = HEAD.read(session, {None})[None]
    frame = update.frame(None)
    assert frame["type"] == "session"
    assert "Idle" in frame["status"]
    assert "scripted:test" in frame["status"]
    assert 'id="budget"' in frame["budget"]
    assert HEAD.read(session, {update.cursor}) == {}
    announce(session, doing="counting")
    assert HEAD.read(session, {update.cursor}) == {}
    announce(session, status=AgentSession.Status.RUNNING)
    assert "Running" in HEAD.read(session, {update.cursor})[update.cursor].frame(None)["status"]
