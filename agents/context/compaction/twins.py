"""Copies of plugins, made when they are first needed, on which compaction is tried out."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

from agents.context.compaction.plan import PluginShrink
from agents.context.cut_texts import NOTES_STORE
from agents.context.isolation import contain
from agents.context.stores import StoreHandler, schema_of

if TYPE_CHECKING:
    from agents.context.compaction.keeper import Keeper
    from agents.context.json_values import JSON
    from agents.context.plugin import ContextPlugin


class Twins:
    """The plugins of a context, each as a copy as soon as something about it changes.

    Attributes:
        plugins: plugin name to its copy, only those that were needed so far.
        live_notes: the plugin behind the store ``notes``, None without one.
    """

    def __init__(self, live: Mapping[str, ContextPlugin]) -> None:
        self._live = live
        self.plugins: dict[str, ContextPlugin] = {}
        self._notes_name = next((name for name, each in live.items() if _is_notes(each)), None)
        self.live_notes = cast("StoreHandler | None", live.get(self._notes_name or ""))

    @property
    def notes(self) -> StoreHandler | None:
        """The copy of the notes, None without notes or when they cannot be copied."""
        return cast("StoreHandler | None", self._twin(self._notes_name or ""))

    def readable(self) -> Mapping[str, ContextPlugin]:
        """Return every plugin, as a copy where there is one."""
        return {**self._live, **self.plugins}

    def mark(self) -> dict[str, ContextPlugin]:
        """Return what ``go_back`` returns to."""
        marked = dict(self.plugins)
        if self._notes_name in marked:
            notes = twin_of(marked[self._notes_name])
            marked |= {self._notes_name: notes} if notes is not None else {}
        return marked

    def go_back(self, marked: dict[str, ContextPlugin]) -> None:
        """Undo what happened to the copies since the mark."""
        self.plugins = marked

    def shrink(self, name: str, tokens: int, keeper: Keeper) -> PluginShrink | None:
        """Return the request with which the plugin gives tokens back, after what it gives up was kept.

        None when it is unknown, has nothing to give, fails, or gives up what nobody can keep.
        """
        twin = self._twin(name)
        if twin is None or not contain(f"Plugin {name}", twin.is_compactable).value:
            return None
        trial = twin_of(twin)
        if trial is None or not contain(f"Compacting plugin {name}", partial(trial.compact, tokens)).value:
            return None
        lost = {} if name == self._notes_name else _lost_entries(twin, trial)
        kept = [keeper.keep_entry(_label(twin), key, entry) for key, entry in lost.items()]
        if None in kept:
            return None
        self.plugins[name] = trial
        found = [each for each in kept if each is not None]
        return PluginShrink(
            name=name,
            tokens_to_free=tokens,
            freed=0,
            given_up=tuple(lost),
            kept_in=tuple(place for each in found for place in each.places),
            needs=frozenset().union(*(each.needs for each in found)),
            entries=tuple(lost.values()),
        )

    def _twin(self, name: str) -> ContextPlugin | None:
        if name not in self.plugins and name in self._live:
            twin = twin_of(self._live[name])
            if twin is not None:
                self.plugins[name] = twin
        return self.plugins.get(name)


def revisions_of(plugins: Iterable[ContextPlugin]) -> dict[str, object]:
    """Return the revision of each plugin by its name, None for one that counts none."""
    return {plugin.name: getattr(plugin, "revision", None) for plugin in plugins}


def twin_of(plugin: ContextPlugin) -> ContextPlugin | None:
    """Return a copy of a plugin whose changes reach nobody, None when it cannot be copied.

    A plugin with a method ``copy`` makes its own; any other is copied deeply. One that holds what cannot be
    copied, such as a connection, needs the method to take part in compaction.
    """
    make = getattr(plugin, "copy", None) or partial(copy.deepcopy, plugin)
    made = contain(f"Copying plugin {plugin.name}", cast("partial[ContextPlugin]", make))
    return made.value


def _label(plugin: ContextPlugin) -> str:
    """Return the name that the model knows the plugin by."""
    return _store_of(plugin) or plugin.name


def _is_notes(plugin: ContextPlugin) -> bool:
    return _store_of(plugin) == NOTES_STORE


def _store_of(plugin: ContextPlugin) -> str | None:
    """Return the id of a plugin's store, None for one that is none or cannot describe itself now."""
    if not isinstance(plugin, StoreHandler):
        return None
    schema = contain(f"Describing plugin {plugin.name}", partial(schema_of, plugin)).value
    return schema["storeId"] if schema else None


def _lost_entries(before: ContextPlugin, after: ContextPlugin) -> dict[str, JSON]:
    """Return the entries that a plugin with keyed contents no longer has."""
    had = contain(f"Contents of plugin {before.name}", before.get_contents).value
    has = contain(f"Contents of plugin {after.name}", after.get_contents).value
    if not isinstance(had, Mapping) or not isinstance(has, Mapping):
        return {}
    return {str(key): cast("JSON", entry) for key, entry in had.items() if key not in has}
