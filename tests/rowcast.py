"""Fills every table with rows of one story, for tests of the admin."""

from agents.models import AgentProfile, AgentSession, RecordedTurn, Recording, Turn
from agents.sessions import submit_turn
from memory.models import CardLayout, Pin
from tests.boards import write
from tests.rows import make_person, make_profile, make_session


def tell_story(number: int) -> AgentSession:
    """Write one row or more into every table, each belonging to other owners than those of other numbers."""
    person = make_person(f"person-{number}")
    profile = make_profile(f"agent-{number}")
    profile.operators.add(person)
    session = make_session(profile, f"Story {number}")
    AgentSession.objects.filter(pk=session.pk).update(user=person)
    turn = submit_turn(session, f"question {number}", person)
    message = session.messages.create(
        turn=turn,
        sequence=1,
        item_id=f"item-{number}",
        role="user",
        blocks=[{"type": "input_text", "text": "<b>hello</b>"}],
        tokens=3,
        revision=1,
    )
    turn.approvals.create(
        message=message, place=0, tool="send", risk="high", arguments='{"to":"<b>"}', digest="0" * 64
    )
    turn.calls.create(
        session=session, ordinal=1, model_asked="scripted:test", body_size=0, estimated_tokens=number
    )
    write(session, "progress", {"steps": [1, 2], "note": "<script>"})
    Recording.objects.create(session=session, source=f"talk-{number}.json", message_count=2, tools=["search"])
    RecordedTurn.objects.create(turn=turn, replies=[], end_position=2)
    Pin.objects.create(user=person, profile=profile, key="progress")
    CardLayout.objects.create(user=person, profile=profile, key="progress")
    return session


def fail_turn(session: AgentSession) -> Turn:
    """Mark the session's turn as failed and return it."""
    turn = session.turns.get()
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.FAILED, error="no answer")
    turn.refresh_from_db()
    return turn


def profile_of(number: int) -> AgentProfile:
    """Return the agent of a story."""
    return AgentProfile.objects.get(slug=f"agent-{number}")
