"""Pictures of other sites: from allowed hosts only, fetched by us, encoded anew, kept for a day."""

import hashlib
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from memory.fetching import FetchRefused, fetch
from memory.models import Picture
from memory.render_process import pool
from memory.rendering.pictures import PictureRefused

KEEP_FETCHED = timedelta(days=1)
# A failure, or somebody else's attempt, is not repeated before.
PAUSE_S = 60


def fetched(address: str) -> bytes:
    """Return the picture at an address of an allowed host, from the rows while it is young enough.

    Raises:
        FetchRefused: when there is none; it is not tried again for a while.
    """
    key = hashlib.sha256(f"address:{address}".encode()).hexdigest()
    now = timezone.now()
    known = Picture.objects.filter(key=key, made_at__gt=now - KEEP_FETCHED).first()
    if known is not None:
        return bytes(known.content)
    if not cache.add(f"fetching:{key}", 1, PAUSE_S):
        raise FetchRefused("it is being fetched, or could not be fetched a moment ago")
    try:
        content = pool.encoded_anew(fetch(address, settings.CARDS_IMAGE_HOSTS), key).content
    except PictureRefused as refusal:
        raise FetchRefused(str(refusal)) from refusal
    Picture.objects.update_or_create(
        key=key, defaults={"content": content, "address": address, "made_at": now}
    )
    return content


def drop_old_pictures() -> int:
    """Drop pictures that are too old to be shown; return how many. Harmless at any time."""
    return Picture.objects.filter(made_at__lt=timezone.now() - KEEP_FETCHED).delete()[0]
