"""ProviderTransfer: a person let a session go on with a provider that cannot read all of its history."""

from django.conf import settings
from django.db import models

from agents.ids import uuid7
from agents.models.fields import JSONTextField
from agents.models.session import AgentSession


class ProviderTransfer(models.Model):
    """One confirmed transfer; the conversation shows it where it happened."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="transfers")
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # The provider and account that goes on, and those whose encrypted items it cannot read.
    to = models.CharField(max_length=300)
    found = JSONTextField(default=list)
    # How many items were left out at that time; the rows keep them.
    count = models.PositiveIntegerField()
    # The last message of the conversation at that time: where the page shows it.
    after_sequence = models.PositiveIntegerField()
    # The session's conversation_revision that wrote this row.
    revision = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["session", "created_at"]

    def __str__(self) -> str:
        return f"transfer to {self.to}"
