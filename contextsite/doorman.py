"""Who may watch a session over a socket: asked before the socket is accepted, and again every few seconds."""

from collections.abc import Collection, Mapping
from importlib import import_module
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import HttpRequest

from agents.access import may_act
from agents.hub import Verdict
from agents.models import AgentSession
from agents.watcher import LOGGED_OUT, PERMISSION_LOST, Viewer

Person = User | AnonymousUser


def admit(user: Person, session_id: UUID, login: str) -> Viewer | None:
    """Return how the person may watch the session; None for somebody who may not know that it exists."""
    session = AgentSession.objects.visible_to(user).filter(pk=session_id).first()
    if session is None or user.pk is None:
        return None
    return Viewer(user.pk, session.profile_id, may_act(user, session), login)


def check_again(watched: Mapping[UUID, Collection[Viewer]]) -> Mapping[tuple[UUID, Viewer], Verdict]:
    """Return for each session and viewer how they may watch now, or the code to close their socket with."""
    logins = {viewer.login for viewers in watched.values() for viewer in viewers}
    people = {login: _person(login) for login in logins}
    rights = {login: _Rights(person, watched) for login, person in people.items()}
    return {
        (session_id, viewer): rights[viewer.login].verdict(session_id, viewer)
        for session_id, viewers in watched.items()
        for viewer in viewers
    }


class _Rights:
    """What one login may do with the watched sessions."""

    def __init__(self, person: Person, watched: Collection[UUID]) -> None:
        self._person = person
        self._visible = self._among(watched, AgentSession.objects.visible_to(person))
        self._operable = self._among(watched, AgentSession.objects.operable_by(person))

    def verdict(self, session_id: UUID, viewer: Viewer) -> Verdict:
        if self._person.pk != viewer.user_id:
            return LOGGED_OUT
        if session_id not in self._visible:
            return PERMISSION_LOST
        return Viewer(viewer.user_id, viewer.profile_id, session_id in self._operable, viewer.login)

    @staticmethod
    def _among(watched: Collection[UUID], sessions: QuerySet[AgentSession]) -> frozenset[UUID]:
        return frozenset(sessions.filter(pk__in=list(watched)).values_list("pk", flat=True))


def person_of(login: str) -> User | None:
    """Return who is behind a login now: nobody after a logout, a new password or a disabled account."""
    person = _person(login)
    return person if isinstance(person, User) else None


def _person(login: str) -> Person:
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(login)
    person = get_user(request)
    return person if isinstance(person, User) else AnonymousUser()
