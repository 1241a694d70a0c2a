"""Pin: a person's wish to see a key of an agent."""

from django.conf import settings
from django.db import models

from agents.models import AgentProfile


class Pin(models.Model):
    """One person pins one key of one agent; every session of the agent shows it to that person."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    profile = models.ForeignKey(AgentProfile, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=128)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "profile", "key"], name="pin_once")]

    def __str__(self) -> str:
        return f"{self.key} pinned by {self.user}"
