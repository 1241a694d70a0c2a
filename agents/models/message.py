"""Message: one item of a conversation, and the history journal at the same time."""

from typing import Any

from django.db import models

from agents.ids import uuid7
from agents.models.fields import JSONTextField
from agents.models.session import AgentSession
from agents.models.turn import Turn


class Message(models.Model):
    """One item of the conversation; compaction marks it and never deletes it."""

    # The role of an item that only its provider can read; its one block is the whole item.
    OPAQUE = "opaque"

    class Cut(models.TextChoices):
        """Why an answer is not whole, as people read it."""

        STOPPED = "stopped", "stopped here"
        FAILED = "failed", "broke off here"
        PROVIDER = (
            "provider",
            "cut off by the model's provider: its limit of length or its filter; ask it to go on",
        )
        # Asked again, the model begins anew.
        SILENT = "silent", "answered nothing"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="messages")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="messages")
    sequence = models.PositiveIntegerField()
    # The item's own id inside the context.
    item_id = models.CharField(max_length=100)
    role = models.CharField(max_length=12)
    # The item's content blocks in wire form, exactly as first stored.
    blocks = JSONTextField()
    # What the model thought before it said this, where the provider shows it; the model never sees it again.
    thinking = models.TextField(blank=True)
    # Why it is not whole; empty when it is.
    cut = models.CharField(max_length=10, choices=Cut.choices, blank=True)
    # The model was asked again and never sees this; people still do.
    is_replaced = models.BooleanField(default=False)
    # Exact count of the item, made once.
    tokens = models.PositiveIntegerField()
    # What the model still sees: false once compacted or rolled over.
    in_context = models.BooleanField(default=True)
    # The item that the model sees instead after oversize handling, compaction or rollover; null: this one.
    # It may stand for several messages, the others of which are then no longer in the context.
    context_item = JSONTextField(null=True, blank=True)
    context_item_id = models.CharField(max_length=100, blank=True)
    context_tokens = models.PositiveIntegerField(null=True, blank=True)
    # The session's conversation_revision that last wrote this row.
    revision = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["session", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["session", "sequence"], name="message_sequence_once"),
            models.UniqueConstraint(fields=["session", "item_id"], name="message_item_once"),
        ]
        indexes = [models.Index(fields=["session", "revision"], name="message_by_revision")]

    def __str__(self) -> str:
        return f"{self.role} message {self.sequence}"

    def remark(self) -> str:
        """Return what people should know of an answer that is not whole; empty when it is."""
        words = str(self.Cut(self.cut).label) if self.cut else ""
        return f"{words} · not part of the context: asked again" if self.is_replaced else words

    def item(self) -> dict[str, Any]:
        """Return the item as the model sees it."""
        if self.context_item is not None:
            return dict(self.context_item)
        if self.role == self.OPAQUE:
            return dict(self.blocks[0])
        return {"type": "message", "id": self.item_id, "role": self.role, "content": self.blocks}

    def item_tokens(self) -> int:
        """Return the stored count of what the model sees."""
        return self.tokens if self.context_tokens is None else self.context_tokens
