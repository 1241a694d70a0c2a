"""EntryRevision: the append-only history of a store; replaying it gives the store at any revision."""

from typing import Any

from django.conf import settings
from django.db import models

from agents.context import json_values
from agents.models import Turn
from agents.models.fields import JSONTextField
from memory.models.store import Store


class EntryRevision(models.Model):
    """What one unit of work did to one key, and who did it."""

    class Action(models.TextChoices):
        """What happened to the key; the last four can remove it."""

        SET = "set"
        RESTORE = "restore"
        DELETE = "delete"
        EVICT = "evict"
        CLEAR = "clear"
        COMPACT = "compact"

    class ActorKind(models.TextChoices):
        """Who asked for the change."""

        TURN = "turn", "agent turn"
        PERSON = "person"
        CLIENT = "client"

    store = models.ForeignKey(Store, on_delete=models.CASCADE, related_name="revisions")
    revision = models.PositiveBigIntegerField()
    key = models.CharField(max_length=256)
    action = models.CharField(max_length=8, choices=Action.choices)
    # The entry after the change; value is null when the key is gone (the other columns then say what it was).
    description = models.TextField(blank=True)
    value = models.TextField(null=True, blank=True)  # noqa: DJ001 -- null means gone, empty text is no JSON
    attributes = JSONTextField(default=dict)
    tokens = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField()
    position = models.PositiveBigIntegerField()
    updated_at = models.BigIntegerField()
    card_size = models.CharField(max_length=2, blank=True)
    actor_kind = models.CharField(max_length=8, choices=ActorKind.choices)
    # Who, in words, as it was then: "agent", or the name of a person or client.
    actor_name = models.CharField(max_length=150)
    turn = models.ForeignKey(Turn, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["store", "revision", "key"]
        constraints = [
            models.UniqueConstraint(fields=["store", "revision", "key"], name="entry_revision_once")
        ]
        indexes = [models.Index(fields=["store", "key", "revision"], name="revision_by_key")]

    def __str__(self) -> str:
        return f"{self.action} {self.key} at {self.revision}"

    @property
    def is_gone(self) -> bool:
        """Whether the key no longer existed after this change."""
        return self.value is None

    def parsed_value(self) -> Any:
        """Return the value parsed from its text; only call it for an entry that is not gone."""
        return json_values.decode(self.value or "null")
