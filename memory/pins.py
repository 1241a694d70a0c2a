"""Pins: which keys of an agent a person wants to see, whatever the agent shows."""

from django.contrib.auth.models import User
from django.db import transaction

from agents import bus
from agents.models import AgentProfile
from memory.models import Pin

MAX_KEY_CHARACTERS = 128


class InvalidPin(Exception):
    """The key cannot be pinned; the text says which keys can."""


def pin(user: User, profile: AgentProfile, key: str) -> bool:
    """Pin the key for this person in every session of the agent; return whether it was not pinned before.

    A key that does not exist yet may be pinned: it shows as soon as the agent writes it.

    Raises:
        InvalidPin: no key of a whiteboard can be like this.
    """
    if not key or len(key) > MAX_KEY_CHARACTERS or not key.isprintable():
        raise InvalidPin(f"A key is one line of 1 to {MAX_KEY_CHARACTERS} printable characters.")
    with transaction.atomic():
        _, created = Pin.objects.get_or_create(user=user, profile=profile, key=key)
        if created:
            _tell(user, profile)
    return created


def unpin(user: User, profile: AgentProfile, key: str) -> bool:
    """Take the person's pin away; return whether there was one."""
    with transaction.atomic():
        removed, _ = Pin.objects.filter(user=user, profile=profile, key=key).delete()
        if removed:
            _tell(user, profile)
    return bool(removed)


def toggle(user: User, profile: AgentProfile, key: str) -> bool:
    """Turn the pin over; return whether the key is pinned now."""
    return not unpin(user, profile, key) and pin(user, profile, key)


def pinned_keys(user_id: int, profile_id: int) -> frozenset[str]:
    """Return the keys this person pinned for this agent."""
    return frozenset(Pin.objects.filter(user=user_id, profile=profile_id).values_list("key", flat=True))


def _tell(user: User, profile: AgentProfile) -> None:
    user_id, profile_id = user.pk, profile.pk
    transaction.on_commit(lambda: bus.poke_viewer(user_id, profile_id))
