"""The Django application that holds composed pages and management commands."""

from django.apps import AppConfig


class ContextsiteConfig(AppConfig):
    """Pages that show agents and memory together."""

    name = "contextsite"
    verbose_name = "contextsite"
