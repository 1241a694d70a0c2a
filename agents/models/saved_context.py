"""SavedContext and SavedHistoryLine: sessions that library users keep in the database instead of files."""

from django.db import models


class SavedContext(models.Model):
    """The state of one context as ``AgentContext.save`` gave it."""

    agent_id = models.CharField(max_length=200)
    session_id = models.CharField(max_length=200)
    # A StoredSession as JSON text; text because a session may be larger and deeper than one JSON column.
    stored = models.TextField()
    # What a list shows (a SessionSummary as JSON text), so that listing reads no states.
    summary = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent_id", "session_id"], name="saved_context_once")]

    def __str__(self) -> str:
        return f"{self.session_id} of {self.agent_id}"


class SavedHistoryLine(models.Model):
    """One entry of a saved session's history; the primary key keeps the order."""

    agent_id = models.CharField(max_length=200)
    session_id = models.CharField(max_length=200)
    # A JournalEntry as JSON text.
    entry = models.TextField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["agent_id", "session_id"], name="history_of_session")]

    def __str__(self) -> str:
        return f"history of {self.session_id}"
