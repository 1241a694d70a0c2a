"""Making a component smaller by letting its owner evict entries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from agents.context.compaction.components import Component, count_component
from agents.context.isolation import contain

if TYPE_CHECKING:
    from agents.context.tokens import TokenEstimator

_DEFAULT_ENTRY_TOKENS = 100


class MemoryEvictionCompactor:
    """Asks the owner of a component to evict entries, and takes over what is left.

    Takes components whose ``metadata["strategy"]`` is ``evict`` and the component ``memory_index``. Reads
    from the metadata, in either spelling: ``evict(count)`` and ``getUpdatedContent()``, both of which may be
    coroutine functions, and ``avgEntrySize`` in tokens, default 100. Without both functions nothing is
    evicted: the content would go on naming what is gone.
    """

    name = "memory-eviction"
    priority = 8

    def __init__(self, estimator: TokenEstimator) -> None:
        self._estimator = estimator

    def can_compact(self, component: Component) -> bool:
        """Tell whether it may be made smaller and is one whose owner evicts."""
        is_known = component.metadata.get("strategy") == "evict" or component.name == "memory_index"
        return component.compactable and is_known

    def compact(self, component: Component, target_tokens: int) -> Component:
        """Return the component with its content after the eviction; unchanged when nothing could be done.

        Adds to the metadata: ``evicted`` and ``evictedCount``.
        """
        evict = _get(component.metadata, "evict", "evict")
        refresh = _get(component.metadata, "getUpdatedContent", "get_updated_content")
        excess = count_component(component, self._estimator) - target_tokens
        if evict is None or refresh is None or excess <= 0:
            return component
        count = math.ceil(excess / self._entry_tokens(component))
        if contain(f"Evicting from {component.name}", partial(evict, count)).failure is not None:
            return component
        content = contain(f"Reading {component.name} again", refresh)
        if content.failure is not None:
            return component
        added = {"evicted": True, "evictedCount": count}
        return replace(component, content=content.value, metadata={**component.metadata, **added})

    def estimate_savings(self, component: Component) -> int:
        """Return the tokens of two entries."""
        return 2 * self._entry_tokens(component)

    def _entry_tokens(self, component: Component) -> int:
        size = _get(component.metadata, "avgEntrySize", "avg_entry_size")
        return max(1, int(size or _DEFAULT_ENTRY_TOKENS))


def _get(metadata: Mapping[str, Any], camel: str, snake: str) -> Any:
    return metadata.get(camel, metadata.get(snake))
