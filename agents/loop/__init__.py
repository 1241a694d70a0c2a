"""The agentic loop and the agent around it, without Django."""

from agents.loop.agent import Agent, AgentEvent
from agents.loop.hooks import AfterToolExecution, BeforeToolExecution, ErrorReport, Mock, Modify, Skip
from agents.loop.limits import LimitReached, Limits, Pace
from agents.loop.response import AgentResponse
from agents.loop.sessions import SessionOptions
from agents.loop.tool_calls import ToolCall, ToolFailed
from agents.loop.turn import SameFailure, TooManyCalls, TurnStopped

__all__ = [
    "AfterToolExecution",
    "Agent",
    "AgentEvent",
    "AgentResponse",
    "BeforeToolExecution",
    "ErrorReport",
    "LimitReached",
    "Limits",
    "Mock",
    "Modify",
    "Pace",
    "SameFailure",
    "SessionOptions",
    "Skip",
    "TooManyCalls",
    "ToolCall",
    "ToolFailed",
    "TurnStopped",
]
