"""Keeps request bodies in parts: each part once, compressed, under its digest."""

import zlib
from collections.abc import Iterable, Sequence
from datetime import date
from hashlib import sha256

from django.utils import timezone

from agents.connectors.body import Outline, cut
from agents.models import ModelCall, Part

DIGEST_BYTES = 32
# As databases give digests.
Stored = bytes | memoryview
# The day of parts whose request was deleted.
GIVEN_UP = date(1970, 1, 1)
# Digests in one statement.
_MOST_NAMED = 5_000


class DamagedBody(Exception):
    """The parts of a body are gone or do not give what was stored."""


def store_body(body: bytes, found: Outline | None = None) -> bytes:
    """Return the digests of the body's parts in order, once they are stored; call it in a transaction.

    ``found`` is the body's outline, where somebody has made it already.
    """
    pieces = cut(body, found)
    parts = {sha256(part).hexdigest(): part for part in pieces}
    today = timezone.now().date()
    known = _days_of(parts)
    if any(used_on < today for used_on in known.values()):
        # And look again: what is marked with today's date is not dropped meanwhile.
        Part.objects.filter(sha256__in=parts, used_on__lt=today).update(used_on=today)
        known = _days_of(parts)
    Part.objects.bulk_create(
        [
            Part(sha256=digest, data=zlib.compress(part), used_on=today)
            for digest, part in parts.items()
            if digest not in known
        ],
        ignore_conflicts=True,
    )
    return b"".join(sha256(piece).digest() for piece in pieces)


def _days_of(digests: Iterable[str]) -> dict[str, date]:
    """Return when the stored ones among these parts were last used."""
    return dict(Part.objects.filter(sha256__in=digests).values_list("sha256", "used_on"))


def load_body(digests: bytes, checksum: str) -> bytes:
    """Return the body of these parts.

    Raises:
        DamagedBody: a part is gone, or the whole is not what was stored.
    """
    wanted = _split(digests)
    found = {
        digest: zlib.decompress(bytes(data))
        for digest, data in Part.objects.filter(sha256__in=set(wanted)).values_list("sha256", "data")
    }
    body = b"".join(found.get(digest, b"") for digest in wanted)
    if sha256(body).hexdigest() != checksum:
        raise DamagedBody("The stored request is damaged: its parts do not give the bytes that left.")
    return body


def give_up_parts(bodies: Iterable[Stored]) -> None:
    """Mark the parts of bodies that are being deleted; ``drop_given_up`` follows."""
    digests = sorted({digest for each in bodies for digest in _split(each)})
    for begin in range(0, len(digests), _MOST_NAMED):
        Part.objects.filter(sha256__in=digests[begin : begin + _MOST_NAMED]).update(used_on=GIVEN_UP)


def drop_given_up() -> int:
    """Delete the marked parts that no request holds; return how many.

    Harmless at any time and from any number of processes: a request that is stored meanwhile takes the mark
    off its parts.
    """
    marked = set(Part.objects.filter(used_on=GIVEN_UP).values_list("sha256", flat=True)[:_MOST_NAMED])
    if not marked:
        return 0
    held: set[str] = set()
    bodies = ModelCall.objects.exclude(body_parts=b"").values_list("body_parts", flat=True)
    for body in bodies.iterator():
        held |= marked.intersection(_split(body))
    given_up = Part.objects.filter(used_on=GIVEN_UP)
    given_up.filter(sha256__in=held).update(used_on=timezone.now().date())
    return given_up.filter(sha256__in=marked - held).delete()[0]


def _split(digests: Stored) -> Sequence[str]:
    raw = bytes(digests)
    return [raw[at : at + DIGEST_BYTES].hex() for at in range(0, len(raw), DIGEST_BYTES)]
