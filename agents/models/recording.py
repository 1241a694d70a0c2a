"""Recording: a conversation held elsewhere that a session plays again through the engine."""

from django.db import models

from agents.models.fields import JSONTextField
from agents.models.session import AgentSession
from agents.models.turn import Turn


class Recording(models.Model):
    """What a session replays as a whole; its turns hold the parts."""

    session = models.OneToOneField(
        AgentSession, on_delete=models.CASCADE, primary_key=True, related_name="recording"
    )
    # Name of the imported file, without its folder.
    source = models.CharField(max_length=200)
    # Messages of the file, system messages included.
    message_count = models.PositiveIntegerField()
    # Names of the tools that were called, in order of their first call.
    tools = JSONTextField(default=list)
    # Milliseconds before each reply, so that people can follow; 0: as fast as it goes.
    pause_ms = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"recording {self.source}"


class RecordedTurn(models.Model):
    """What was recorded for one turn; how far it is played says the turn's stored messages."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, primary_key=True, related_name="recorded")
    # Replies in order: {content: [block …], results: {call id: text}, position: messages up to the reply}.
    replies = JSONTextField()
    # Messages of the file up to the end of this turn.
    end_position = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"recorded {self.turn}"
