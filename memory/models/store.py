"""Store: the row that a unit of work locks, whatever kind of store it is."""

from django.conf import settings
from django.db import models

from agents.ids import uuid7
from agents.models import AgentProfile, AgentSession


class Store(models.Model):
    """A keyed store of one owner: a session, an agent profile or a user."""

    class Kind(models.TextChoices):
        """What the store holds; each kind has a plugin and a binding."""

        WHITEBOARD = "whiteboard"
        NOTES = "notes"
        INSTRUCTIONS = "instructions"
        USER_INFO = "user_info"
        WORKSPACE = "workspace"
        TASKS = "tasks"
        EVIDENCE = "evidence"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    session = models.ForeignKey(
        AgentSession, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    profile = models.ForeignKey(
        AgentProfile, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    # One unit of work, one revision; no gaps.
    revision = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "session"], name="store_once_per_session"),
            models.UniqueConstraint(fields=["kind", "profile"], name="store_once_per_profile"),
            models.UniqueConstraint(fields=["kind", "user"], name="store_once_per_user"),
            models.CheckConstraint(
                condition=(
                    models.Q(session__isnull=False, profile__isnull=True, user__isnull=True)
                    | models.Q(session__isnull=True, profile__isnull=False, user__isnull=True)
                    | models.Q(session__isnull=True, profile__isnull=True, user__isnull=False)
                ),
                name="store_has_one_owner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.session or self.profile or self.user}"
