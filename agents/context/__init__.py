"""The context engine: what a model receives on every call, without any web framework."""

from agents.context.budget import Breakdown, Budget
from agents.context.compaction.briefing import BeforeCompaction, BudgetSummary, ComponentSummary
from agents.context.compaction.compactors import (
    Compactor,
    Component,
    MemoryEvictionCompactor,
    SummarizeCompactor,
    TextProvider,
    TruncateCompactor,
    compact_components,
)
from agents.context.compaction.plan import CompactionPlan
from agents.context.compaction.registry import StrategyRegistry
from agents.context.compaction.shortfall import Shortfall
from agents.context.compaction.strategy import AlgorithmicStrategy, CompactionStrategy
from agents.context.compaction.summary import RolloverRequest
from agents.context.context import AgentContext
from agents.context.errors import ContextError
from agents.context.features import DEFAULT_FEATURES, Features, PluginRegistry
from agents.context.file_storage import FileContextStorage
from agents.context.journal import HistoryJournal
from agents.context.lifecycle import LifecycleHooks
from agents.context.messages import InputItem
from agents.context.options import ContextOptions
from agents.context.plugin import BasePlugin, ContextPlugin
from agents.context.preparation import Preparation
from agents.context.rollover import RolloverResult
from agents.context.storage import ContextState, ContextStorage
from agents.context.stores import StoreHandler, StoreSchema
from agents.context.tokens import ApproximateTokenEstimator, TiktokenEstimator, TokenEstimator
from agents.context.toolbox import ToolManager
from agents.context.tools import Tool, ToolCallState, tool

__all__ = [
    "DEFAULT_FEATURES",
    "AgentContext",
    "AlgorithmicStrategy",
    "ApproximateTokenEstimator",
    "BasePlugin",
    "BeforeCompaction",
    "Breakdown",
    "Budget",
    "BudgetSummary",
    "CompactionPlan",
    "CompactionStrategy",
    "Compactor",
    "Component",
    "ComponentSummary",
    "ContextError",
    "ContextOptions",
    "ContextPlugin",
    "ContextState",
    "ContextStorage",
    "Features",
    "FileContextStorage",
    "HistoryJournal",
    "InputItem",
    "LifecycleHooks",
    "MemoryEvictionCompactor",
    "PluginRegistry",
    "Preparation",
    "RolloverRequest",
    "RolloverResult",
    "Shortfall",
    "StoreHandler",
    "StoreSchema",
    "StrategyRegistry",
    "SummarizeCompactor",
    "TextProvider",
    "TiktokenEstimator",
    "TokenEstimator",
    "Tool",
    "ToolCallState",
    "ToolManager",
    "TruncateCompactor",
    "compact_components",
    "tool",
]
