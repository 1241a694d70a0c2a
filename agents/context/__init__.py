"""The context engine: what a model receives on every call, without any web framework."""

from agents.context.budget import Breakdown, Budget
from agents.context.context import AgentContext
from agents.context.errors import ContextError
from agents.context.features import DEFAULT_FEATURES, Features, PluginRegistry
from agents.context.lifecycle import LifecycleHooks
from agents.context.messages import InputItem
from agents.context.plugin import BasePlugin, ContextPlugin
from agents.context.preparation import Preparation
from agents.context.stores import StoreHandler, StoreSchema
from agents.context.tokens import ApproximateTokenEstimator, TiktokenEstimator, TokenEstimator
from agents.context.toolbox import ToolManager
from agents.context.tools import Tool, ToolCallState, tool

__all__ = [
    "DEFAULT_FEATURES",
    "AgentContext",
    "ApproximateTokenEstimator",
    "BasePlugin",
    "Breakdown",
    "Budget",
    "ContextError",
    "ContextPlugin",
    "Features",
    "InputItem",
    "LifecycleHooks",
    "PluginRegistry",
    "Preparation",
    "StoreHandler",
    "StoreSchema",
    "TiktokenEstimator",
    "TokenEstimator",
    "Tool",
    "ToolCallState",
    "ToolManager",
    "tool",
]
