"""What a host is told before and after its context is compacted: figures and names, never contents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from agents.context.budget import CRITICAL_PERCENT, WARNING_PERCENT
from agents.context.isolation import contain
from agents.context.plugin import priority_of

if TYPE_CHECKING:
    from agents.context.budget import Budget
    from agents.context.plugin import ContextPlugin


@dataclass(frozen=True)
class BudgetSummary:
    """The budget in five figures.

    Attributes:
        total: the window without the reserve for the answer.
        used: tokens of the whole prompt with its tools.
        available: what is left of the total.
        status: critical from 90 per cent, warning from 70.
    """

    total: int
    used: int
    available: int
    utilization_percent: float
    status: Literal["ok", "warning", "critical"]


@dataclass(frozen=True)
class ComponentSummary:
    """A plugin by name.

    Attributes:
        priority: plugins with a higher one are asked to shrink first.
        compactable: whether it could give anything back now.
    """

    name: str
    priority: int
    compactable: bool


@dataclass(frozen=True)
class BeforeCompaction:
    """What the hook ``before_compaction`` gets; what the hook stores is kept and counted again.

    Attributes:
        strategy: name of the strategy.
        estimated_tokens_to_free: what is to be freed by the budget shown here.
    """

    agent_id: str
    current_budget: BudgetSummary
    strategy: str
    components: Sequence[ComponentSummary]
    estimated_tokens_to_free: int


def summarize_budget(budget: Budget) -> BudgetSummary:
    """Return the budget in five figures."""
    percent = budget.utilization_percent
    status: Literal["ok", "warning", "critical"] = "ok"
    if percent >= CRITICAL_PERCENT:
        status = "critical"
    elif percent >= WARNING_PERCENT:
        status = "warning"
    return BudgetSummary(
        total=budget.max_tokens - budget.response_reserve,
        used=budget.total_used,
        available=budget.available,
        utilization_percent=percent,
        status=status,
    )


def summarize_components(plugins: Iterable[ContextPlugin]) -> tuple[ComponentSummary, ...]:
    """Return name, priority and readiness of every plugin."""
    return tuple(
        ComponentSummary(
            name=each.name,
            priority=priority_of(each),
            compactable=bool(contain(f"Plugin {each.name}", partial(each.is_compactable)).value),
        )
        for each in plugins
    )
