"""CardLayout: where and how large a person wants a card of an agent."""

from django.conf import settings
from django.db import models

from agents.models import AgentProfile


class CardLayout(models.Model):
    """One person's place, height and folding of one key of one agent."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    profile = models.ForeignKey(AgentProfile, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=128)
    # Lower comes first; null: the computed order.
    position = models.PositiveIntegerField(null=True, blank=True)
    # Card height (xs, s, m, l, xl); empty: the size the server chose.
    size = models.CharField(max_length=2, blank=True)
    collapsed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "profile", "key"], name="card_layout_once")]

    def __str__(self) -> str:
        return f"layout of {self.key} for {self.user}"
