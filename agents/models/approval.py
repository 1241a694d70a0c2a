"""ToolApproval: a call that a person must allow before it is carried out."""

from django.conf import settings
from django.db import models

from agents.ids import uuid7
from agents.models.message import Message
from agents.models.turn import Turn


class ToolApproval(models.Model):
    """One question to the operators, answered once and for exactly these arguments."""

    class Status(models.TextChoices):
        """What came of the question."""

        PENDING = "pending"
        APPROVED = "approved"
        DENIED = "denied"
        WITHDRAWN = "withdrawn", "the turn was stopped before an answer"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="approvals")
    # The message that makes the call, and which of its calls it is, from 0.
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="approvals")
    place = models.PositiveIntegerField()
    tool = models.CharField(max_length=100)
    # How dangerous the tool says it is: low, medium or high.
    risk = models.CharField(max_length=10)
    # Compact JSON text of the arguments as the call is carried out with, and its SHA-256.
    arguments = models.TextField()
    digest = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    # Why it was denied, in the person's words; the model reads it.
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["message", "place"]
        constraints = [models.UniqueConstraint(fields=["message", "place"], name="approval_asked_once")]

    def __str__(self) -> str:
        return f"{self.tool} ({self.status})"
