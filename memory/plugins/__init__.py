"""The stores as plugins of a context, without Django."""

from memory.plugins.notes import WorkingMemory
from memory.plugins.whiteboard import InContextMemory

__all__ = ["InContextMemory", "WorkingMemory"]
