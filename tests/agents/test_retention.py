from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from agents import model_calls
from agents.models import AgentSession, ModelCall, Part
from agents.parts import store_body
from agents.retention import HOUR_S, Hourly, drop_old_bodies
from agents.sessions import submit_turn
from tests.rows import make_session

pytestmark = pytest.mark.django_db


def make_call(body: bytes, *, days_old: int) -> ModelCall:
    session = AgentSession.objects.first() or make_session()
    call = ModelCall.objects.create(
        session=session,
        turn=submit_turn(session, "hi", None),
        ordinal=1,
        model_asked="scripted:test",
        body_parts=store_body(body),
        body_sha256=sha256(body).hexdigest(),
        body_size=len(body),
        estimated_tokens=7,
        input_tokens=8,
    )
    then = timezone.now() - timedelta(days=days_old)
    ModelCall.objects.filter(pk=call.pk).update(started_at=then)
    Part.objects.filter(used_on=timezone.now().date()).update(used_on=then.date())
    return call


def test_old_bodies_go_and_their_numbers_stay() -> None:
    old = make_call(b'{"messages":[1]}', days_old=9)
    new = make_call(b'{"messages":[2]}', days_old=1)
    assert drop_old_bodies() == 1
    for call in (old, new):
        call.refresh_from_db()
    assert model_calls.request_text(old) is None
    assert (old.estimated_tokens, old.input_tokens) == (7, 8)
    assert model_calls.request_text(new) == '{"messages":[2]}'
    assert drop_old_bodies() == 0


def test_parts_that_a_newer_request_holds_stay() -> None:
    make_call(b'{"messages":[1]}', days_old=9)
    new = make_call(b'{"messages":[1]}', days_old=1)
    drop_old_bodies()
    assert model_calls.request_text(new) == '{"messages":[1]}'


def test_a_chore_is_done_once_an_hour() -> None:
    now, done = [5.0], list[int]()
    chore = Hourly(lambda: done.append(1), lambda: now[0])
    for seconds in (0.0, 60.0, HOUR_S):
        now[0] = 5.0 + seconds
        chore.do()
    assert len(done) == 2
