"""SeenRevision: the first model call that showed the model a store at a revision."""

from django.db import models

from agents.models.model_call import ModelCall
from agents.models.session import AgentSession


class SeenRevision(models.Model):
    """From this call on the model had seen the plugin's rows as of this revision."""

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="+")
    call = models.ForeignKey(ModelCall, on_delete=models.CASCADE, related_name="+")
    plugin = models.CharField(max_length=60)
    revision = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "plugin", "revision"], name="revision_first_seen_once")
        ]

    def __str__(self) -> str:
        return f"{self.plugin} at {self.revision}"
