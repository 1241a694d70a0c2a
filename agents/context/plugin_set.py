"""The plugins of one context, with the tools and stores that come with them."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from agents.context.background import Answer, settle
from agents.context.errors import (
    AlreadyRegistered,
    ContextError,
    InvalidOption,
    PluginStateFailed,
    words_of,
)
from agents.context.isolation import contain
from agents.context.kinds import TEXT, check_kind, maybe
from agents.context.plugin import ContextPlugin, check_plugin
from agents.context.prompt import PluginText
from agents.context.store_tools import StoreRouter
from agents.context.stores import StoreHandler
from agents.context.toolbox import as_tool

if TYPE_CHECKING:
    from agents.context.tokens import TokenEstimator
    from agents.context.toolbox import ToolManager
    from agents.context.tools import Tool

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Member:
    """A registered plugin.

    Attributes:
        store: id of its store, None when it is none.
        tools: names of the tools that came with it.
        keep_alive: not destroyed with the context.
        initial: state of a plugin made for a feature when it was new; it may be replaced while it has it. Not
            taken of others, whose state may be large.
    """

    plugin: ContextPlugin
    store: str | None
    tools: tuple[str, ...]
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
            InvalidOption: for what is no plugin, and for one that cannot be asked what it brings; nothing was
                added then.
            PluginStateFailed: when an automatic one cannot give its state; nothing was added then.
        """
        check_plugin(plugin)
        known = self._members.get(plugin.name)
        if known is not None and not known.is_replaceable():
            raise AlreadyRegistered("Plugin", plugin.name)
        replaced = known.plugin if known else None
        initial = state_of(plugin) if is_automatic else None
        tools = _tools_of(plugin)
        _check_instructions(plugin)
        store = None
        if isinstance(plugin, StoreHandler):
            store = _asked(
                plugin, "get_store_schema", partial(self.stores.free_id, plugin, instead_of=replaced)
            )
        _asked(plugin, "adopt_estimator", partial(plugin.adopt_estimator, self._estimator))
        if isinstance(plugin, StoreHandler):
            self.stores.put(plugin, instead_of=replaced)
        if known is not None:
            self._retire(known)
        names = tuple(each.name for each in tools)
        self._members[plugin.name] = _Member(plugin, store, names, keep_alive, initial)
        for each in (*tools, *self._missing_store_tools()):
            self._tools.register(each)

    def initial_state(self, name: str) -> object:
        """Return a copy of the state that a plugin made for a feature had when new, None for another."""
        return copy.deepcopy(self._members[name].initial)

    def texts(self, stand_ins: Mapping[str, ContextPlugin]) -> list[PluginText]:
        """Return what each plugin says to the model now; one that fails says nothing this time.

        Args:
            stand_ins: plugin name to the plugin that speaks for it.
        """
        titles = self.stores.titles()
        return [
            _text(name, titles.get(member.store or "", ""), stand_ins.get(name, member.plugin))
            for name, member in self._members.items()
        ]

    def destroy(self) -> None:
        """Let every plugin release what it holds, except those kept alive."""
        for member in self._members.values():
            if not member.keep_alive:
                contain(f"Destroying plugin {member.plugin.name}", member.plugin.destroy)
        self._members.clear()

    def _missing_store_tools(self) -> Sequence[Tool]:
        is_missing = self.stores.ids() and not self._tools.has("store_get")
        return self.stores.tools() if is_missing else ()

    def _retire(self, member: _Member) -> None:
        self.stores.remove(member.plugin)
        for name in member.tools:
            self._tools.unregister(name)
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


def text_from(what: str, give: Callable[[], Answer[str | None]]) -> str | None:
    """Return the text that host code gives, None when it fails or gives something else."""
    text: object = contain(what, give).value
    if text is None or isinstance(text, str):
        return text
    logger.warning("%s left out: not text but %s", what, type(text).__name__)
    return None


def _text(name: str, title: str, plugin: ContextPlugin) -> PluginText:
    return PluginText(
        name=name,
        title=title or display_name(name),
        instructions=text_from(f"Instructions of plugin {name}", plugin.get_instructions),
        content=text_from(f"Content of plugin {name}", plugin.get_content),
    )


def _asked(plugin: ContextPlugin, method: str, ask: Callable[[], Answer[T]]) -> T:
    """Return what a plugin answers while it is registered.

    Raises:
        ContextError: what was raised on purpose.
        InvalidOption: when the method failed.
    """
    outcome = contain(f"{method} of plugin {plugin.name}", ask)
    if isinstance(outcome.failure, ContextError):
        raise outcome.failure
    if outcome.failure is not None:
        raise InvalidOption(
            f'{method} of plugin "{plugin.name}" failed: {type(outcome.failure).__name__} '
            f"({words_of(outcome.failure)}). Mend it and register the plugin again."
        ) from outcome.failure
    return cast("T", outcome.value)


def _tools_of(plugin: ContextPlugin) -> list[Tool]:
    return [as_tool(each) for each in _asked(plugin, "get_tools", lambda: list(plugin.get_tools()))]


def _check_instructions(plugin: ContextPlugin) -> None:
    """Refuse what is no text; instructions that fail are left out of prompts, as later ones would be."""
    text: object = contain(f"Instructions of plugin {plugin.name}", plugin.get_instructions).value
    check_kind(f"What get_instructions of {plugin.name} gives", text, maybe(TEXT))


def display_name(name: str) -> str:
    """Return ``in_context_memory`` as ``In Context Memory``."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split("_"))
