"""The cast of access tests: an operator, a member and a stranger of one agent, and staff."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.test import Client

from agents.models import AgentProfile, AgentSession
from tests.rows import make_person, make_profile, make_session


@dataclass(frozen=True)
class Cast:
    profile: AgentProfile
    session: AgentSession
    operator: User
    member: User
    stranger: User
    staff: User


def make_cast() -> Cast:
    profile = make_profile()
    cast = Cast(
        profile=profile,
        session=make_session(profile),
        operator=make_person("olga"),
        member=make_person("mia"),
        stranger=make_person("sam"),
        staff=make_person("stefan", staff=True),
    )
    profile.operators.add(cast.operator)
    profile.members.add(cast.member)
    return cast


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
