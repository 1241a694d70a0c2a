"""The cast of the loop tests: two tools, a context with a question, and time that stands still."""

from collections.abc import Callable, Iterator
from typing import Any

from agents import Agent, AgentContext, tool
from agents.connectors.base import Connector, Done, ModelEvent, ModelRequest
from agents.connectors.scripted import ScriptedConnector
from agents.context.tools import Tool
from agents.loop.events import TurnEvent
from agents.loop.limits import Pace
from agents.loop.turn import Loop, TurnStopped


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@tool
def fail() -> str:
    """Always fail."""
    raise ValueError("out of paper")


class StoppedTime:
    """Time that passes only by sleeping, or when told to."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    def pace(self, **changes: Any) -> Pace:
        fixed: dict[str, Any] = {"clock": self.clock, "sleep": self.sleep, "jitter": lambda: 0.5}
        return Pace(**(fixed | changes))


class Sending:
    """A connector that sends the same events for every request."""

    def __init__(self, *events: ModelEvent) -> None:
        self.events = events
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        self.requests.append(request)
        yield from self.events


def make_context(text: str = "go", tools: tuple[Tool, ...] = (double, fail), **options: Any) -> AgentContext:
    context = AgentContext.create(model="gpt-4.1", tools=tools, **options)
    context.add_user_message(text)
    return context


def make_loop(context: AgentContext, connector: Connector, **options: Any) -> Loop:
    return Loop(context, connector, "gpt-4.1", **({"pace": StoppedTime().pace()} | options))


def play(context: AgentContext, connector: Connector, **options: Any) -> list[TurnEvent]:
    return list(make_loop(context, connector, **options).run())


def all_items(context: AgentContext) -> list[Any]:
    return [*context.get_conversation(), *context.get_current_input()]


def results(context: AgentContext) -> list[dict[str, Any]]:
    blocks = [block for item in all_items(context) for block in item["content"]]
    return [block for block in blocks if block["type"] == "tool_result"]


def unanswered(context: AgentContext) -> set[str]:
    """Return the calls of the conversation that have no result."""
    blocks = [block for item in all_items(context) for block in item["content"]]
    called = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return called - {result["tool_use_id"] for result in results(context)}


def stop_after(checks: int) -> Callable[[], None]:
    left = iter(range(checks))

    def check() -> None:
        if next(left, None) is None:
            raise TurnStopped

    return check


def only(text: str) -> Done:
    content = [{"type": "output_text", "text": text}] if text else []
    return Done([{"type": "message", "role": "assistant", "content": content}])


def make_agent(*replies: Any, tools: tuple[Tool, ...] = (double, fail), **options: Any) -> Agent:
    fixed: dict[str, Any] = {"connector": ScriptedConnector(*replies), "pace": StoppedTime().pace()}
    return Agent.create(model="gpt-4.1", tools=tools, **(fixed | options))


def requests(agent: Agent) -> list[ModelRequest]:
    connector = agent._choice.connector
    assert isinstance(connector, ScriptedConnector)
    return connector.requests
