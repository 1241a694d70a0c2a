"""The Django application that holds composed pages and management commands."""

from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_delete


class ContextsiteConfig(AppConfig):
    """Pages that show agents and memory together."""

    name = "contextsite"
    verbose_name = "contextsite"

    def ready(self) -> None:
        """Let the files of a session go with its row."""
        # Both need the models, which are there only now.
        forget_files = import_module("contextsite.operator_tools").forget_files
        post_delete.connect(forget_files, sender="agents.AgentSession", dispatch_uid="forget_files")
