"""The whiteboard of a session: its plugin on its rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from agents.bindings import Run, StoreRevisions
from agents.context.json_values import JSON
from agents.context.stores import StoreResult
from agents.context.tokens import TiktokenEstimator
from agents.models import AgentSession
from memory.actors import Actor
from memory.bindings.stored import TurnStore, refuse_conflict, store_of
from memory.models import EntryRevision, Store
from memory.plugins.whiteboard import InContextMemory, SetResult, WhiteboardEntry
from memory.rewinding import Span, rewind_store
from memory.states import EntryState, read_states, states_at
from memory.unit_of_work import Change, Expectation, change_store

Action = EntryRevision.Action
T = TypeVar("T")


class WhiteboardKind:
    """How a whiteboard is made from entries, and read back."""

    name = Store.Kind.WHITEBOARD.value

    def open(self, settings: Mapping[str, JSON], entries: Sequence[EntryState]) -> InContextMemory:
        """Return a board with the session's limits that holds exactly ``entries``."""
        board = InContextMemory(**board_options(settings))
        board.adopt(_entry(state) for state in entries)
        return board

    def entries(self, plugin: InContextMemory) -> Sequence[EntryState]:
        """Return everything on the board, in order."""
        return [_entry_state(entry) for entry in plugin.entries()]

    def adopt(self, plugin: InContextMemory, states: Sequence[EntryState]) -> None:
        """Make the board hold exactly ``states``."""
        plugin.adopt(_entry(state) for state in states)


WHITEBOARD = WhiteboardKind()


def board_options(settings: Mapping[str, JSON]) -> dict[str, Any]:
    """Return the constructor arguments of a session's whiteboard: its frozen limits and exact counting."""
    wire = settings.get("whiteboard")
    options: Mapping[str, Any] = wire if isinstance(wire, dict) else {}
    names = {
        "max_entries": "maxEntries",
        "max_total_tokens": "maxTotalTokens",
        "default_priority": "defaultPriority",
        "show_timestamps": "showTimestamps",
        "advertise_show_in_ui": "advertiseShowInUI",
    }
    chosen = {name: options[wire_name] for name, wire_name in names.items() if wire_name in options}
    return chosen | {"estimator": TiktokenEstimator(str(settings.get("model", "")))}


def whiteboard_of(session_id: UUID) -> Store:
    """Return the session's whiteboard, made on first use."""
    return store_of(session_id, WHITEBOARD.name)


def change_board(
    session_id: UUID,
    apply: Callable[[InContextMemory], T],
    *,
    actor: Actor,
    action: Action = Action.SET,
    expect: Expectation | None = None,
) -> Change[InContextMemory, T]:
    """Run ``apply`` on the session's whiteboard as one unit of work; see ``change_store``."""
    store = whiteboard_of(session_id)
    return change_store(store.pk, WHITEBOARD, apply, actor=actor, action=action, expect=expect)


class StoredWhiteboard(InContextMemory):
    """A whiteboard in a running turn: every change is a unit of work; ``refresh`` takes over the rows."""

    def __init__(self, run: Run) -> None:
        super().__init__(**board_options(run.session.settings))
        self._rows = TurnStore(run, WHITEBOARD, self._adopt_states)

    @property
    def seen_revision(self) -> int:
        """Return the revision of the rows at the last ``refresh``."""
        return self._rows.seen_revision

    def refresh(self, stores: StoreRevisions | None = None) -> None:
        """Take over what the rows hold now; the next model call sees the board at this revision."""
        self._rows.refresh(stores=stores)

    def set(
        self,
        key: str,
        description: str,
        value: object,
        priority: str | None = None,
        show_in_ui: bool | None = None,
    ) -> SetResult:
        """Create or overwrite an entry; see ``InContextMemory.set``.

        Raises:
            EntryConflict: a person changed the key after the model saw the board.
        """
        return self._rows.change(
            lambda board: board.set(key, description, value, priority, show_in_ui), key=key
        )

    def delete(self, key: str) -> bool:
        """Remove an entry; see ``InContextMemory.delete``."""
        return self._rows.change(lambda board: board.delete(key), Action.DELETE, key=key)

    def clear(self) -> None:
        """Remove every entry."""
        self._rows.change(lambda board: board.clear(), Action.CLEAR)

    def restore_state(self, state: object) -> None:
        """Replace every entry; see ``InContextMemory.restore_state``."""
        self._rows.change(lambda board: board.restore_state(state), Action.RESTORE)

    def compact(self, tokens_to_free: int) -> int:
        """Drop entries; see ``InContextMemory.compact``."""
        return self._rows.change(lambda board: board.compact(tokens_to_free), Action.COMPACT)

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        """Answer the tool call; a key that a person changed meanwhile is refused with its current value."""
        return refuse_conflict(
            lambda: self._rows.change(lambda board: board.store_set(key, data), key=key), "success"
        )

    def store_delete(self, key: str) -> StoreResult:
        """Answer the tool call; see ``store_set``."""
        return refuse_conflict(
            lambda: self._rows.change(lambda board: board.store_delete(key), Action.DELETE, key=key),
            "deleted",
        )

    def store_action(self, action: str, params: dict[str, JSON] | None = None) -> StoreResult:
        """Answer the tool call."""
        return self._rows.change(lambda board: board.store_action(action, params), Action.CLEAR)

    def _adopt_states(self, states: list[EntryState]) -> None:
        self.adopt(_entry(state) for state in states)


class WhiteboardBinding:
    """Binds the plugin ``in_context_memory`` of a turn to the session's whiteboard rows."""

    name = InContextMemory.name
    feature = "inContextMemory"

    def open(self, run: Run, stores: StoreRevisions | None = None) -> StoredWhiteboard:
        """Return the session's whiteboard, holding what the rows hold now."""
        board = StoredWhiteboard(run)
        board.refresh(stores)
        return board

    def mark(self, session: AgentSession) -> JSON:
        """Return the revision of the board."""
        return whiteboard_of(session.pk).revision

    def rewind(self, run: Run, before: JSON, after: JSON) -> None:
        """Undo what happened to the board between two revisions; see ``rewind_store``."""
        rewind_store(whiteboard_of(run.session.pk).pk, WHITEBOARD, Span(before, after), Actor.of(run))


def open_board(session: AgentSession) -> InContextMemory:
    """Return a copy of the session's whiteboard for reading; changes to it reach nobody."""
    return WHITEBOARD.open(session.settings, read_states(whiteboard_of(session.pk).pk))


def board_at(session: AgentSession, revision: int) -> InContextMemory:
    """Return the session's whiteboard as it was at a revision, replayed from its history."""
    return WHITEBOARD.open(session.settings, states_at(whiteboard_of(session.pk).pk, revision))


def _entry(state: EntryState) -> WhiteboardEntry:
    return WhiteboardEntry(
        key=state.key,
        description=state.description,
        value_json=state.value,
        priority=str(state.attributes["priority"]),
        show_in_ui=bool(state.attributes["showInUI"]),
        updated_at=state.updated_at,
        tokens=state.tokens,
        recency=state.recency,
    )


def _entry_state(entry: WhiteboardEntry) -> EntryState:
    return EntryState(
        key=entry.key,
        description=entry.description,
        value=entry.value_json,
        attributes={"priority": entry.priority, "showInUI": entry.show_in_ui},
        tokens=entry.tokens,
        updated_at=entry.updated_at,
        recency=entry.recency,
    )
