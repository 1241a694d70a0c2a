"""The demonstration's people and agents; its passwords are made once and kept beside the database."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from agents.models import AgentProfile

FILE_NAME = "demo-accounts.json"
PASSWORD_BYTES = 12
OWNER_ONLY = 0o600

SURVEY_PROMPT = (
    "You survey a folder. Count what is in it with your tools, a page at a time, and keep the whiteboard "
    "current: progress, counters, chart_data and findings. Obey mode, abort and user_preferences there; "
    "people edit them while you work."
)


@dataclass(frozen=True)
class Account:
    """Who can log in to the demonstration.

    Attributes:
        role: operator, member or admin; also the user's name.
        may: what the account may do, in words.
    """

    role: str
    password: str
    may: str


_ROLES = {
    "operator": "watches and steers the demo agents",
    "member": "watches the demo agents",
    "admin": "sees everything, and the rows under /admin/",
}


def demo_accounts() -> tuple[Account, ...]:
    """Return the accounts that `make_accounts` made; none outside DEBUG or before."""
    passwords = _stored_passwords() if settings.DEBUG else {}
    return tuple(Account(role, passwords[role], may) for role, may in _ROLES.items() if role in passwords)


def make_accounts() -> tuple[Account, ...]:
    """Return the demo accounts, made or repaired so that every password printed is right; DEBUG only.

    Raises:
        RuntimeError: DEBUG is off.
    """
    if not settings.DEBUG:
        raise RuntimeError("Demo accounts exist only with DEBUG; create people in the admin instead.")
    passwords = {role: secrets.token_urlsafe(PASSWORD_BYTES) for role in _ROLES} | _stored_passwords()
    _store(passwords)
    for role in _ROLES:
        user, _ = User.objects.get_or_create(username=role)
        if not user.check_password(passwords[role]):
            user.set_password(passwords[role])
        user.is_active = True
        user.is_staff = user.is_superuser = role == "admin"
        user.save()
    return demo_accounts()


def survey_profile() -> AgentProfile:
    """Return the survey agent, made on first use; later changes by people stay."""
    profile, _ = AgentProfile.objects.get_or_create(
        slug="survey",
        defaults={
            "name": "Survey agent",
            "model": "scripted:survey",
            "system_prompt": SURVEY_PROMPT,
            "tools": ["list_files", "count_files", "count_file", "search_files", "read_file"],
        },
    )
    return profile


def replay_profile() -> AgentProfile:
    """Return the agent that imported conversations belong to, made on first use."""
    profile, _ = AgentProfile.objects.get_or_create(
        slug="replay", defaults={"name": "Replayed conversations", "model": "replay:recording"}
    )
    return profile


def accounts_file() -> Path:
    """Return where the passwords are kept."""
    return Path(settings.DATA_DIR) / FILE_NAME


def _stored_passwords() -> dict[str, str]:
    try:
        stored = json.loads(accounts_file().read_text())
    except (FileNotFoundError, ValueError):
        # Somebody removed or broke the file: the next call of make_accounts writes a new one.
        return {}
    passwords = stored if isinstance(stored, dict) else {}
    return {
        role: text for role, text in passwords.items() if role in _ROLES and isinstance(text, str) and text
    }


def _store(passwords: dict[str, str]) -> None:
    # Opened with its mode, so that nobody else can read it even for a moment.
    path = accounts_file()
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(descriptor, "w") as file:
        json.dump(passwords, file, indent=2)
