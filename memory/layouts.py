"""Where and how large one person wants the cards of an agent."""

from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.db import transaction

from agents import bus
from agents.models import AgentProfile
from memory.models import CardLayout

SIZES = ("xs", "s", "m", "l", "xl")
# Far more than a board has; whoever posts more arranges no board.
MOST_KEYS = 500
MAX_KEY_CHARACTERS = 128


class InvalidLayout(Exception):
    """Cards cannot be arranged like this; the text says how they can."""


def resize(user: User, profile: AgentProfile, key: str, size: str) -> None:
    """Give the person's card of this key a height; empty: the one that the server chose.

    Raises:
        InvalidLayout: there is no such height, or no such key.
    """
    if size and size not in SIZES:
        raise InvalidLayout(f"A card's height is one of {', '.join(SIZES)}.")
    _change(user, profile, key, size=size, collapsed=False)


def fold(user: User, profile: AgentProfile, keys: Iterable[str], *, collapsed: bool) -> None:
    """Collapse the person's cards of these keys to their heads, or open them again.

    Raises:
        InvalidLayout: no key of a whiteboard can be like one of them.
    """
    with transaction.atomic():
        for key in _checked(keys):
            _change(user, profile, key, collapsed=collapsed)


def arrange(user: User, profile: AgentProfile, keys: Sequence[str]) -> None:
    """Put the person's cards of these keys in this order; others come behind them.

    Raises:
        InvalidLayout: a key is named twice, or no key of a whiteboard can be like one of them.
    """
    ordered = _checked(keys)
    if len(set(ordered)) != len(ordered):
        raise InvalidLayout("Name each key once.")
    with transaction.atomic():
        known = {row.key: row for row in CardLayout.objects.filter(user=user, profile=profile)}
        for key, row in known.items():
            if key in ordered:
                row.position = ordered.index(key)
            elif row.position is not None:
                # Keys of the agent's other boards keep their order among themselves.
                row.position = min(row.position % MOST_KEYS + MOST_KEYS, 2 * MOST_KEYS)
        CardLayout.objects.bulk_update(known.values(), ["position"])
        CardLayout.objects.bulk_create(
            CardLayout(user=user, profile=profile, key=key, position=place)
            for place, key in enumerate(ordered)
            if key not in known
        )
        _tell(user, profile)


def move(user: User, profile: AgentProfile, keys: Sequence[str], key: str, steps: int) -> None:
    """Move one of the keys, which are in the order that the person sees, by some steps.

    Raises:
        InvalidLayout: the key is not among them.
    """
    if key not in keys:
        raise InvalidLayout("This card is not on the board any more. Load the page again.")
    others = [each for each in keys if each != key]
    place = min(max(0, keys.index(key) + steps), len(others))
    arrange(user, profile, [*others[:place], key, *others[place:]])


def forget(user: User, profile: AgentProfile) -> None:
    """Give every card of the agent its own place and height again."""
    with transaction.atomic():
        CardLayout.objects.filter(user=user, profile=profile).delete()
        _tell(user, profile)


def _change(user: User, profile: AgentProfile, key: str, **columns: object) -> None:
    _checked([key])
    with transaction.atomic():
        CardLayout.objects.update_or_create(user=user, profile=profile, key=key, defaults=columns)
        _tell(user, profile)


def _checked(keys: Iterable[str]) -> list[str]:
    found = list(keys)
    if len(found) > MOST_KEYS:
        raise InvalidLayout(f"At most {MOST_KEYS} cards can be arranged.")
    if any(not key or len(key) > MAX_KEY_CHARACTERS or not key.isprintable() for key in found):
        raise InvalidLayout(f"A key is one line of 1 to {MAX_KEY_CHARACTERS} printable characters.")
    return found


def _tell(user: User, profile: AgentProfile) -> None:
    user_id, profile_id = user.pk, profile.pk
    transaction.on_commit(lambda: bus.poke_viewer(user_id, profile_id))
