"""What hooks around tools and errors are told, and what they may decide."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agents.context import json_values
from agents.context.json_values import JSON
from agents.context.kinds import MAPPING, check_kind
from agents.context.lifecycle import Hooks


@dataclass(frozen=True)
class BeforeToolExecution:
    """A call that is about to be carried out; what an earlier hook modified is modified here."""

    agent_id: str
    tool_use_id: str
    tool_name: str
    arguments: dict[str, JSON]


@dataclass(frozen=True)
class AfterToolExecution:
    """A call that was carried out, skipped, mocked or refused.

    Attributes:
        result: as the model gets it.
        duration_ms: 0 when nothing ran.
    """

    agent_id: str
    tool_use_id: str
    tool_name: str
    arguments: dict[str, JSON]
    result: JSON
    failed: bool
    duration_ms: int


@dataclass(frozen=True)
class ErrorReport:
    """What ended a turn."""

    agent_id: str
    error: Exception


@dataclass(frozen=True)
class Skip:
    """Returned by a ``before_tool_execution`` hook: do not carry the call out and tell the model why."""

    reason: str = "A rule of the host forbids this call."


@dataclass(frozen=True)
class Mock:
    """Returned by a ``before_tool_execution`` hook: give the model this result instead of running the tool.

    Raises:
        InvalidJSON: the result is not of JSON types.
    """

    result: JSON

    def __post_init__(self) -> None:
        json_values.encode(self.result)


@dataclass(frozen=True)
class Modify:
    """Returned by a ``before_tool_execution`` hook: carry the call out with these arguments.

    Raises:
        InvalidJSON: the arguments are not of JSON types.
        InvalidOption: they are no mapping.
    """

    arguments: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_kind("arguments", self.arguments, MAPPING)
        json_values.encode(dict(self.arguments))


def decide(hooks: Hooks, call: BeforeToolExecution) -> BeforeToolExecution | Skip | Mock:
    """Return the call as the hooks leave it, or the first Skip or Mock.

    A hook that returns anything else, or fails, changes nothing. To be strict a hook raises TurnAborted.
    """
    for hook in hooks.named("before_tool_execution"):
        wish = hook.call(call).value
        if isinstance(wish, Skip | Mock):
            return wish
        if isinstance(wish, Modify):
            call = replace(call, arguments=dict(wish.arguments))
    return call
