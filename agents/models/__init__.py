"""Rows of agents: who they are, what they were asked, and what was said."""

from agents.models.compaction import CompactionRecord
from agents.models.message import Message
from agents.models.profile import AgentProfile
from agents.models.recording import RecordedTurn, Recording
from agents.models.saved_context import SavedContext, SavedHistoryLine
from agents.models.session import AgentSession
from agents.models.turn import Turn

__all__ = [
    "AgentProfile",
    "AgentSession",
    "CompactionRecord",
    "Message",
    "RecordedTurn",
    "Recording",
    "SavedContext",
    "SavedHistoryLine",
    "Turn",
]
