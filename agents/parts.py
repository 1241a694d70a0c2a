"""Keeps request bodies in parts: each part once, compressed, under its digest."""

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256

from django.utils import timezone

from agents.connectors.body import cut
from agents.models import Part

DIGEST_BYTES = 32


class DamagedBody(Exception):
    """The parts of a body are gone or do not give what was stored."""


def store_body(body: bytes) -> bytes:
    """Return the digests of the body's parts in order, once they are stored; call it in a transaction."""
    pieces = cut(body)
    parts = {sha256(part).hexdigest(): part for part in pieces}
    today = timezone.now().date()
    # Before looking: what is marked with today's date is not dropped meanwhile.
    Part.objects.filter(sha256__in=parts, used_on__lt=today).update(used_on=today)
    known = set(Part.objects.filter(sha256__in=parts).values_list("sha256", flat=True))
    Part.objects.bulk_create(
        [
            Part(sha256=digest, data=zlib.compress(part), used_on=today)
            for digest, part in parts.items()
            if digest not in known
        ],
        ignore_conflicts=True,
    )
    return b"".join(sha256(piece).digest() for piece in pieces)


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


def drop_parts(digests: Iterable[bytes], still_used: Iterable[bytes]) -> int:
    """Delete the parts of these bodies that none of the others uses; return how many."""
    gone = {digest for each in digests for digest in _split(each)}
    for each in still_used:
        gone.difference_update(_split(each))
    deleted, _ = Part.objects.filter(sha256__in=gone).delete()
    return deleted


def _split(digests: bytes) -> Sequence[str]:
    raw = bytes(digests)
    return [raw[at : at + DIGEST_BYTES].hex() for at in range(0, len(raw), DIGEST_BYTES)]
