import json
import zlib
from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from agents import session_care
from agents.models import AgentProfile, AgentSession, ModelCall, Part, Turn
from agents.parts import GIVEN_UP, DamagedBody, drop_given_up, give_up_parts, load_body, store_body
from agents.retention import drop_old_bodies
from agents.sessions import stop_turn, submit_turn
from tests.rows import make_session

pytestmark = pytest.mark.django_db


def body_of(*texts: str) -> bytes:
    return json.dumps({"messages": [{"role": "user", "content": text} for text in texts]}).encode()


def checksum(body: bytes) -> str:
    return sha256(body).hexdigest()


def test_a_body_comes_back_byte_for_byte() -> None:
    body = body_of("Ähre", "b" * 40_000, "c")
    assert load_body(store_body(body), checksum(body)) == body


def test_what_is_stored_already_is_not_stored_again() -> None:
    body = body_of(*(f"message {number}" for number in range(100)))
    store_body(body)
    before = Part.objects.count()
    store_body(body)
    assert Part.objects.count() == before


def test_parts_are_compressed() -> None:
    store_body(body_of("b" * 40_000))
    assert sum(len(bytes(part.data)) for part in Part.objects.all()) < 1000


def test_using_a_part_again_keeps_it_from_being_dropped() -> None:
    body = body_of("a")
    store_body(body)
    Part.objects.update(used_on=timezone.now().date() - timedelta(days=30))
    store_body(body)
    assert set(Part.objects.values_list("used_on", flat=True)) == {timezone.now().date()}


def test_a_body_with_a_lost_part_is_refused() -> None:
    body = body_of("a")
    digests = store_body(body)
    Part.objects.all().delete()
    with pytest.raises(DamagedBody, match="damaged"):
        load_body(digests, checksum(body))


def call_of(session: AgentSession, body: bytes) -> ModelCall:
    return ModelCall.objects.create(
        session=session,
        turn=submit_turn(session, "hi", None),
        ordinal=1,
        model_asked="scripted:test",
        body_parts=store_body(body),
        body_sha256=checksum(body),
        body_size=len(body),
        estimated_tokens=1,
    )


def test_parts_go_with_their_session_unless_another_request_holds_them() -> None:
    texts = [f"message {number} " + "x" * 300 for number in range(60)]
    gone, kept = make_session(), make_session(AgentProfile.objects.get())
    call_of(gone, body_of(*texts, "the secret " * 40))
    call = call_of(kept, body_of(*texts, "more"))
    for turn in Turn.objects.filter(session=gone):
        stop_turn(turn.session)
    assert drop_given_up() == 0
    session_care.delete(gone)
    assert drop_given_up() >= 1
    assert load_body(bytes(call.body_parts), call.body_sha256) == body_of(*texts, "more")
    assert not any(b"the secret" in zlib.decompress(bytes(part.data)) for part in Part.objects.all())
    assert not Part.objects.filter(used_on=GIVEN_UP).exists()


def test_a_part_that_is_given_up_and_stored_again_meanwhile_stays() -> None:
    body = body_of("a")
    give_up_parts([store_body(body)])
    call = call_of(make_session(), body)
    assert drop_given_up() == 0
    assert load_body(bytes(call.body_parts), call.body_sha256) == body


def test_old_parts_that_are_given_up_are_looked_at_first() -> None:
    call = call_of(make_session(), body_of("a"))
    give_up_parts([call.body_parts])
    drop_old_bodies()
    assert drop_given_up() == 0
    assert load_body(bytes(call.body_parts), call.body_sha256) == body_of("a")
