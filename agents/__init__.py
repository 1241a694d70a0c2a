"""Agents: their context, their loop, and the rows they live in."""

from agents.context.context import AgentContext
from agents.context.tools import tool
from agents.loop import Agent, AgentResponse

__all__ = ["Agent", "AgentContext", "AgentResponse", "tool"]
