"""A context as plain data, and back again: all of it or nothing (R11, R14)."""

from __future__ import annotations

import copy
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from agents.context import json_values
from agents.context.errors import InvalidItem, InvalidState, NewerState, PluginStateFailed, words_of
from agents.context.isolation import contain
from agents.context.messages import InputItem
from agents.context.plugin_set import PluginSet, state_of
from agents.context.storage import ContextState
from agents.context.wire_form import check_item

if TYPE_CHECKING:
    from agents.context.conversation import Conversation
    from agents.context.json_values import JSON
    from agents.context.plugin import ContextPlugin
    from agents.context.toolbox import ToolManager

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 1
_NEEDED = ("conversation", "pluginStates")
# A state stands some levels deep in what a storage writes; those of ours take 128.
_MAX_STATE_DEPTH = 120


@dataclass(frozen=True)
class Parts:
    """The parts of a context that its state is made of."""

    conversation: Conversation
    plugins: PluginSet
    tools: ToolManager


@dataclass(frozen=True)
class Carried:
    """What a state says of plugins and tools that are not here; it is part of the next state as it was."""

    plugin_states: Mapping[str, object] = field(default_factory=dict)
    tools_enabled: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Restored:
    """What a state says beside the parts.

    Attributes:
        system_prompt: None when the state has none; a configured one is kept then.
        turn_index: None in a state that does not know it.
        carried: what nothing here could take.
    """

    system_prompt: str | None
    turn_index: int | None
    agent_state: JSON
    carried: Carried


def is_user_turn(item: InputItem) -> bool:
    """Tell whether the item is a message a person wrote: what begins a turn."""
    if item["type"] != "message" or item["role"] != "user":
        return False
    return any(block["type"] != "tool_result" for block in item["content"])


def capture(
    parts: Parts,
    carried: Carried,
    *,
    system_prompt: str | None,
    turn_index: int,
    metadata: Mapping[str, JSON],
) -> ContextState:
    """Return the state as data of its own: nothing in it changes with the context.

    Raises:
        PluginStateFailed: when a plugin cannot give its state, or one that cannot be stored.
    """
    plugin_states = {plugin.name: _storable_state_of(plugin) for plugin in parts.plugins.all()}
    switches = {name: parts.tools.is_enabled(name) for name in parts.tools.list()}
    state = ContextState(
        schemaVersion=SCHEMA_VERSION,
        conversation=copy.deepcopy(parts.conversation.items()),
        currentInput=copy.deepcopy(parts.conversation.pending_items()),
        turnIndex=turn_index,
        pluginStates={**copy.deepcopy(dict(carried.plugin_states)), **plugin_states},
        toolsEnabled={**carried.tools_enabled, **switches},
        metadata=dict(metadata),
    )
    if system_prompt is not None:
        state["systemPrompt"] = system_prompt
    return state


def restore(parts: Parts, state: object) -> Restored:
    """Replace conversation, current input, plugin states and tool switches by those of a state.

    A plugin made for a feature of which the state says nothing becomes as new; one that the host registered
    stays as it is, with a warning. What it says of plugins and tools that are not here is carried on.

    Raises:
        NewerState: when a newer version made the state.
        InvalidState: when it does not have the form of a state, or a plugin refuses its part. Everything is
            as it was before.
        PluginStateFailed: when a plugin cannot give the state to go back to; nothing was changed.
    """
    checked = _check(_copy(state))
    history = [(item, None) for item in _items(checked, "conversation")]
    pending = [(item, None) for item in _items(checked, "currentInput")]
    talk = parts.conversation.loaded(history, pending)
    switches = [(name, bool(enabled)) for name, enabled in checked.get("toolsEnabled", {}).items()]
    carried = _carried(parts, checked)
    # The last step that may fail; it takes itself back.
    _restore_plugins(parts.plugins, checked["pluginStates"])
    parts.conversation.adopt(talk)
    for name, enabled in switches:
        parts.tools.set_enabled([name], enabled)
    return Restored(
        system_prompt=checked.get("systemPrompt") or None,
        turn_index=checked.get("turnIndex"),
        agent_state=checked.get("agentState"),
        carried=carried,
    )


def _storable_state_of(plugin: ContextPlugin) -> object:
    state = state_of(plugin)
    try:
        json_values.check(state, "state", max_depth=_MAX_STATE_DEPTH, max_bytes=sys.maxsize)
    except json_values.InvalidJSON as fault:
        raise PluginStateFailed(plugin.name, fault) from fault
    return state


def _carried(parts: Parts, state: ContextState) -> Carried:
    states = {name: each for name, each in state["pluginStates"].items() if name not in parts.plugins}
    switches = {
        name: bool(enabled)
        for name, enabled in state.get("toolsEnabled", {}).items()
        if not parts.tools.has(name)
    }
    try:
        json_values.check(states, "pluginStates", max_depth=_MAX_STATE_DEPTH, max_bytes=sys.maxsize)
        json_values.check(switches, "toolsEnabled")
    except json_values.InvalidJSON as fault:
        raise InvalidState(f"What it says of a plugin or tool not here cannot be kept. {fault}") from fault
    return Carried(states, switches)


def _copy(state: object) -> object:
    try:
        return copy.deepcopy(state)
    except RecursionError:
        raise InvalidState("The state is nested too deeply.") from None
    except (TypeError, ValueError, AttributeError, copy.Error) as fault:
        raise InvalidState(f"The state holds what cannot be copied: {words_of(fault)}.") from fault


def _check(state: object) -> ContextState:
    if not isinstance(state, dict):
        raise InvalidState(f"A state is a dict, not {type(state).__name__}.")
    version = state.get("schemaVersion", SCHEMA_VERSION)
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise NewerState(version, SCHEMA_VERSION)
    state.setdefault("pluginStates", {})
    expected: dict[str, type] = {
        "schemaVersion": int,
        "conversation": list,
        "currentInput": list,
        "pluginStates": dict,
        "toolsEnabled": dict,
        "turnIndex": int,
        "exhausted": bool,
        "systemPrompt": str,
    }
    _check_agent_state(state.get("agentState"))
    for name, kind in expected.items():
        may_miss = name not in _NEEDED and state.get(name) is None
        if not may_miss and not isinstance(state.get(name), kind):
            raise InvalidState(f"`{name}` of a state must be a {kind.__name__}.")
    return cast("ContextState", {name: value for name, value in state.items() if value is not None})


def _check_agent_state(value: object) -> None:
    try:
        json_values.check(value, "agentState")
    except json_values.InvalidJSON as fault:
        raise InvalidState(f"The state cannot be restored. {fault}") from fault


def _items(state: ContextState, name: str) -> list[InputItem]:
    items = cast("list[JSON]", state.get(name, []))
    try:
        return [check_item(_with_id(json_values.repair(item), f"{name}_{n}")) for n, item in enumerate(items)]
    except (InvalidItem, json_values.InvalidJSON) as fault:
        raise InvalidState(f"`{name}` of the state holds an invalid item. {fault}") from fault


def _with_id(item: JSON, item_id: str) -> JSON:
    """Return the item with an id: other libraries save messages without one."""
    return {**item, "id": item_id} if isinstance(item, dict) and item.get("id") is None else item


def _restore_plugins(plugins: PluginSet, states: Mapping[str, object]) -> None:
    wanted: dict[str, object] = {}
    before: dict[str, object] = {}
    for plugin in plugins.all():
        state = _completed(states.get(plugin.name), plugins.initial_state(plugin.name))
        if state is None:
            logger.warning("The state says nothing of plugin %s, which stays as it is", plugin.name)
        else:
            wanted[plugin.name], before[plugin.name] = state, state_of(plugin)
    undo: list[Callable[[], object]] = []
    try:
        for plugin in plugins.all():
            if plugin.name in wanted:
                undo.append(partial(plugin.restore_state, before[plugin.name]))
                _restore_plugin(plugin, wanted[plugin.name])
    except BaseException:
        for step in reversed(undo):
            contain("Taking a failed restore back", step)
        raise


def _restore_plugin(plugin: ContextPlugin, state: object) -> None:
    failure = contain(f"Restoring plugin {plugin.name}", partial(plugin.restore_state, state)).failure
    if failure is not None:
        raise InvalidState(f"Plugin {plugin.name} refused its state: {words_of(failure)}") from failure


def _completed(state: object, initial: object) -> object:
    """Return the state with what it leaves out as it was when the plugin was new.

    A plugin ignores a state that says nothing, and would go on with what it had.
    """
    if not isinstance(initial, Mapping):
        return state
    if not state:
        return initial
    if not isinstance(state, Mapping):
        return state
    return {**initial, **{name: value for name, value in state.items() if value is not None}}
