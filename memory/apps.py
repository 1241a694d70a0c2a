"""The Django application that remembers and shows."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Stores, their entries and revisions, pins, and the live board."""

    name = "memory"
    verbose_name = "Memory"
