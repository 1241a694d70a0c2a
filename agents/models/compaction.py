"""CompactionRecord: what a compaction took out of a context, why, and how to put it back."""

from django.conf import settings
from django.db import models

from agents.ids import uuid7
from agents.models.fields import JSONTextField
from agents.models.session import AgentSession
from agents.models.turn import Turn


class CompactionRecord(models.Model):
    """One compaction of a session: asked for, done, failed or undone; the last one can be restored."""

    class Trigger(models.TextChoices):
        """What asked for it."""

        GATE = "gate", "the context was nearly full"
        CONSOLIDATE = "consolidate", "tidying up after a turn"
        MANUAL = "manual", "a person asked for it"
        ROLLOVER = "rollover", "the conversation was rolled over"

    class Status(models.TextChoices):
        """Where it stands."""

        QUEUED = "queued"
        DONE = "done"
        FAILED = "failed"
        RESTORED = "restored"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="compactions")
    turn = models.ForeignKey(Turn, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    trigger = models.CharField(max_length=12, choices=Trigger.choices)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.DONE)
    # Why it failed, for people.
    error = models.TextField(blank=True)
    # Options of a rollover: preserve_recent_turns, max_summary_tokens, reason.
    options = JSONTextField(default=dict)
    # Content tokens of the prompt, and what they were to end at or under.
    tokens_before = models.PositiveIntegerField(default=0)
    tokens_after = models.PositiveIntegerField(default=0)
    target = models.PositiveIntegerField(default=0)
    # The plan as carried out: items with reasons, notes, plugins and log; no contents.
    plan = JSONTextField(default=dict)
    # What each message was to the model before: message, inContext, contextItem, contextTokens.
    replaced = JSONTextField(default=list)
    # Plugin name to the marks of its rows before and after.
    stores = JSONTextField(default=dict)
    # The last message of the conversation at that time: where the page shows it.
    after_sequence = models.PositiveIntegerField(default=0)
    # The session's conversation_revision that last wrote this row.
    revision = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["session", "created_at"]
        indexes = [models.Index(fields=["session", "after_sequence"], name="compaction_by_place")]

    def __str__(self) -> str:
        return f"{self.trigger} compaction ({self.status})"
