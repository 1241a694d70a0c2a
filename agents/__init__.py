"""Agents: their context, their loop, and the rows they live in."""

from agents.context.context import AgentContext
from agents.context.tools import tool

__all__ = ["AgentContext", "tool"]
