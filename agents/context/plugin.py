"""The contract between a context and its plugins, and a base class that answers most of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from agents.context import json_values
from agents.context.errors import InvalidOption
from agents.context.kinds import WHOLE, WORD, check_kind
from agents.context.tokens import ApproximateTokenEstimator, TokenEstimator

if TYPE_CHECKING:
    from agents.context.background import Answer
    from agents.context.tools import Tool


@runtime_checkable
class ContextPlugin(Protocol):
    """A part of the context: what it says to the model, how it shrinks, how it is saved.

    Every method may be a coroutine function where the return type is an ``Answer``.
    """

    name: str
    compaction_priority: int

    def get_instructions(self) -> str | None:
        """Return how the model uses this plugin; static, never compacted, or None."""
        ...

    def get_content(self) -> Answer[str | None]:
        """Return the section shown to the model without its title, or None when there is none."""
        ...

    def get_contents(self) -> object:
        """Return the raw data for inspection, in JSON types where possible."""
        ...

    def is_compactable(self) -> bool:
        """Tell whether ``compact`` could free anything now."""
        ...

    def compact(self, tokens_to_free: int) -> Answer[int]:
        """Return the tokens really freed; best effort."""
        ...

    def get_state(self) -> Answer[object]:
        """Return all there is to save, in JSON types; never a live reference."""
        ...

    def restore_state(self, state: object) -> Answer[None]:
        """Replace everything by a state that ``get_state`` gave."""
        ...

    def get_token_size(self) -> int:
        """Return the tokens of the content as last rendered."""
        ...

    def get_tools(self) -> Sequence[Tool]:
        """Return the tools that come and go with this plugin."""
        ...

    def adopt_estimator(self, estimator: TokenEstimator) -> None:
        """Take the context's estimator, unless this plugin was given one of its own."""
        ...

    def destroy(self) -> Answer[None]:
        """Release what the plugin holds; the context that owned it is going away."""
        ...


class BasePlugin:
    """A plugin that says nothing, keeps nothing and frees nothing; subclasses override what they have.

    Its attributes live on the class, so a subclass need not call ``super().__init__()``.

    Attributes:
        name: unique within a context; the section title is made from it unless the plugin is a store.
        compaction_priority: plugins with a higher number are asked to shrink first.
        estimator: approximate until the plugin is registered. Give an instance its own by assigning it in
            ``__init__``; assigning the default there would keep the context's exact one out.
    """

    name: str
    compaction_priority: int = 10
    estimator: TokenEstimator = ApproximateTokenEstimator()
    _token_size: int = 0

    def get_instructions(self) -> str | None:
        """Return no instructions."""
        return None

    def get_content(self) -> Answer[str | None]:
        """Return no section. Overrides end with ``update_token_cache``."""
        return None

    def get_contents(self) -> object:
        """Return no raw data."""
        return None

    def is_compactable(self) -> bool:
        """Return False: nothing could be freed."""
        return False

    def compact(self, tokens_to_free: int) -> Answer[int]:
        """Return 0: nothing was freed."""
        return 0

    def get_state(self) -> Answer[object]:
        """Return an empty state."""
        return {}

    def restore_state(self, state: object) -> Answer[None]:
        """Ignore the state: there is nothing to restore."""
        return None

    def get_token_size(self) -> int:
        """Return what ``update_token_cache`` was last given, 0 before that and after invalidation."""
        return self._token_size

    def update_token_cache(self, tokens: int) -> None:
        """Remember the size of the content as just rendered."""
        self._token_size = tokens

    def invalidate_token_cache(self) -> None:
        """Forget the size; the next ``get_content`` sets it again."""
        self._token_size = 0

    def get_tools(self) -> Sequence[Tool]:
        """Return no tools."""
        return ()

    def adopt_estimator(self, estimator: TokenEstimator) -> None:
        """Take the context's estimator, unless ``__init__`` assigned one to this instance."""
        if "estimator" not in vars(self):
            self.estimator = estimator

    def destroy(self) -> Answer[None]:
        """Do nothing: there is nothing to release."""
        return None


def check_plugin(plugin: object) -> None:
    """Do nothing for an object that has all that a plugin has, with a name and a priority that can be used.

    Raises:
        InvalidOption: saying what is missing or of another kind.
        InvalidJSON: for a name that cannot be stored.
    """
    given = plugin.__name__ if isinstance(plugin, type) else type(plugin).__name__
    if isinstance(plugin, type):
        raise InvalidOption(f"A plugin is an object, not a class; register {given}().")
    if not isinstance(plugin, ContextPlugin):
        raise InvalidOption(f"A plugin has all that ContextPlugin names; derive {given} from BasePlugin.")
    check_kind(f"name of {given}", plugin.name, WORD)
    json_values.check(plugin.name, f"name of {given}")
    check_kind(f"compaction_priority of {given}", plugin.compaction_priority, WHOLE)


def priority_of(plugin: ContextPlugin) -> int:
    """Return the compaction priority; the usual one where a plugin's became something else meanwhile."""
    given: object = plugin.compaction_priority
    return given if isinstance(given, int) else BasePlugin.compaction_priority
