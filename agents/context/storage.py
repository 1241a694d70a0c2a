"""The contract of session storage, and what is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict

if TYPE_CHECKING:
    from agents.context.journal import HistoryJournal
    from agents.context.json_values import JSON
    from agents.context.messages import InputItem


class StateMetadata(TypedDict, total=False):
    """Where a state comes from; metadata of the host stands beside these fields.

    Attributes:
        savedAt: epoch milliseconds.
    """

    savedAt: int
    agentId: str
    userId: str | None
    model: str


class ContextState(TypedDict):
    """All of a context that is worth keeping; fields after ``metadata`` are missing in states of others.

    Attributes:
        pluginStates: plugin name to what its ``get_state`` gave.
        agentState: whatever the agent around the context wants to keep.
        toolsEnabled: tool name to whether it was on.
        exhausted: whether nothing more could be taken out of a prompt that is over the gate.
    """

    conversation: list[InputItem]
    pluginStates: dict[str, object]
    metadata: dict[str, JSON]
    systemPrompt: NotRequired[str]
    agentState: NotRequired[JSON]
    schemaVersion: NotRequired[int]
    currentInput: NotRequired[list[InputItem]]
    turnIndex: NotRequired[int]
    toolsEnabled: NotRequired[dict[str, bool]]
    exhausted: NotRequired[bool]


class StoredSession(TypedDict):
    """A session as it is stored; times are ISO 8601 in UTC."""

    version: int
    sessionId: str
    createdAt: str
    lastSavedAt: str
    state: ContextState
    metadata: dict[str, JSON]


class SessionSummary(TypedDict):
    """A session in a list."""

    sessionId: str
    createdAt: str
    lastSavedAt: str
    messageCount: int
    memoryEntryCount: int
    metadata: dict[str, JSON]


class SessionQuery(TypedDict, total=False):
    """Which sessions to list; times are ISO 8601 in UTC, limits included.

    Attributes:
        tags: at least one of them must be in the session's metadata ``tags``.
    """

    tags: Sequence[str]
    created_after: str
    created_before: str
    saved_after: str
    saved_before: str
    limit: int
    offset: int


class ContextStorage(Protocol):
    """Where the sessions of one agent are kept."""

    @property
    def journal(self) -> HistoryJournal | None:
        """Keeps the histories of the same sessions; None when there is no such place."""
        ...

    def save(self, session_id: str, state: ContextState, metadata: Mapping[str, JSON] | None = None) -> None:
        """Store the state, replacing an older one; the time of creation stays.

        What ``load`` refuses is not replaced: the same is raised.
        """
        ...

    def load(self, session_id: str) -> StoredSession | None:
        """Return what was stored; None when there is no such session.

        Raises:
            SessionUnreadable: when there is one that cannot be read.
        """
        ...

    def exists(self, session_id: str) -> bool:
        """Tell whether there is such a session."""
        ...

    def delete(self, session_id: str) -> bool:
        """Return whether there was a session to delete; its history goes with it."""
        ...

    def list(self, query: SessionQuery | None = None) -> Sequence[SessionSummary]:
        """Return the sessions, last saved first."""
        ...


def metadata_of(stored: StoredSession) -> dict[str, JSON]:
    """Return the host's metadata; older states have it beside the technical fields of the state."""
    own = _mapping(_mapping(stored.get("state")).get("metadata"))
    given = {name: value for name, value in own.items() if name not in StateMetadata.__annotations__}
    return given | _mapping(stored.get("metadata"))


def _mapping(value: object) -> dict[str, JSON]:
    """Return what a storage of another maker gave, empty when it is no mapping."""
    return dict(value) if isinstance(value, Mapping) else {}


def summary_of(stored: StoredSession) -> SessionSummary:
    """Return the line of a stored session in a list."""
    state = stored["state"]
    notes = state.get("pluginStates", {}).get("working_memory")
    entries = notes.get("entries") if isinstance(notes, dict) else None
    return SessionSummary(
        sessionId=stored["sessionId"],
        createdAt=stored["createdAt"],
        lastSavedAt=stored["lastSavedAt"],
        messageCount=len(state.get("conversation", [])),
        memoryEntryCount=len(entries) if isinstance(entries, list) else 0,
        metadata=metadata_of(stored),
    )


def selected(summaries: Sequence[SessionSummary], query: SessionQuery) -> list[SessionSummary]:
    """Return the sessions a query asks for, last saved first."""
    wanted = [each for each in summaries if _is_wanted(each, query)]
    wanted.sort(key=lambda each: (each["lastSavedAt"], each["sessionId"]), reverse=True)
    begin = query.get("offset", 0)
    return wanted[begin : begin + query["limit"]] if "limit" in query else wanted[begin:]


def _is_wanted(summary: SessionSummary, query: SessionQuery) -> bool:
    created, saved = summary["createdAt"], summary["lastSavedAt"]
    tags = summary["metadata"].get("tags")
    if "tags" in query and not (isinstance(tags, list) and set(query["tags"]).intersection(map(str, tags))):
        return False
    return query.get("created_after", created) <= created <= query.get(
        "created_before", created
    ) and query.get("saved_after", saved) <= saved <= query.get("saved_before", saved)
