"""What people do with a session as a whole: rename it, put it away, give it newer settings, delete it."""

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone

from agents import bus
from agents.context import json_values
from agents.context.models import split_model
from agents.models import AgentSession, Turn
from agents.parts import give_up_parts
from agents.sessions import NothingToDo, announce

MAX_TITLE_CHARACTERS = 200
# Its sessions play what was recorded, whatever the agent's settings say by now.
_REPLAY = "replay"
_OF_THE_SESSION = ("providerTransfer",)


class InvalidTitle(Exception):
    """A session cannot have this title; the text says which it can have."""


def rename(session: AgentSession, title: str) -> None:
    """Give the session another title.

    Raises:
        InvalidTitle: nothing of it can be shown.
    """
    clean = " ".join(json_values.repair_text(title).split())[:MAX_TITLE_CHARACTERS].strip()
    if not clean or not any(character.isprintable() and character != " " for character in clean):
        raise InvalidTitle("A title has at least one character that can be seen.")
    _change(session, lambda locked: announce(locked, title=clean))


def archive(session: AgentSession) -> None:
    """Put the session away; a message brings it back.

    Raises:
        NothingToDo: the agent is working on it, or it is put away already.
    """

    def put_away(locked: AgentSession) -> None:
        if locked.archived_at is not None:
            raise NothingToDo("The session is in the archive already.")
        _refuse_while_working(locked)
        announce(locked, archived_at=timezone.now())

    _change(session, put_away)


def unarchive(session: AgentSession) -> None:
    """Take the session out of the archive; nothing happens when it is not there."""
    _change(session, lambda locked: announce(locked, archived_at=None))


def apply_settings(session: AgentSession) -> None:
    """Let the session run with the settings that its agent has now.

    Raises:
        NothingToDo: the agent is working on it, or it plays a recording.
    """

    def take_over(locked: AgentSession) -> None:
        if split_model(locked.model)[0] == _REPLAY:
            raise NothingToDo("The session plays a recording, which keeps its settings.")
        _refuse_while_working(locked)
        # Whose history it may go on with was decided for the session, not for the agent.
        kept = {name: locked.settings[name] for name in _OF_THE_SESSION if name in locked.settings}
        locked.freeze(locked.profile.snapshot() | kept)
        announce(locked, settings=locked.settings, model=locked.model)

    _change(session, take_over)


def delete(session: AgentSession) -> None:
    """Delete the session with everything that belongs to it.

    Raises:
        NothingToDo: the agent is working on it.
    """
    session_id = session.pk

    def remove(locked: AgentSession) -> None:
        _refuse_while_working(locked)
        revision = locked.revision + 1
        give_up_parts(locked.calls.values_list("body_parts", flat=True))
        locked.delete()
        # Watchers read it, find nothing, and are told that it is closed to them.
        transaction.on_commit(lambda: bus.poke_session(session_id, revision))

    _change(session, remove)


def _change(session: AgentSession, work: Callable[[AgentSession], None]) -> None:
    with transaction.atomic():
        work(AgentSession.objects.select_for_update().get(pk=session.pk))


def _refuse_while_working(session: AgentSession) -> None:
    if session.turns.filter(status__in=Turn.UNFINISHED).exists():
        raise NothingToDo("The agent is working on it. Stop the turn first, or wait for its end.")
