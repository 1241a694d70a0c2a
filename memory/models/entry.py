"""Entry: the current state of one key of a store."""

from typing import Any

from django.db import models

from agents.context import json_values
from agents.models.fields import JSONTextField
from memory.models.store import Store


class Entry(models.Model):
    """One key of a store as it is now."""

    store = models.ForeignKey(Store, on_delete=models.CASCADE, related_name="entries")
    key = models.CharField(max_length=256)
    description = models.TextField(blank=True)
    # Compact JSON text of the value: key order and number types are kept.
    value = models.TextField()
    # What the kind of store adds: priority, showInUI, tier, pinned, status …
    attributes = JSONTextField(default=dict)
    # Exact tokens of the entry as the model reads it.
    tokens = models.PositiveIntegerField()
    # UTF-8 bytes of ``value``.
    size_bytes = models.PositiveIntegerField()
    # Insertion order; overwriting a key keeps it.
    position = models.PositiveBigIntegerField()
    # Grows by one with every change of this key.
    version = models.PositiveIntegerField()
    # The store's revision that last changed this key.
    revision = models.PositiveBigIntegerField()
    # Epoch milliseconds of the last change.
    updated_at = models.BigIntegerField()
    # Order of last writes, including writes that changed nothing; decides evictions within one priority.
    recency = models.BigIntegerField()
    # What using the entry moves without changing it, such as the time of the last access.
    usage = JSONTextField(default=dict)
    # Who changed it last: "agent", or the name of a person or client.
    changed_by = models.CharField(max_length=150)
    # Card height chosen from the first value and kept, so that a board never jumps; whiteboards only.
    card_size = models.CharField(max_length=2, blank=True)

    class Meta:
        ordering = ["store", "position"]
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["store", "key"], name="entry_key_once")]

    def __str__(self) -> str:
        return self.key

    def parsed_value(self) -> Any:
        """Return the value parsed from its text."""
        return json_values.decode(self.value)
