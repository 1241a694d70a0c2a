"""What an agent is made of, as its creator says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Required, TypedDict, cast

from agents.connectors.base import Connector
from agents.context import AgentContext, ContextOptions, LifecycleHooks, Tool
from agents.context.lifecycle import Hook
from agents.loop.limits import Limits, Pace
from agents.loop.sessions import SessionOptions
from agents.loop.tool_calls import Approve, FailureMode

HookMap = Mapping[str, Hook | Sequence[Hook]] | LifecycleHooks
DEFAULT_MAX_ITERATIONS = 50


class AgentOptions(TypedDict, total=False):
    """Keywords of ``Agent.create``.

    Attributes:
        model: ``provider:name``; a known name may stand alone, and beside ``connector`` any name may.
        connector: name of the provider, or a connector of your own.
        tools: tools or plain functions.
        name: becomes the context's ``agent_id`` unless that is given.
        instructions: the system prompt.
        user_id: whose facts apply.
        max_iterations: model calls of one run before it is asked to answer without tools, default 50.
        context: keywords of ``AgentContext.create``, or a context to share, which is not destroyed with the
            agent.
        session: where the conversation is kept.
        lifecycle_hooks: hook name to function, or to a list of functions.
        limits: what else a run may use.
        settings: of the provider, such as ``temperature``.
        tool_failure_mode: ``continue`` (the model reads what failed) or ``fail`` (the run ends).
        approve: asked before a tool with the permission ``ask`` runs; without it such tools do not run.
        allow_provider_transfer: drop what only another provider can read of the history, instead of refusing.
        pace: clock, sleep and chance.
    """

    model: Required[str]
    connector: str | Connector | None
    tools: Iterable[Tool | Callable[..., object]]
    name: str | None
    instructions: str | None
    user_id: str | None
    max_iterations: int
    context: AgentContext | Mapping[str, Any] | None
    session: SessionOptions | None
    lifecycle_hooks: HookMap | None
    limits: Limits | Mapping[str, int] | None
    settings: Mapping[str, Any] | None
    tool_failure_mode: FailureMode
    approve: Approve | None
    allow_provider_transfer: bool
    pace: Pace


def check_options(options: AgentOptions) -> None:
    """Raise for a keyword that is missing, unknown or contradicts another.

    Raises:
        TypeError: naming the keyword.
        ValueError: for a value out of range, and for a storage beside a context that has its own.
    """
    if "model" not in options:
        raise TypeError("Agent.create needs `model`.")
    unknown = sorted(options.keys() - AgentOptions.__annotations__.keys())
    if unknown:
        raise TypeError(f"Agent.create does not know {', '.join(unknown)}.")
    if options.get("max_iterations", DEFAULT_MAX_ITERATIONS) < 1:
        raise ValueError("max_iterations must be at least 1.")
    context, session = options.get("context"), options.get("session") or {}
    if isinstance(context, AgentContext) and session.get("storage", context.storage) is not context.storage:
        raise ValueError("The storage belongs to the context: pass it to AgentContext.create.")


def limits_of(options: AgentOptions) -> Limits:
    """Return the limits, also when they came as a mapping."""
    given = options.get("limits") or {}
    return given if isinstance(given, Limits) else Limits(**given)


def context_options(options: AgentOptions, model: str) -> ContextOptions:
    """Return the keywords of the agent's own context; the agent's instructions win over its prompt."""
    given = options.get("context")
    merged: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {}
    session = options.get("session") or {}
    wishes = {
        "model": model,
        "agent_id": options.get("name"),
        "user_id": options.get("user_id"),
        "storage": session.get("storage"),
    }
    for name, value in wishes.items():
        if merged.get(name) is None:
            merged[name] = value
    if options.get("instructions") is not None:
        merged["system_prompt"] = options["instructions"]
    return cast("ContextOptions", merged)
