"""Pictures that a session shows, from inside its values and from its workspace, kept with the session."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from agents.tools.folder import ConfinedFolder, Refused
from memory.models import SessionPicture
from memory.render_process import pool
from memory.rendering.cards import CardHTML, with_pictures
from memory.rendering.pictures import MOST_BYTES, Picture, PictureRefused, PictureSlot, ShownPicture

# A picture that nothing was made with for so long is dropped; a page that needs it again makes it again.
KEEP_UNUSED = timedelta(days=8)
# Of one session; those that were not used for longest leave first.
MOST_KEPT = 500
# Rows that one look drops, so that no look takes long.
MOST_DROPPED = 1000

_USED_ANEW = timedelta(days=1)
# What could not be decoded is not tried again before.
_PAUSE_S = 60

Found = ShownPicture | str


@dataclass(frozen=True)
class _Source:
    """Where a picture comes from: ``made`` from inside the value, or the ``content`` of a file."""

    key: str
    made: Picture | None = None
    content: bytes = b""


def with_session_pictures(card: CardHTML, session_id: UUID) -> CardHTML:
    """Return the card with its pictures in place, as the files of the session's workspace are now.

    Never call it on an event loop or inside a transaction: it may wait for the render process.
    """
    if not card.pictures:
        return card
    return with_pictures(card, _found(card.pictures, session_id))


def drop_unused_pictures() -> int:
    """Drop pictures that nothing has shown for ``KEEP_UNUSED``; return how many. Harmless at any time."""
    old = SessionPicture.objects.filter(used_at__lt=timezone.now() - KEEP_UNUSED)
    return _drop(old.values_list("pk", flat=True)[:MOST_DROPPED])


def _found(slots: Iterable[PictureSlot], session_id: UUID) -> Mapping[str, Found]:
    """Return for the mark of each slot where its picture is, or why there is none."""
    sources: dict[str, _Source | str] = {}
    files: dict[str, _Source | str] = {}
    for slot in slots:
        if slot.made is not None:
            sources[slot.mark] = _Source(slot.made.key, slot.made)
            continue
        if slot.path not in files:
            files[slot.path] = _file(session_id, slot.path)
        sources[slot.mark] = files[slot.path]
    wanted = {source.key: source for source in sources.values() if isinstance(source, _Source)}
    kept = _kept(wanted, session_id)
    return {mark: source if isinstance(source, str) else kept[source.key] for mark, source in sources.items()}


def _file(session_id: UUID, path: str) -> _Source | str:
    root: Path = import_string(settings.WORKSPACE_FOLDER)(session_id)
    try:
        content = ConfinedFolder(root).read(path, MOST_BYTES)
    except Refused as refusal:
        return str(refusal)
    return _Source(hashlib.sha256(content).hexdigest(), content=content)


def _kept(wanted: Mapping[str, _Source], session_id: UUID) -> Mapping[str, Found]:
    """Return where the session keeps each picture; those that are new to it are made and stored."""
    now = timezone.now()
    rows = SessionPicture.objects.filter(session=session_id, key__in=wanted)
    known = {row.key: row for row in rows.defer("content")}
    stale = [row.pk for row in known.values() if row.used_at < now - _USED_ANEW]
    if stale:
        SessionPicture.objects.filter(pk__in=stale).update(used_at=now)
    found: dict[str, Found] = {
        key: ShownPicture(_address(session_id, key), row.width, row.height) for key, row in known.items()
    }
    for key in wanted.keys() - known.keys():
        try:
            found[key] = _stored(wanted[key], session_id)
        except PictureRefused as refusal:
            found[key] = str(refusal)
    return found


def _stored(source: _Source, session_id: UUID) -> ShownPicture:
    made = source.made or _encoded_anew(source, session_id)
    row = SessionPicture(
        session_id=session_id,
        key=source.key,
        content=made.content,
        width=made.width,
        height=made.height,
        used_at=timezone.now(),
    )
    try:
        SessionPicture.objects.bulk_create([row], ignore_conflicts=True)
    except IntegrityError:
        raise PictureRefused("the session has been deleted") from None
    mine = SessionPicture.objects.filter(session=session_id).order_by("-used_at", "-pk")
    _drop(mine.values_list("pk", flat=True)[MOST_KEPT:])
    return ShownPicture(_address(session_id, source.key), made.width, made.height)


def _encoded_anew(source: _Source, session_id: UUID) -> Picture:
    tried = f"no-picture:{source.key}"
    reason = cache.get(tried)
    if reason is None:
        try:
            return pool.encoded_anew(source.content, session_id)
        except PictureRefused as refusal:
            reason = str(refusal)
            cache.set(tried, reason, _PAUSE_S)
    raise PictureRefused(reason)


def _address(session_id: UUID, key: str) -> str:
    return reverse("session-picture", args=[session_id, key])


def _drop(pks: Iterable[int]) -> int:
    return SessionPicture.objects.filter(pk__in=list(pks)).delete()[0]
