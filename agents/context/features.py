"""Feature flags, the one table of built-in plugins, and the registry of external ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from agents.context.errors import (
    AlreadyRegistered,
    FeatureNotReady,
    FeatureUnavailable,
    InvalidKeyword,
    UnknownFeature,
)
from agents.context.ids import Clock
from agents.context.kinds import FLAG, MAPPING, check_kind, maybe, one_of
from agents.context.plugin import ContextPlugin

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


@dataclass(frozen=True)
class BuiltIn:
    """A plugin of ours, named by path so that this package never imports it.

    Attributes:
        path: dotted path of the class, resolved when the feature is first switched on.
        default: whether the feature is on when nothing is said.
        takes: what its constructor wants of the scope: ``agent_id``, ``user_id``, ``clock``.
        needs: features that must be on too.
    """

    path: str
    default: bool = False
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


# Feature, which is also the plugin's name, in the order in which plugins are created.
BUILT_INS: dict[str, BuiltIn] = {
    "task_state": BuiltIn("memory.plugins.tasks.TaskState"),
    "in_context_memory": BuiltIn("memory.plugins.whiteboard.InContextMemory", default=True, takes=("clock",)),
    "working_memory": BuiltIn("memory.plugins.notes.WorkingMemory", default=True, takes=("clock",)),
    "persistent_instructions": BuiltIn(
        "memory.plugins.instructions.PersistentInstructions", takes=("agent_id",)
    ),
    "user_info": BuiltIn("memory.plugins.user_info.UserInfo", takes=("user_id",)),
    "tool_catalog": BuiltIn("memory.plugins.tool_catalog.ToolCatalog"),
    "shared_workspace": BuiltIn("memory.plugins.workspace.SharedWorkspace"),
    "memory": BuiltIn("memory.plugins.knowledge.Memory", takes=("agent_id", "user_id")),
    "memory_write": BuiltIn(
        "memory.plugins.knowledge.MemoryWrite", takes=("agent_id", "user_id"), needs=("memory",)
    ),
    "evidence": BuiltIn("memory.plugins.evidence.Evidence"),
}


class Features(Mapping[str, bool]):
    """Which features are on: ``features.working_memory``, ``features["workingMemory"]``; read-only."""

    _flags: dict[str, bool]

    def __init__(self, flags: Mapping[str, bool]) -> None:
        vars(self)["_flags"] = dict(flags)

    def __getitem__(self, name: str) -> bool:
        return self._flags[snake_case(name)]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Features are read-only: choose them when the context is made.")

    def __getattr__(self, name: str) -> bool:
        flags: dict[str, bool] = vars(self).get("_flags", {})
        if name in flags:
            return flags[name]
        raise AttributeError(f"There is no feature {name!r}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._flags)

    def __len__(self) -> int:
        return len(self._flags)

    def __repr__(self) -> str:
        return f"Features({self._flags})"


# The mission lists nine defaults; evidence is opt-in and not one of them.
DEFAULT_FEATURES = Features({name: each.default for name, each in BUILT_INS.items() if name != "evidence"})


@dataclass(frozen=True)
class PluginScope:
    """What a factory may know of the context its plugin is made for."""

    agent_id: str
    user_id: str | None
    features: Features
    clock: Clock


PluginFactory = Callable[[Mapping[str, Any], PluginScope], ContextPlugin]


@dataclass(frozen=True)
class PluginInfo:
    """A registered external plugin.

    Attributes:
        feature: the flag that switches it on, snake_case.
        needs: features that must be on too.
    """

    name: str
    factory: PluginFactory
    feature: str
    description: str = ""
    needs: tuple[str, ...] = ()


class PluginRegistry:
    """External plugins of this process, each behind a feature flag that is off by default."""

    _plugins: ClassVar[dict[str, PluginInfo]] = {}

    @classmethod
    def register(
        cls,
        name: str,
        factory: PluginFactory,
        *,
        feature: str | None = None,
        description: str = "",
        dependencies: tuple[str, ...] = (),
    ) -> None:
        """Make a plugin available under a feature, by default named like the plugin.

        Raises:
            AlreadyRegistered: when the name or the feature is taken, by a built-in too.
        """
        key = snake_case(feature or name)
        if name in cls._plugins or name in BUILT_INS:
            raise AlreadyRegistered("Plugin", name)
        if key in BUILT_INS or any(each.feature == key for each in cls._plugins.values()):
            raise AlreadyRegistered("Feature", key)
        needs = tuple(snake_case(each) for each in dependencies)
        cls._plugins[name] = PluginInfo(name, factory, key, description, needs)

    @classmethod
    def has(cls, name: str) -> bool:
        """Tell whether such a plugin is registered."""
        return name in cls._plugins

    @classmethod
    def get(cls, name: str) -> PluginFactory | None:
        """Return the plugin's factory."""
        info = cls._plugins.get(name)
        return info.factory if info else None

    @classmethod
    def get_info(cls, name: str) -> PluginInfo | None:
        """Return all that was registered."""
        return cls._plugins.get(name)

    @classmethod
    def list(cls) -> tuple[str, ...]:
        """Return the names in order of registration."""
        return tuple(cls._plugins)

    @classmethod
    def remove(cls, name: str) -> bool:
        """Return whether there was such a plugin to remove."""
        return cls._plugins.pop(name, None) is not None


def snake_case(name: str) -> str:
    """Return ``workingMemory`` as ``working_memory``."""
    return _CAPITAL.sub(r"_\1", name).lower()


def resolve_features(wanted: Mapping[str, bool | None] | None) -> Features:
    """Return all flags: the defaults, changed by what is wanted; None keeps a default.

    Raises:
        UnknownFeature: for a key that is neither built in nor registered.
        InvalidOption: for a value that is neither True nor False nor None.
        FeatureNotReady: for a feature without one that it needs.
    """
    external = [info for name in PluginRegistry.list() if (info := PluginRegistry.get_info(name))]
    flags = {name: each.default for name, each in BUILT_INS.items()} | {
        each.feature: False for each in external
    }
    for key, value in (wanted or {}).items():
        name = snake_case(str(key))
        if name not in flags:
            raise UnknownFeature(str(key), tuple(flags))
        check_kind(f"The feature {name}", value, maybe(FLAG))
        if value is not None:
            flags[name] = value
    needs = {name: each.needs for name, each in BUILT_INS.items()} | {
        each.feature: each.needs for each in external
    }
    for name, required in needs.items():
        missing = [each for each in required if flags[name] and not flags.get(each)]
        if missing:
            raise FeatureNotReady(name, " and ".join(f'feature "{each}"' for each in missing))
    return Features(flags)


def create_plugins(
    scope: PluginScope, options: Mapping[str, Mapping[str, object]], taken: Callable[[str], bool]
) -> Iterator[ContextPlugin]:
    """Yield a plugin for every enabled feature, built-ins first; a name that is taken is passed over.

    Args:
        scope: what the plugins may know of their context.
        options: constructor keywords by plugin or feature name, in either spelling.
        taken: tells whether a plugin of that name is there already.

    Raises:
        FeatureUnavailable: when the plugin of a feature is not part of this installation.
        InvalidOption: for options of a plugin that does not exist, or that are none.
        InvalidKeyword: for an option that a built-in plugin does not have.
    """
    given = _plugin_options(options)
    for name, built_in in BUILT_INS.items():
        if scope.features[name] and not taken(name):
            yield _create_built_in(name, built_in, scope, given.get(name, {}))
    for name in PluginRegistry.list():
        info = PluginRegistry.get_info(name)
        if info and scope.features.get(info.feature) and not taken(name):
            yield info.factory(given.get(name, given.get(info.feature, {})), scope)


def _plugin_options(options: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    """Return a copy of the options under names in snake_case."""
    external = [info for name in PluginRegistry.list() if (info := PluginRegistry.get_info(name))]
    names = dict.fromkeys((*BUILT_INS, *(name for each in external for name in (each.name, each.feature))))
    known = one_of(*names)
    given: dict[str, dict[str, object]] = {}
    for name, each in options.items():
        spelled = name if name in names else snake_case(str(name))
        check_kind("A name in plugins", spelled, known)
        check_kind(f"plugins[{spelled!r}]", each, MAPPING)
        given[spelled] = dict(each)
    return given


def _create_built_in(
    name: str, built_in: BuiltIn, scope: PluginScope, options: dict[str, object]
) -> ContextPlugin:
    for each in built_in.takes:
        options.setdefault(each, getattr(scope, each))
    make = _load(name, built_in.path)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as fault:
        raise InvalidKeyword(f'Plugin "{name}": {fault}.') from None
    return make(**options)


def _load(feature: str, path: str) -> Callable[..., ContextPlugin]:
    module_name, _, class_name = path.rpartition(".")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not module_name.startswith(missing.name):
            raise
        raise FeatureUnavailable(feature, path) from missing
    make: Callable[..., ContextPlugin] = getattr(module, class_name)
    return make
