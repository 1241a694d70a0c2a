"""Rows of agents: who they are, what they were asked, and what was said."""

from agents.models.approval import ToolApproval
from agents.models.compaction import CompactionRecord
from agents.models.message import Message
from agents.models.model_call import ModelCall
from agents.models.part import Part
from agents.models.profile import AgentProfile
from agents.models.provider_key import ProviderKey
from agents.models.recording import RecordedTurn, Recording
from agents.models.saved_context import SavedContext, SavedHistoryLine
from agents.models.seen_revision import SeenRevision
from agents.models.session import AgentSession
from agents.models.transfer import ProviderTransfer
from agents.models.turn import Turn

__all__ = [
    "AgentProfile",
    "AgentSession",
    "CompactionRecord",
    "Message",
    "ModelCall",
    "Part",
    "ProviderKey",
    "ProviderTransfer",
    "RecordedTurn",
    "Recording",
    "SavedContext",
    "SavedHistoryLine",
    "SeenRevision",
    "ToolApproval",
    "Turn",
]
