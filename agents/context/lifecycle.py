"""Hooks that a host hangs into the life of a context; a failing hook is logged and life goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypedDict, cast

from agents.context.errors import InvalidOption
from agents.context.features import snake_case
from agents.context.isolation import Outcome, contain
from agents.context.kinds import FUNCTION, MAPPING, check_kind, shown

logger = logging.getLogger(__name__)

Hook = Callable[[Any], object]
"""Gets one value and may be a coroutine function."""

# Source: spec 8.4.
_TIMEOUT_S = 5.0
MAX_HOOKS_PER_NAME = 10
MAX_FAILURES_IN_A_ROW = 3


class LifecycleHooks(TypedDict, total=False):
    """The hooks there are, each one function or a list; the mission's camelCase names are accepted too."""

    before_compaction: Hook | Sequence[Hook]
    after_compaction: Hook | Sequence[Hook]
    before_context_prepare: Hook | Sequence[Hook]
    before_tool_execution: Hook | Sequence[Hook]
    after_tool_execution: Hook | Sequence[Hook]
    on_error: Hook | Sequence[Hook]


@dataclass(eq=False)
class GuardedHook:
    """One hook; it gets five seconds, and is switched off when it fails three times in a row.

    Attributes:
        owner: who added it.
    """

    name: str
    owner: str
    function: Hook
    _failures: int = field(init=False, default=0)

    @property
    def is_off(self) -> bool:
        """Whether it failed too often."""
        return self._failures >= MAX_FAILURES_IN_A_ROW

    def call(self, payload: object) -> Outcome[object]:
        """Return what the hook gave."""
        outcome = contain(f"Hook {self.name}", partial(self.function, payload), _TIMEOUT_S)
        self._failures = 0 if outcome.failure is None else self._failures + 1
        if self.is_off:
            logger.warning("Hook %s failed %d times in a row and is off now.", self.name, self._failures)
        return outcome


class Hooks:
    """The hooks of one context, in the order they were added."""

    def __init__(self, hooks: Mapping[str, Hook | Sequence[Hook]] | LifecycleHooks | None) -> None:
        self._hooks: list[GuardedHook] = []
        self.merge(hooks or {})

    def merge(self, hooks: Mapping[str, Hook | Sequence[Hook]] | LifecycleHooks, *, owner: str = "") -> None:
        """Add hooks; those of the same name and owner are replaced.

        Raises:
            InvalidOption: for a name that is no hook, naming those that are, for what is no function, and for
                more than ten hooks of one name. Nothing was changed then.
        """
        check_kind("lifecycle_hooks", hooks, MAPPING)
        merged = self._hooks
        for given, value in hooks.items():
            name = _known(given)
            is_list = isinstance(value, Sequence) and not isinstance(value, str)
            functions = cast("Sequence[Hook]", value if is_list else [value])
            for function in functions:
                check_kind(f"The hook {name}", function, FUNCTION)
            merged = [each for each in merged if (each.name, each.owner) != (name, owner)]
            merged += [GuardedHook(name, owner, function) for function in functions]
            if sum(each.name == name for each in merged) > MAX_HOOKS_PER_NAME:
                raise InvalidOption(f"At most {MAX_HOOKS_PER_NAME} hooks may be named {name}.")
        self._hooks = merged

    def remove(self, owner: str) -> None:
        """Forget the hooks that this owner added."""
        self._hooks = [each for each in self._hooks if each.owner != owner]

    def named(self, name: str) -> list[GuardedHook]:
        """Return the hooks of this name that are not off."""
        return [each for each in self._hooks if each.name == name and not each.is_off]

    def run(self, name: str, payload: object) -> None:
        """Call the hooks of this name one after another."""
        for hook in self.named(name):
            hook.call(payload)


def _known(given: object) -> str:
    name = snake_case(given) if isinstance(given, str) else ""
    if name not in LifecycleHooks.__annotations__:
        names = ", ".join(LifecycleHooks.__annotations__)
        raise InvalidOption(f"Unknown hook {shown(given)}; known are {names}.")
    return name
