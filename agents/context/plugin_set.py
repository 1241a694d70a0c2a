"""The plugins of one context, with the tools and stores that come with them."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.context.background import Answer, settle
from agents.context.errors import AlreadyRegistered, InvalidOption, PluginStateFailed
from agents.context.isolation import contain
from agents.context.plugin import ContextPlugin
from agents.context.prompt import PluginText
from agents.context.store_tools import StoreRouter
from agents.context.stores import StoreHandler

if TYPE_CHECKING:
    from agents.context.tokens import TokenEstimator
    from agents.context.toolbox import ToolManager


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Member:
    """A registered plugin.

    Attributes:
        keep_alive: not destroyed with the context.
        initial: state of a plugin made for a feature when it was new; it may be replaced while it has it. Not
            taken of others, whose state may be large.
    """

    plugin: ContextPlugin
    keep_alive: bool
    initial: object = None

    def is_replaceable(self) -> bool:
        return self.initial is not None and state_of(self.plugin) == self.initial


class PluginSet:
    """Plugins by name, in order of registration."""

    def __init__(self, tools: ToolManager, estimator: TokenEstimator) -> None:
        self._tools = tools
        self._estimator = estimator
        self._members: dict[str, _Member] = {}
        self.stores = StoreRouter()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def get(self, name: str) -> ContextPlugin | None:
        """Return the plugin of that name."""
        member = self._members.get(name)
        return member.plugin if member else None

    def all(self) -> list[ContextPlugin]:
        """Return the plugins in order of registration."""
        return [member.plugin for member in self._members.values()]

    def register(
        self, plugin: ContextPlugin, *, keep_alive: bool = False, is_automatic: bool = False
    ) -> None:
        """Add a plugin with its tools and, when it is one, its store.

        Under the name of an automatically created plugin that nobody used yet it takes that plugin's place.

        Raises:
            AlreadyRegistered: when the name or the store id is taken; nothing was added then.
            InvalidOption: for what is no plugin.
            PluginStateFailed: when an automatic one cannot give its state; nothing was added then.
        """
        if not isinstance(plugin, ContextPlugin):
            given = type(plugin).__name__
            raise InvalidOption(f"A plugin has all that ContextPlugin names; derive {given} from BasePlugin.")
        known = self._members.get(plugin.name)
        if known is not None and not known.is_replaceable():
            raise AlreadyRegistered("Plugin", plugin.name)
        initial = state_of(plugin) if is_automatic else None
        if isinstance(plugin, StoreHandler):
            self.stores.put(plugin, instead_of=known.plugin if known else None)
        if known is not None:
            self._retire(known)
        plugin.adopt_estimator(self._estimator)
        self._members[plugin.name] = _Member(plugin, keep_alive, initial)
        for each in plugin.get_tools():
            self._tools.register(each)
        if self.stores.ids() and not self._tools.has("store_get"):
            for each in self.stores.tools():
                self._tools.register(each)

    def initial_state(self, name: str) -> object:
        """Return a copy of the state that a plugin made for a feature had when new, None for another."""
        return copy.deepcopy(self._members[name].initial)

    def texts(self, stand_ins: Mapping[str, ContextPlugin]) -> list[PluginText]:
        """Return what each plugin says to the model now; one that fails says nothing this time.

        Args:
            stand_ins: plugin name to the plugin that speaks for it.
        """
        return [self._text(stand_ins.get(plugin.name, plugin)) for plugin in self.all()]

    def destroy(self) -> None:
        """Let every plugin release what it holds, except those kept alive."""
        for member in self._members.values():
            if not member.keep_alive:
                contain(f"Destroying plugin {member.plugin.name}", member.plugin.destroy)
        self._members.clear()

    def _text(self, plugin: ContextPlugin) -> PluginText:
        return PluginText(
            name=plugin.name,
            title=title_of(plugin),
            instructions=_text_from(f"Instructions of plugin {plugin.name}", plugin.get_instructions),
            content=_text_from(f"Content of plugin {plugin.name}", plugin.get_content),
        )

    def _retire(self, member: _Member) -> None:
        self.stores.remove(member.plugin)
        for each in member.plugin.get_tools():
            self._tools.unregister(each.name)
        contain(f"Destroying plugin {member.plugin.name}", member.plugin.destroy)


def state_of(plugin: ContextPlugin) -> object:
    """Return a copy of the plugin's state.

    Raises:
        PluginStateFailed: when it cannot give one.
    """
    outcome = contain(
        f"Reading the state of plugin {plugin.name}", lambda: copy.deepcopy(settle(plugin.get_state()))
    )
    if outcome.failure is not None:
        raise PluginStateFailed(plugin.name, outcome.failure) from outcome.failure
    return outcome.value


def _text_from(what: str, give: Callable[[], Answer[str | None]]) -> str | None:
    text: object = contain(what, give).value
    if text is None or isinstance(text, str):
        return text
    logger.warning("%s left out: not text but %s", what, type(text).__name__)
    return None


def title_of(plugin: ContextPlugin) -> str:
    """Return the heading of a plugin's section: the store's display name, else the name in words."""
    # Looked up at every model call, for which asking the protocol takes too long.
    schema = getattr(plugin, "get_store_schema", None)
    title: str = display_name(plugin.name) if schema is None else schema()["displayName"]
    return title


def display_name(name: str) -> str:
    """Return ``in_context_memory`` as ``In Context Memory``."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split("_"))
