"""Makes rows for tests with as few words as possible."""

from django.contrib.auth.models import User

from agents.models import AgentProfile, AgentSession
from agents.sessions import start_session


def make_person(name: str, *, staff: bool = False) -> User:
    return User.objects.create_user(name, password="secret", is_staff=staff)


def make_profile(slug: str = "survey", **columns: object) -> AgentProfile:
    defaults: dict[str, object] = {"name": slug.title(), "model": "scripted:test"}
    return AgentProfile.objects.create(slug=slug, **(defaults | columns))


def make_session(profile: AgentProfile | None = None, title: str = "A session") -> AgentSession:
    return start_session(profile or make_profile(), None, title)
