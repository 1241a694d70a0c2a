"""Components of a prompt that hosts assemble themselves, and the contract of what makes them smaller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from agents.context import json_values
from agents.context.tokens import ApproximateTokenEstimator

if TYPE_CHECKING:
    from agents.context.tokens import TokenEstimator

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Component:
    """One part of a prompt.

    Attributes:
        content: a text, or a list of messages or other JSON values.
        priority: a higher one is made smaller first.
        compactable: whether it may be made smaller at all.
        metadata: ``strategy`` chooses the compactor; each compactor says what else it reads and adds.
    """

    name: str
    content: Any
    priority: int = 0
    compactable: bool = True
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Compactor(Protocol):
    """Makes one kind of component smaller.

    Attributes:
        priority: a lower one is tried first.
    """

    name: str
    priority: int

    def can_compact(self, component: Component) -> bool:
        """Tell whether this is a component of its kind."""
        ...

    def compact(self, component: Component, target_tokens: int) -> Component:
        """Return the component at or under the target; the given one when that is so or cannot be done."""
        ...

    def estimate_savings(self, component: Component) -> int:
        """Return the tokens that it would probably free."""
        ...


def count_component(component: Component, estimator: TokenEstimator) -> int:
    """Return the tokens of a component's content as it is sent."""
    return estimator.estimate_tokens(text_of(component.content))


def text_of(content: object) -> str:
    """Return a text as it is, and anything else as readable JSON."""
    return content if isinstance(content, str) else json_values.pretty(content)


def compact_components(
    components: Sequence[Component],
    compactors: Sequence[Compactor],
    target: int,
    estimator: TokenEstimator | None = None,
) -> list[Component]:
    """Return the components in their order, made smaller until together they are at or under the target.

    The highest priority is made smaller first, by the compactor of lowest priority that can; no more is asked
    of a component than what is still missing. What remains above the target could not be made smaller.
    Tokens are counted by the estimator, approximately when there is none.
    """
    counter = estimator or ApproximateTokenEstimator()
    result = list(components)
    tokens = [count_component(each, counter) for each in result]
    by_priority = sorted(range(len(result)), key=lambda place: -result[place].priority)
    ordered = sorted(compactors, key=lambda each: each.priority)
    for place in by_priority:
        excess = sum(tokens) - target
        compactor = next((each for each in ordered if each.can_compact(result[place])), None)
        if excess <= 0 or compactor is None:
            continue
        result[place] = compactor.compact(result[place], max(0, tokens[place] - excess))
        tokens[place] = count_component(result[place], counter)
    return result
