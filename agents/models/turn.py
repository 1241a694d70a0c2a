"""Turn: one user message up to the final answer; the row is the queue."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from agents.ids import uuid7
from agents.models.fields import JSONTextField
from agents.models.session import AgentSession


class Turn(models.Model):
    """One user message and the work it causes."""

    class Status(models.TextChoices):
        """Where the turn stands; the first three are unfinished."""

        QUEUED = "queued"
        RUNNING = "running"
        WAITING = "waiting"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED = (Status.QUEUED, Status.RUNNING, Status.WAITING)

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="turns")
    # 1 for the first turn of the session.
    index = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED, db_index=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # Text or content blocks of the user's message.
    input = JSONTextField()
    # Why it failed, for people; empty otherwise.
    error = models.TextField(blank=True)
    # Set when it failed because of another provider's encrypted items: {to: who cannot read them,
    # found: [whose they are …], count: how many}.
    transfer = JSONTextField(default=dict)
    usage = JSONTextField(default=dict)
    # How often a worker took it up; a turn whose worker died is tried again a limited number of times.
    attempts = models.PositiveSmallIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    # The answer being written, saved now and then (agents.draft.Draft.as_json); null once it is stored.
    draft = JSONTextField(null=True, blank=True)
    # How far the calls of the last reply have come while they have no results in the conversation:
    # {reply: item id, begun: [place …], results: {place: result}, sleeping: {place: time}, woken_by: name}.
    progress = JSONTextField(default=dict)
    # When a waiting turn goes on by itself; null while it waits for people.
    wake_at = models.DateTimeField(null=True, blank=True, db_index=True)
    # Chosen by the client that submits, so that a repeated submit makes no second turn.
    idempotency_key = models.CharField(max_length=100, blank=True)
    # When workers were last told about it.
    poked_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["session", "index"]
        constraints = [
            models.UniqueConstraint(fields=["session", "index"], name="turn_index_once"),
            models.UniqueConstraint(
                fields=["session", "idempotency_key"],
                condition=~models.Q(idempotency_key=""),
                name="turn_submitted_once",
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.index} ({self.status})"
