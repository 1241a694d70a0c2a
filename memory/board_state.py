"""A whiteboard's state as JSON text: given away, taken back, or taken from one of its own revisions."""

from agents.answers import whole_number
from agents.context import json_values
from agents.context.json_values import InvalidJSON
from agents.models import AgentSession
from memory.actors import Actor
from memory.bindings import board_at, change_board, whiteboard_of
from memory.models import EntryRevision
from memory.plugins.errors import StoreError
from memory.plugins.whiteboard import InContextMemory


class InvalidState(Exception):
    """A state cannot be taken; the text says why and what can be."""


def state_text(board: InContextMemory) -> str:
    """Return the board's state as indented JSON."""
    return json_values.pretty(board.get_state())


def import_state(session: AgentSession, text: str, actor: Actor) -> str:
    """Replace the session's board by a state and return what was done, in a sentence.

    Raises:
        InvalidState: the text is no JSON, or no state of a whiteboard; the board is as it was.
    """
    try:
        state = json_values.decode(text)
    except InvalidJSON as fault:
        raise InvalidState(f"This is no complete JSON. {fault}.") from None
    entries = state.get("entries") if isinstance(state, dict) else None
    if not isinstance(entries, list):
        raise InvalidState('A state is an object with a list of "entries", as the export gives it.')
    return _replace(session, state, actor, f"Took over a state of {len(entries)} entries.")


def restore_revision(session: AgentSession, text: str, actor: Actor) -> str:
    """Make the board as it was at a revision and return what was done, in a sentence.

    Raises:
        InvalidState: the board never had such a revision.
    """
    revision, last = whole_number(text), whiteboard_of(session.pk).revision
    if revision is None or not 0 < revision <= last:
        raise InvalidState(f"The board has the revisions 1 to {last}.")
    state = board_at(session, revision).get_state()
    return _replace(session, state, actor, f"Restored revision {revision}.")


def _replace(session: AgentSession, state: object, actor: Actor, done: str) -> str:
    def apply(board: InContextMemory) -> list[str]:
        board.restore_state(state)
        return list(board.last_evicted)

    try:
        change = change_board(session.pk, apply, actor=actor, action=EntryRevision.Action.RESTORE)
    except StoreError as fault:
        raise InvalidState(f"Not taken: {fault}") from None
    return f"{done} Evicted to fit: {', '.join(change.result)}." if change.result else done
