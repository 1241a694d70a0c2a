"""The lease of a session: who may run it, until when, with a fencing number that every write checks."""

import os
import socket
import threading
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.context.errors import TurnAborted
from agents.models import AgentSession

LEASE = timedelta(seconds=30)
RENEW_EVERY = timedelta(seconds=10)


class LeaseLost(TurnAborted):
    """The session went to another worker (or was released by an admin) while this one was running it."""

    def __init__(self, session_id: UUID, fence: int) -> None:
        super().__init__(f"The lease {fence} of session {session_id} is no longer held; this run must stop.")
        self.session_id = session_id
        self.fence = fence


def claim(session_id: UUID, owner: str) -> int | None:
    """Return a new fencing number when the session was free or its lease had expired, else None.

    None is a normal answer: somebody else runs the session. One UPDATE, so two claims cannot both win.
    """
    now = timezone.now()
    with transaction.atomic():
        won = (
            AgentSession.objects.filter(pk=session_id)
            .filter(Q(lease_owner="") | Q(lease_until__isnull=True) | Q(lease_until__lt=now))
            .update(lease_owner=owner, lease_until=now + LEASE, fence=F("fence") + 1)
        )
        if not won:
            return None
        return AgentSession.objects.values_list("fence", flat=True).get(pk=session_id)


def grant(session: AgentSession, owner: str) -> dict[str, Any] | None:
    """Return the columns that give a locked session to the owner, None while somebody else runs it."""
    now = timezone.now()
    is_held = session.lease_owner and session.lease_until is not None and session.lease_until >= now
    if is_held:
        return None
    return {"lease_owner": owner, "lease_until": now + LEASE, "fence": session.fence + 1}


def hold(session_id: UUID, fence: int) -> AgentSession:
    """Return the session, locked until the transaction ends and held under this fencing number.

    Raises:
        LeaseLost: another worker took over, or the lease was released.
    """
    session = AgentSession.objects.select_for_update().get(pk=session_id)
    check(session, fence)
    return session


def renew(session_id: UUID, fence: int) -> bool:
    """Extend the lease; False when it is no longer held under this fencing number."""
    held = AgentSession.objects.filter(pk=session_id, fence=fence).exclude(lease_owner="")
    return bool(held.update(lease_until=timezone.now() + LEASE))


def release(session_id: UUID, fence: int) -> None:
    """Give the session back; nothing happens when the lease went to somebody else."""
    AgentSession.objects.filter(pk=session_id, fence=fence).update(lease_owner="", lease_until=None)


def release_dead() -> list[UUID]:
    """Free the sessions whose worker ran on this machine in a process that has ended; return their ids.

    The others are freed by time: from here nobody can tell a dead worker from a slow one.
    """
    freed = []
    held = AgentSession.objects.exclude(lease_owner="").values_list("pk", "fence", "lease_owner")
    for session_id, fence, owner in held:
        host, _, process_id = owner.rpartition(":")[0].rpartition(":")
        if host == _host() and process_id.isdecimal() and not _is_alive(int(process_id)):
            release(session_id, fence)
            freed.append(session_id)
    return freed


def owner_name() -> str:
    """Return how a lease names the calling thread: host, process and thread."""
    return f"{_host()}:{os.getpid()}:{threading.get_ident()}"


def _host() -> str:
    return socket.gethostname()[:60]


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def check(session: AgentSession, fence: int) -> None:
    """Make sure that a locked session row is still held under this fencing number.

    Raises:
        LeaseLost: another worker took over, or the lease was released.
    """
    if session.fence != fence or not session.lease_owner:
        raise LeaseLost(session.pk, fence)
