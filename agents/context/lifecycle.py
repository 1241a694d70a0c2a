"""Hooks that a host hangs into the life of a context; a failing hook is logged and life goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypedDict

from agents.context.features import snake_case
from agents.context.isolation import contain

Hook = Callable[[Any], object]
"""Gets one value and may be a coroutine function."""

_TIMEOUT_S = 5.0


class LifecycleHooks(TypedDict, total=False):
    """The hooks there are; the mission's camelCase names are accepted too."""

    before_compaction: Hook
    after_compaction: Hook
    before_context_prepare: Hook
    before_tool_execution: Hook
    after_tool_execution: Hook
    on_error: Hook


class Hooks:
    """The hooks of one context by name."""

    def __init__(self, hooks: Mapping[str, Hook] | LifecycleHooks | None) -> None:
        self._hooks: dict[str, Hook] = {}
        self.merge(hooks or {})

    def merge(self, hooks: Mapping[str, Hook] | LifecycleHooks) -> None:
        """Add hooks; one of the same name is replaced.

        Raises:
            ValueError: for a name that is no hook, naming those that are.
        """
        for name, hook in dict(hooks).items():
            known = snake_case(name)
            if known not in LifecycleHooks.__annotations__:
                names = ", ".join(LifecycleHooks.__annotations__)
                raise ValueError(f"Unknown hook {name!r}; known are {names}.")
            self._hooks[known] = hook  # type: ignore[assignment]

    def run(self, name: str, payload: object) -> None:
        """Call the hook, if there is one, and wait at most five seconds for it."""
        hook = self._hooks.get(name)
        if hook is not None:
            contain(f"Hook {name}", partial(hook, payload), _TIMEOUT_S)
