"""Make the demonstration: accounts, agents and a session whose first turn is queued."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from agents.models import AgentProfile, AgentSession
from agents.sessions import start_with_message
from contextsite.demo.accounts import Account, accounts_file, make_accounts, replay_profile, survey_profile

TITLE = "Survey of {folder}"
MESSAGE = "Survey the folder and keep the whiteboard current."


class Command(BaseCommand):
    help = "Create the demo accounts, agents and session (DEBUG only); safe to repeat."

    def handle(self, *args: object, **options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError(
                "The demonstration needs DEBUG=1; on a real server create people in the admin."
            )
        with transaction.atomic():
            accounts = make_accounts()
            profiles = [survey_profile(), replay_profile()]
            for profile in profiles:
                _admit(profile)
            session = _session(profiles[0])
        self.stdout.write(f"Demo accounts (kept in {accounts_file()}):")
        for account in accounts:
            self.stdout.write(_line(account))
        self.stdout.write(f"Demo session: {session.title}, /sessions/{session.pk}/")


def _admit(profile: AgentProfile) -> None:
    profile.operators.add(User.objects.get(username="operator"))
    profile.members.add(User.objects.get(username="member"))


def _session(profile: AgentProfile) -> AgentSession:
    known = profile.sessions.order_by("created_at").first()
    if known is not None:
        return known
    title = TITLE.format(folder=settings.DEMO_PATH.name)
    return start_with_message(profile, User.objects.get(username="operator"), title, MESSAGE)


def _line(account: Account) -> str:
    return f"  {account.role:<9} {account.password:<18} {account.may}"
