"""What an agent is made of, as its creator says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Required, TypedDict, cast

from agents.connectors.base import Connector
from agents.context import AgentContext, ContextOptions, LifecycleHooks, Tool
from agents.context.errors import InvalidKeyword, InvalidOption
from agents.context.kinds import (
    FLAG,
    FUNCTION,
    MAPPING,
    TEXT,
    Kind,
    check_kinds,
    having,
    maybe,
    one_of,
    whole,
)
from agents.context.lifecycle import Hook
from agents.context.options import MODEL, SYSTEM_PROMPT, TOOLS
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


KINDS: dict[str, Kind] = {
    "model": MODEL,
    "connector": Kind(
        "the name of a provider, or a connector, which has stream",
        lambda value: value is None or TEXT.fits(value) or having("", "stream").fits(value),
    ),
    "tools": TOOLS,
    "name": maybe(TEXT),
    "instructions": SYSTEM_PROMPT,
    "user_id": maybe(TEXT),
    "max_iterations": whole(1),
    "context": Kind(
        "an AgentContext, or keywords of one",
        lambda value: value is None or isinstance(value, AgentContext | Mapping),
    ),
    "session": maybe(MAPPING),
    "lifecycle_hooks": maybe(MAPPING),
    "limits": Kind(
        "Limits, or a mapping of them", lambda value: value is None or isinstance(value, Limits | Mapping)
    ),
    "settings": maybe(MAPPING),
    "tool_failure_mode": one_of("continue", "fail"),
    "approve": maybe(FUNCTION),
    "allow_provider_transfer": FLAG,
    "pace": Kind("a Pace", lambda value: isinstance(value, Pace)),
}


def check_options(options: AgentOptions) -> None:
    """Raise for a keyword that is missing, unknown, of another kind, or contradicts another.

    Raises:
        InvalidKeyword: naming the keyword.
        InvalidOption: naming what it may be, and for a storage beside a context that has its own.
    """
    if "model" not in options:
        raise InvalidKeyword("Agent.create needs `model`.")
    unknown = sorted(options.keys() - KINDS.keys())
    if unknown:
        raise InvalidKeyword(f"Agent.create does not know {', '.join(unknown)}.")
    check_kinds(options, KINDS)
    context, session = options.get("context"), options.get("session") or {}
    if isinstance(context, AgentContext) and session.get("storage", context.storage) is not context.storage:
        raise InvalidOption("The storage belongs to the context: pass it to AgentContext.create.")


def limits_of(options: AgentOptions) -> Limits:
    """Return the limits, also when they came as a mapping.

    Raises:
        InvalidOption: for a limit that there is not, or that is no whole number from 1.
    """
    given = options.get("limits") or {}
    if isinstance(given, Limits):
        return given
    names = [each.name for each in fields(Limits)]
    if unknown := sorted(map(str, given.keys() - set(names))):
        raise InvalidOption(f"There is no limit {', '.join(unknown)}; there are {', '.join(names)}.")
    return Limits(**given)


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
