import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from agents.models import Part
from agents.parts import DamagedBody, drop_parts, load_body, store_body

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


def test_parts_that_another_body_holds_stay() -> None:
    texts = [f"message {number} " + "x" * 300 for number in range(60)]
    first, second = body_of(*texts), body_of(*texts, "more")
    gone, kept = store_body(first), store_body(second)
    assert drop_parts([gone], [kept]) >= 0
    assert load_body(kept, checksum(second)) == second
    drop_parts([kept], [])
    with pytest.raises(DamagedBody):
        load_body(kept, checksum(second))
