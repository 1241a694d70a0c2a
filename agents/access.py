"""The one answer to who may see or act on a session; strangers get 404, watchers who act get 403."""

from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import Http404

from agents.models import AgentProfile, AgentSession

Person = User | AnonymousUser


def visible_session(user: Person, session_id: UUID) -> AgentSession:
    """Return the session with its profile.

    Raises:
        Http404: there is none, or this person may not see it.
    """
    session = AgentSession.objects.visible_to(user).select_related("profile").filter(pk=session_id).first()
    if session is None:
        raise Http404("No such session.")
    return session


def watched_session(user: Person, session_id: UUID) -> tuple[AgentSession, bool]:
    """Return the session with its profile, and whether the person may act on it, from one statement.

    Raises:
        Http404: there is none, or this person may not see it.
    """
    operable = AgentProfile.objects.operable_by(user).filter(pk=OuterRef("profile"))
    seen = AgentSession.objects.visible_to(user).select_related("profile").annotate(acts=Exists(operable))
    session = seen.filter(pk=session_id).first()
    if session is None:
        raise Http404("No such session.")
    return session, bool(getattr(session, "acts", False))


def may_act(user: Person, session: AgentSession) -> bool:
    """Tell whether the person may act on the session: write, stop, edit and delete."""
    return AgentSession.objects.operable_by(user).filter(pk=session.pk).exists()


def operable_session(user: Person, session_id: UUID) -> AgentSession:
    """Return the session with its profile for a person who may act on it.

    Raises:
        Http404: there is none, or this person may not see it.
        PermissionDenied: the person may watch it, no more.
    """
    session = visible_session(user, session_id)
    if not may_act(user, session):
        raise PermissionDenied("You may watch this agent but not act on it. Ask for the operator role.")
    return session
