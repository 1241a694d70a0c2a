"""Cutting texts and lists to a number of tokens, with a mark where something is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agents.context.compaction.components import (
    CHARACTERS_PER_TOKEN,
    Component,
    count_component,
    text_of,
)
from agents.context.compaction.summary import longest_prefix

if TYPE_CHECKING:
    from agents.context.tokens import TokenEstimator

MARKER = "\n\n[… cut to fit the context.]"

_HEADING = re.compile(r"#{1,6} ")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) ")


class TruncateCompactor:
    """Cuts what no other compactor takes: texts from the end, lists from the oldest item."""

    name = "truncate"
    priority = 10

    def __init__(self, estimator: TokenEstimator) -> None:
        self._estimator = estimator

    def can_compact(self, component: Component) -> bool:
        """Tell whether it is a text or a list that may be made smaller."""
        return component.compactable and isinstance(component.content, str | list)

    def compact(self, component: Component, target_tokens: int) -> Component:
        """Return the component at or under the target, the mark included.

        Adds to the metadata: ``truncated``, ``truncatedFrom`` and ``truncatedTo`` in tokens.
        """
        before = count_component(component, self._estimator)
        if before <= target_tokens:
            return component
        content: Any = (
            truncate_text(component.content, target_tokens, self._estimator)
            if isinstance(component.content, str)
            else self._newest(component.content, target_tokens)
        )
        return truncated(component, content, before, self._estimator)

    def estimate_savings(self, component: Component) -> int:
        """Return half of what the component costs."""
        return count_component(component, self._estimator) // 2

    def _newest(self, items: Sequence[Any], target_tokens: int) -> list[Any]:
        low, high = 0, len(items)
        while low < high:
            middle = (low + high + 1) // 2
            if self._estimator.estimate_tokens(text_of(list(items[-middle:]))) <= target_tokens:
                low = middle
            else:
                high = middle - 1
        return list(items[-low:]) if low else []


def truncated(
    component: Component, content: object, before: int, estimator: TokenEstimator, **more: object
) -> Component:
    """Return the component with the cut content and what the metadata says about that."""
    after = estimator.estimate_tokens(text_of(content))
    added = {"truncated": True, "truncatedFrom": before, "truncatedTo": after, **more}
    return replace(component, content=content, metadata={**component.metadata, **added})


def truncate_text(text: str, target_tokens: int, estimator: TokenEstimator) -> str:
    """Return the beginning of a text with a mark, together at most ``target_tokens``.

    Too small a target leaves no room for the mark, and none at all leaves nothing.
    """
    room = target_tokens - estimator.estimate_tokens(MARKER)
    if room <= 0:
        return longest_prefix(text[: max(0, target_tokens) * CHARACTERS_PER_TOKEN], target_tokens, estimator)
    prefix = longest_prefix(text[: room * CHARACTERS_PER_TOKEN], target_tokens, estimator, MARKER)
    return (prefix + MARKER).lstrip()


def truncate_structured(text: str, target_tokens: int, estimator: TokenEstimator) -> str:
    """Return headings, then list items, then other lines, as many as fit, in their order with a mark."""
    lines = text.splitlines()
    room = target_tokens - estimator.estimate_tokens(MARKER)
    kept: set[int] = set()
    for place in sorted(range(len(lines)), key=lambda each: _rank(lines[each])):
        room -= estimator.estimate_tokens(f"{lines[place]}\n")
        if room < 0:
            break
        kept.add(place)
    shorter = "\n".join(line for place, line in enumerate(lines) if place in kept)
    if not shorter.strip() or estimator.estimate_tokens(shorter + MARKER) > target_tokens:
        return truncate_text(text, target_tokens, estimator)
    return shorter + MARKER


def _rank(line: str) -> int:
    if _HEADING.match(line):
        return 0
    return 1 if _LIST_ITEM.match(line) else 2
