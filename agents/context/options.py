"""What a context is made of, as its creator says it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Required, TypedDict

from agents.context import json_values
from agents.context.assembly import Window
from agents.context.errors import InvalidKeyword, InvalidOption, words_of
from agents.context.ids import check_clock
from agents.context.isolation import contain
from agents.context.kinds import (
    ESTIMATOR,
    FUNCTION,
    MAPPING,
    TEXT,
    WHOLE,
    Kind,
    check_kind,
    check_kinds,
    having,
    maybe,
    number,
    one_of,
    some_of,
    whole,
)
from agents.context.models import model_info
from agents.context.tokens import ApproximateTokenEstimator, TiktokenEstimator

if TYPE_CHECKING:
    from agents.context.compaction.engine import Commit
    from agents.context.compaction.strategy import CompactionStrategy
    from agents.context.ids import Clock
    from agents.context.journal import EntryType
    from agents.context.lifecycle import Hook, LifecycleHooks
    from agents.context.prompt import Placement
    from agents.context.storage import ContextStorage
    from agents.context.tokens import TokenEstimator
    from agents.context.tools import Tool

DEFAULT_RESPONSE_RESERVE = 4096
DEFAULT_CRITICAL_GATE = 0.90
DEFAULT_STRATEGY = "algorithmic"
# They are known to count; asking the exact one would load its vocabulary.
_OWN_ESTIMATORS = {ApproximateTokenEstimator, TiktokenEstimator}


class ContextOptions(TypedDict, total=False):
    """Keywords of ``AgentContext.create``.

    Attributes:
        model: name, or ``provider:name``; gives window and token encoding.
        max_context_tokens: default the model's window.
        response_reserve: tokens of the window kept free for the answer, default 4096.
        system_prompt: first section of the system message.
        agent_id: where stored state belongs; generated when absent.
        user_id: whose facts apply.
        tools: tools or plain functions.
        features: changes to the defaults, in either spelling; None keeps a default.
        strategy: name of the compaction strategy, default ``algorithmic``.
        compaction_strategy: a strategy made by the host; it wins over the name.
        commit_compaction: the host's transaction around a compaction. It gets the plan and a function that
            carries it out and returns the plan with what it led to; it stores that and returns it. A host
            that commits keeps every message itself.
        critical_gate: share of the content room at which compaction starts, 0.5 to 1.0, default 0.9.
        storage: keeps sessions and histories; without it nothing is saved.
        plugins: plugin or feature name to constructor keywords.
        estimator: default exact for the model.
        lifecycle_hooks: hook name to function, or to a list of functions.
        volatile_placement: ``tail`` puts what changes often behind the newest input, so that a provider's
            prefix cache survives it; default ``mission``.
        tool_timeout_ms: limit for tools without their own; 0, the default, is no limit.
        journal_filter: entry types the history keeps, of ``user``, ``assistant``, ``tool_result`` and
            ``system``; default all.
        clock: gives epoch milliseconds as a whole number.
    """

    model: Required[str]
    max_context_tokens: int | None
    response_reserve: int
    system_prompt: str | None
    agent_id: str | None
    user_id: str | None
    tools: Iterable[Tool | Callable[..., object]]
    features: Mapping[str, bool | None] | None
    strategy: str
    compaction_strategy: CompactionStrategy | None
    commit_compaction: Commit | None
    critical_gate: float
    storage: ContextStorage | None
    plugins: Mapping[str, Mapping[str, object]] | None
    estimator: TokenEstimator | None
    lifecycle_hooks: Mapping[str, Hook | Sequence[Hook]] | LifecycleHooks | None
    volatile_placement: Placement
    tool_timeout_ms: int
    journal_filter: Collection[EntryType] | None
    clock: Clock


MODEL = Kind(
    "the name of a model, such as openai:gpt-4.1",
    lambda value: isinstance(value, str) and bool(value.strip()),
)
SYSTEM_PROMPT = maybe(TEXT)
TOOLS = Kind(
    "a list of tools", lambda value: isinstance(value, Iterable) and not isinstance(value, str | Mapping)
)
KINDS: dict[str, Kind] = {
    "model": MODEL,
    "max_context_tokens": maybe(whole(1)),
    # Its range depends on the window.
    "response_reserve": WHOLE,
    "system_prompt": SYSTEM_PROMPT,
    "agent_id": maybe(TEXT),
    "user_id": maybe(TEXT),
    "tools": TOOLS,
    "features": maybe(MAPPING),
    "strategy": TEXT,
    # Looked at when it is put to use.
    "compaction_strategy": Kind("a strategy", lambda value: True),
    "commit_compaction": maybe(FUNCTION),
    "critical_gate": number(0.5, 1.0),
    "storage": maybe(having("a storage", "save", "load", "exists", "delete", "list", "journal")),
    "plugins": maybe(MAPPING),
    "estimator": maybe(ESTIMATOR),
    "lifecycle_hooks": maybe(MAPPING),
    "volatile_placement": one_of("mission", "tail"),
    "tool_timeout_ms": whole(0),
    "journal_filter": maybe(some_of("user", "assistant", "tool_result", "system")),
    "clock": FUNCTION,
}


def check_options(options: ContextOptions) -> None:
    """Raise for a keyword that is missing or unknown, a value of another kind, and ids that cannot be stored.

    Raises:
        InvalidKeyword: naming the keyword.
        InvalidJSON: for a NUL or a lone surrogate in an id.
        InvalidOption: naming the option and what it may be.
    """
    if "model" not in options:
        raise InvalidKeyword("AgentContext.create needs `model`.")
    unknown = sorted(options.keys() - ContextOptions.__annotations__.keys())
    if unknown:
        raise InvalidKeyword(f"AgentContext.create does not know {', '.join(unknown)}.")
    check_kinds(options, KINDS)
    for name in ("agent_id", "user_id"):
        json_values.check(options.get(name), name)
    if "clock" in options:
        check_clock(options["clock"])
    _check_estimator(options.get("estimator"))


def _check_estimator(estimator: TokenEstimator | None) -> None:
    """Raise InvalidOption for an estimator that does not count a short text, a value and an image."""
    if estimator is None or type(estimator) in _OWN_ESTIMATORS:
        return
    asked: dict[str, Callable[[], object]] = {
        "estimate_tokens": partial(estimator.estimate_tokens, "Hello"),
        "estimate_data_tokens": partial(estimator.estimate_data_tokens, "Hello"),
        "estimate_image_tokens": estimator.estimate_image_tokens,
    }
    for name, ask in asked.items():
        count = contain(f"{name} of the estimator", ask)
        if count.failure is not None:
            raise InvalidOption(
                f"{name} of the estimator failed: {words_of(count.failure)}."
            ) from count.failure
        check_kind(f"What {name} of the estimator gives", count.value, whole(0))


def window_of(options: ContextOptions) -> Window:
    """Return the room there is.

    Raises:
        InvalidOption: for a reserve that leaves none.
    """
    given = options.get("max_context_tokens")
    max_tokens = model_info(options["model"]).window if given is None else given
    reserve = options.get("response_reserve", DEFAULT_RESPONSE_RESERVE)
    if not 0 <= reserve < max_tokens:
        raise InvalidOption(f"response_reserve must be from 0 to below the window of {max_tokens} tokens.")
    return Window(max_tokens, reserve)
