"""The Django application that runs agents."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Profiles, sessions, turns and messages, and the worker that runs them."""

    name = "agents"
    verbose_name = "Agents"
