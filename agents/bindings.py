"""The seam between a turn and the rows behind its plugins; memory fills it in through settings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.module_loading import import_string

from agents.context.json_values import JSON
from agents.context.plugin import ContextPlugin
from agents.models import AgentSession, Turn


@dataclass(frozen=True)
class Run:
    """One worker's hold on a session: to run a turn, or to do what a person asked for.

    Attributes:
        turn: None when no turn runs, as in a compaction that a person asked for.
        fence: fencing number of the lease; every write of the run is refused once the lease is lost.
        person: who asked, when no turn runs.
        is_first: no worker has taken up the turn before, so it has left nothing in the rows but its message.
        agent: the agent's slug, where it was read with the session.
    """

    session: AgentSession
    turn: Turn | None
    fence: int
    person: User | None = None
    is_first: bool = False
    agent: str = ""


class StoreRevision(NamedTuple):
    """Where a store is: its row, and its revision there."""

    id: UUID
    revision: int


StoreRevisions: TypeAlias = Mapping[str, StoreRevision]
"""The stores of a session by kind, as one look at the rows found them; nobody has written to the others."""


class StoredPlugin(ContextPlugin, Protocol):
    """A plugin whose state lives in rows and whose every change is a transaction of its own."""

    @property
    def seen_revision(self) -> int:
        """Return the revision of the rows at the last ``refresh``: what the model is shown next."""
        ...

    def refresh(self, stores: StoreRevisions | None = None) -> None:
        """Take over what others wrote since; called right before the context is prepared.

        ``stores`` is what `store_revisions` returned a moment ago, None to look for this plugin alone.
        """
        ...


class PluginBinding(Protocol):
    """Gives a turn a plugin that reads and writes rows.

    Attributes:
        name: the plugin's name, for example ``in_context_memory``.
        feature: the feature that switches it on, in camelCase.
    """

    name: str
    feature: str

    def open(self, run: Run, stores: StoreRevisions | None = None) -> StoredPlugin:
        """Return the plugin of this run, holding what the rows hold now; see ``StoredPlugin.refresh``."""
        ...

    def mark(self, session: AgentSession) -> JSON:
        """Return a mark of the rows as they are now, for ``rewind``."""
        ...

    def rewind(self, run: Run, before: JSON, after: JSON) -> None:
        """Undo what happened to the rows between two marks; what changed since the second one stays."""
        ...


def store_revisions(session_id: UUID) -> StoreRevisions:
    """Return the session's stores, found in one statement by the function `settings.STORE_REVISIONS`."""
    found: StoreRevisions = import_string(settings.STORE_REVISIONS)(session_id)
    return found


def bindings() -> Iterator[PluginBinding]:
    """Yield one binding for each dotted path of ``settings.CONTEXT_BINDINGS``."""
    for path in settings.CONTEXT_BINDINGS:
        yield import_string(path)()
