"""The seam between a turn and the rows behind its plugins; memory fills it in through settings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

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
    """

    session: AgentSession
    turn: Turn | None
    fence: int
    person: User | None = None
    is_first: bool = False


class StoredPlugin(ContextPlugin, Protocol):
    """A plugin whose state lives in rows and whose every change is a transaction of its own."""

    @property
    def seen_revision(self) -> int:
        """Return the revision of the rows at the last ``refresh``: what the model is shown next."""
        ...

    def refresh(self) -> None:
        """Take over what others wrote since; called right before the context is prepared."""
        ...


class PluginBinding(Protocol):
    """Gives a turn a plugin that reads and writes rows.

    Attributes:
        name: the plugin's name, for example ``in_context_memory``.
        feature: the feature that switches it on, in camelCase.
    """

    name: str
    feature: str

    def open(self, run: Run) -> StoredPlugin:
        """Return the plugin of this run, holding what the rows hold now."""
        ...

    def mark(self, session: AgentSession) -> JSON:
        """Return a mark of the rows as they are now, for ``rewind``."""
        ...

    def rewind(self, run: Run, before: JSON, after: JSON) -> None:
        """Undo what happened to the rows between two marks; what changed since the second one stays."""
        ...


def bindings() -> Iterator[PluginBinding]:
    """Yield one binding for each dotted path of ``settings.CONTEXT_BINDINGS``."""
    for path in settings.CONTEXT_BINDINGS:
        yield import_string(path)()
