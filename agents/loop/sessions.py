"""The session of an agent: loaded when the agent is made, saved by hand or while it runs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypedDict

from agents.context import AgentContext, ContextStorage
from agents.context.isolation import contain
from agents.context.json_values import JSON

DEFAULT_INTERVAL_MS = 30_000


class SessionOptions(TypedDict, total=False):
    """Where an agent keeps its session.

    Attributes:
        storage: default that of the context.
        id: loaded if there is such a session, else the next save begins it.
        auto_save: save after every run, and during a run every ``auto_save_interval_ms`` (30,000); only once
            the session has an id.
    """

    storage: ContextStorage
    id: str
    auto_save: bool
    auto_save_interval_ms: int


class Sessions:
    """Saves and loads one context; the agent's own instructions win over those of a saved session."""

    def __init__(
        self,
        context: AgentContext,
        options: SessionOptions,
        *,
        instructions: str | None,
        clock: Callable[[], float],
    ) -> None:
        self._context = context
        self._instructions = instructions
        self._clock = clock
        self._is_automatic = options.get("auto_save", False)
        self._interval_s = options.get("auto_save_interval_ms", DEFAULT_INTERVAL_MS) / 1000
        self._wanted = options.get("id")
        self._saved_at = clock()
        if self._wanted is not None and context.session_exists(self._wanted):
            self.load(self._wanted)

    @property
    def session_id(self) -> str | None:
        """Id that the next save uses, None when it will make one up."""
        return self._context.session_id or self._wanted

    def save(self, session_id: str | None, metadata: Mapping[str, JSON] | None) -> str:
        """Return the id under which the context was saved."""
        saved = self._context.save(self.session_id if session_id is None else session_id, metadata)
        self._saved_at = self._clock()
        return saved

    def load(self, session_id: str) -> bool:
        """Return whether there was such a session."""
        found = self._context.load(session_id)
        if found and self._instructions is not None:
            self._context.system_prompt = self._instructions
        return found

    def save_when_due(self) -> None:
        """Save during a run when the interval has passed."""
        if self._clock() - self._saved_at >= self._interval_s:
            self.save_after_run()

    def save_after_run(self) -> None:
        """Save what a run did; a failing storage is logged, because the answer is there all the same."""
        if self._is_automatic and self.session_id is not None:
            contain("Saving the session", partial(self.save, None, None))
