"""The three compactors of components, in one place."""

from agents.context.compaction.components import Compactor, Component, compact_components
from agents.context.compaction.evict import MemoryEvictionCompactor
from agents.context.compaction.summarize import SummarizeCompactor, TextProvider
from agents.context.compaction.truncate import TruncateCompactor

__all__ = [
    "Compactor",
    "Component",
    "MemoryEvictionCompactor",
    "SummarizeCompactor",
    "TextProvider",
    "TruncateCompactor",
    "compact_components",
]
