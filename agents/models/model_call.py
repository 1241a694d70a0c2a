"""ModelCall: one request to a model: what left, what it was made of, what came of it, what it cost."""

from django.db import models

from agents.ids import uuid7
from agents.models.compaction import CompactionRecord
from agents.models.fields import JSONTextField
from agents.models.session import AgentSession
from agents.models.turn import Turn


class ModelCall(models.Model):
    """One call of a model in a turn, or for the summary of a rollover."""

    class Status(models.TextChoices):
        """Where it stands."""

        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        # The reply was empty; the model was asked again.
        DISCARDED = "discarded"
        STOPPED = "stopped"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="calls")
    # What it was made for: a turn, or the rollover that this record describes.
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="calls")
    compaction = models.ForeignKey(
        CompactionRecord, on_delete=models.CASCADE, null=True, blank=True, related_name="calls"
    )
    # 1 for the first call of the turn or rollover; goes on when it is retried.
    ordinal = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    # Why it failed, for people.
    error = models.TextField(blank=True)
    # provider:name as asked, and the exact name that answered (empty where the provider does not say).
    model_asked = models.CharField(max_length=120)
    model_answered = models.CharField(max_length=120, blank=True)

    # The exact bytes that left: the digests of its parts in order, 32 bytes each; empty once dropped.
    body_parts = models.BinaryField(default=bytes)
    body_sha256 = models.CharField(max_length=64)
    body_size = models.PositiveIntegerField()
    # What it was made of, in order: {kind, name, tokens, start, end}; see agents.call_spans.Span.
    spans = JSONTextField(default=list)
    # Plugin name to the revision of its rows that the request held.
    stores = JSONTextField(default=dict)

    # Our count of the prompt with its tools, and the provider's figures; null where it gives none.
    estimated_tokens = models.PositiveIntegerField()
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    cached_tokens = models.PositiveIntegerField(null=True, blank=True)
    cache_write_tokens = models.PositiveIntegerField(null=True, blank=True)
    # US dollars; null when no price is known.
    cost = models.DecimalField(max_digits=16, decimal_places=10, null=True, blank=True)

    # How often the provider was asked, and why it was asked again: {reason, waitS}.
    attempts = models.PositiveSmallIntegerField(default=1)
    retries = JSONTextField(default=list)
    # From the first attempt to the first piece of the answer, and to its end.
    first_token_ms = models.PositiveIntegerField(null=True, blank=True)
    total_ms = models.PositiveIntegerField(null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["session", "started_at"]
        constraints = [
            models.UniqueConstraint(fields=["turn", "ordinal"], name="model_call_ordinal_once"),
            models.UniqueConstraint(fields=["compaction", "ordinal"], name="model_call_of_rollover_once"),
            models.CheckConstraint(
                condition=models.Q(turn__isnull=True) ^ models.Q(compaction__isnull=True),
                name="model_call_for_one_thing",
            ),
        ]
        indexes = [models.Index(fields=["session", "started_at"], name="model_call_by_time")]

    def __str__(self) -> str:
        return f"call {self.ordinal} ({self.status})"

    def title(self) -> str:
        """Return what people call it."""
        made_for = f"Turn {self.turn.index}" if self.turn else "Rollover"
        return f"{made_for}, call {self.ordinal}"
