"""The lasting part of a context: its identity, plugins and tools, saved and loaded with its messages."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agents.context import json_values
from agents.context.conversation import Conversation
from agents.context.dialogue import Dialogue
from agents.context.errors import InvalidOption
from agents.context.events import Events
from agents.context.features import Features, PluginScope, create_plugins, resolve_features
from agents.context.ids import new_id, wall_clock
from agents.context.isolation import contain
from agents.context.journal import HistoryJournal, JournalRecorder
from agents.context.kinds import check_kind
from agents.context.options import SYSTEM_PROMPT, ContextOptions
from agents.context.plugin_set import PluginSet
from agents.context.session_keeper import SessionKeeper
from agents.context.state import Carried, Parts, capture, is_user_turn, restore
from agents.context.tokens import TiktokenEstimator, TokenEstimator
from agents.context.toolbox import ToolManager

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.plugin import ContextPlugin
    from agents.context.storage import ContextState, ContextStorage

logger = logging.getLogger(__name__)


class PersistentContext(Dialogue):
    """A dialogue with plugins and tools."""

    def __init__(self, options: ContextOptions) -> None:
        clock = options.get("clock", wall_clock)
        storage = options.get("storage")
        estimator = options.get("estimator") or TiktokenEstimator(options["model"])
        journal = storage.journal if storage else None
        recorder = JournalRecorder(journal, clock, options.get("journal_filter"))
        super().__init__(
            conversation=Conversation(estimator), events=Events(), recorder=recorder, clock=clock
        )
        self._model = options["model"]
        self._agent_id = options.get("agent_id") or new_id(clock)
        self._user_id = options.get("user_id")
        self._estimator = estimator
        self._features = resolve_features(options.get("features"))
        self.system_prompt = options.get("system_prompt")
        self._agent_state: JSON = None
        self._carried = Carried()
        self._tools = ToolManager(timeout_ms=options.get("tool_timeout_ms", 0))
        self._plugins = PluginSet(self.tools, estimator)
        self._keeper = SessionKeeper(storage, recorder)
        for each in options.get("tools", ()):
            self.tools.register(each)
        scope = PluginScope(self.agent_id, self.user_id, self.features, clock)
        for plugin in create_plugins(scope, options.get("plugins") or {}, self.has_plugin):
            self._plugins.register(plugin, is_automatic=True)

    @property
    def model(self) -> str:
        """The model as given; ``set_model`` takes another."""
        return self._model

    @property
    def agent_id(self) -> str:
        """Where stored state belongs."""
        return self._agent_id

    @property
    def user_id(self) -> str | None:
        """Whose facts apply."""
        return self._user_id

    @property
    def estimator(self) -> TokenEstimator:
        """Counts everything here."""
        return self._estimator

    @property
    def tools(self) -> ToolManager:
        """The tools of this context and of the agent that runs it."""
        return self._tools

    @property
    def features(self) -> Features:
        """Which features are on."""
        return self._features

    @property
    def system_prompt(self) -> str | None:
        """The text as given; the prompt has ``{{AGENT_ID}} {{USER_ID}} {{MODEL}} {{DATE}}`` replaced.

        It may be set at any time; InvalidOption is raised for what is no text. Characters that cannot be
        stored are replaced.
        """
        return self._system_prompt

    @system_prompt.setter
    def system_prompt(self, text: str | None) -> None:
        check_kind("system_prompt", text, SYSTEM_PROMPT)
        self._system_prompt = None if text is None else json_values.repair_text(text)

    @property
    def agent_state(self) -> JSON:
        """What is saved and loaded with the context for the agent around it; set it to a new value.

        Setting raises InvalidJSON for a value that cannot be stored.
        """
        return self._agent_state

    @agent_state.setter
    def agent_state(self, value: JSON) -> None:
        json_values.check(value, "agent_state")
        self._agent_state = copy.deepcopy(value)

    @property
    def storage(self) -> ContextStorage | None:
        """Where sessions are kept."""
        return self._keeper.storage

    @property
    def session_id(self) -> str | None:
        """Id of the session, None until it was saved or loaded."""
        return self._keeper.session_id

    @property
    def journal(self) -> HistoryJournal | None:
        """The histories of the storage."""
        return self._recorder.journal

    @property
    def memory(self) -> Any:
        """The notes plugin, None when working memory is off."""
        return self.get_plugin("working_memory")

    def register_plugin(self, plugin: ContextPlugin, *, skip_destroy: bool = False) -> None:
        """Add a plugin with its tools and its store.

        It takes the place of an automatically created plugin of the same name that is still as it was made.
        ``skip_destroy`` leaves it alive when the context is destroyed. A state that was restored before does
        not reach it: a warning says so.

        Raises:
            AlreadyRegistered: when the name or the store id is taken; nothing was added then.
            InvalidOption: for what is no plugin, and for one that cannot be asked what it brings; nothing was
                added then.
        """
        self._check_alive()
        self._plugins.register(plugin, keep_alive=skip_destroy)
        if plugin.name in self._carried.plugin_states:
            logger.warning(
                "The restored state has a part for plugin %s, which came later and keeps its own. Register a "
                "plugin before its state is restored.",
                plugin.name,
            )

    def get_plugin(self, name: str) -> Any:
        """Return the plugin of that name, None when there is none."""
        return self._plugins.get(name)

    def has_plugin(self, name: str) -> bool:
        """Tell whether such a plugin is registered."""
        return name in self._plugins

    def get_plugins(self) -> list[ContextPlugin]:
        """Return the plugins in order of registration."""
        return self._plugins.all()

    def get_state(self) -> ContextState:
        """Return everything worth keeping, as data of its own.

        Raises:
            PluginStateFailed: when a plugin cannot give its state, or one that cannot be stored.
        """
        self._check_alive()
        metadata: dict[str, JSON] = {
            "savedAt": self._clock(),
            "agentId": self.agent_id,
            "userId": self.user_id,
            "model": self.model,
        }
        state = capture(
            self._parts,
            self._carried,
            system_prompt=self.system_prompt,
            turn_index=self.turn_index,
            metadata=metadata,
        )
        if self.agent_state is not None:
            state["agentState"] = copy.deepcopy(self.agent_state)
        return state

    def restore_state(self, state: Mapping[str, object] | ContextState) -> None:
        """Replace conversation, current input, plugin states and tool switches by those of a state.

        A configured system prompt stays when the state has none.

        Raises:
            InvalidState, NewerState: the context is as it was before.
        """
        self._check_alive()
        restored = restore(self._parts, state)
        self._carried = restored.carried
        self.system_prompt = restored.system_prompt or self.system_prompt
        self.agent_state = restored.agent_state
        self._last_thinking = self._turn_time_ms = None
        if restored.turn_index is not None:
            self.turn_index = restored.turn_index
        else:
            self.turn_index = sum(
                is_user_turn(item) for item in (*self.get_conversation(), *self.get_current_input())
            )

    def save(self, session_id: str | None = None, metadata: Mapping[str, JSON] | None = None) -> str:
        """Return the id under which the session was saved: the given, the current, or a new one.

        Metadata is added to what was saved before.

        Raises:
            StorageMissing: when the context has no storage.
            InvalidJSON, InvalidOption: when the id or the metadata cannot be stored; nothing was saved.
            StorageUnusable: when the files cannot be written.
            SessionUnreadable: when what is stored under the id cannot be read; it is as it was.
            PluginStateFailed: when a plugin cannot give its state, or one that cannot be stored.
        """
        wanted = self.session_id or new_id(self._clock) if session_id is None else session_id
        given = {} if metadata is None else metadata
        if not isinstance(given, Mapping):
            raise InvalidOption(f"metadata is a dict, not {type(given).__name__}.")
        json_values.check(dict(given), "metadata")
        self._keeper.save(wanted, self.get_state, given)
        self._events.emit("session:saved", session_id=wanted)
        return wanted

    def load(self, session_id: str) -> bool:
        """Return whether there was such a session; the context is replaced by it, or as it was.

        Raises:
            StorageMissing: when the context has no storage.
            InvalidOption: for what is no id.
            SessionUnreadable: when there is one that cannot be read.
            InvalidState, NewerState: when it cannot be restored; the context is as it was before.
        """
        self._check_alive()
        stored = self._keeper.load(session_id, self.restore_state)
        if stored is None:
            return False
        if "turnIndex" not in stored["state"]:
            last_turn = contain("Reading the history of a session", self._keeper.last_turn).value
            self.turn_index = last_turn or self.turn_index
        self._events.emit("session:loaded", session_id=session_id)
        return True

    def session_exists(self, session_id: str) -> bool:
        """Tell whether the storage has such a session; InvalidOption is raised for what is no id."""
        return self._keeper.exists(session_id)

    def delete_session(self, session_id: str | None = None) -> bool:
        """Return whether there was a session to delete; without an id the current one.

        Raises:
            StorageMissing, SessionIdMissing: when there is nothing that could be meant.
            InvalidOption: for what is no id.
        """
        return self._keeper.delete(session_id)

    def destroy(self) -> None:
        """Destroy the plugins and forget everything; a second call does nothing."""
        if not self._destroyed:
            self._destroyed = True
            self._plugins.destroy()
            self._conversation.clear()
            self._carried = Carried()
            self._events.clear()

    @property
    def _parts(self) -> Parts:
        return Parts(self._conversation, self._plugins, self.tools)
