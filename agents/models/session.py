"""AgentSession: one conversation of an agent with its stores, and the lease of whoever runs it."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models

from agents.ids import uuid7
from agents.models.fields import JSONTextField
from agents.models.profile import AgentProfile

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class AgentSessionQuerySet(models.QuerySet["AgentSession"]):
    """Sessions, filtered by what a person may do with their agent."""

    def visible_to(self, user: "User | AnonymousUser") -> "AgentSessionQuerySet":
        """Return sessions whose agent the person may see."""
        return self.filter(profile__in=AgentProfile.objects.visible_to(user))

    def operable_by(self, user: "User | AnonymousUser") -> "AgentSessionQuerySet":
        """Return sessions whose agent the person may act on."""
        return self.filter(profile__in=AgentProfile.objects.operable_by(user))


def _when_in_use(*statuses: str, context_use: float) -> models.Q:
    return models.Q(status__in=statuses, context_use__gte=context_use)


class AgentSession(models.Model):
    """One conversation with its stores."""

    class Status(models.TextChoices):
        """What the session is doing, as people see it."""

        IDLE = "idle"
        QUEUED = "queued"
        RUNNING = "running"
        # For people.
        WAITING = "waiting"
        # Until a time.
        SLEEPING = "sleeping"
        COMPACTING = "compacting"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    profile = models.ForeignKey(AgentProfile, on_delete=models.PROTECT, related_name="sessions")
    # Who started it: whose user_info and facts apply.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    title = models.CharField(max_length=200)
    # AgentProfile.snapshot() at the start; applying newer settings is an action of its own.
    settings = JSONTextField(default=dict)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.IDLE, db_index=True)
    # One line of what the agent does right now, for the fleet page.
    doing = models.CharField(max_length=200, blank=True)

    # The model of ``settings``, to search and sort by; see ``freeze``.
    model = models.CharField(max_length=100, blank=True)
    # When a person put the session away; it then shows in the archive alone.
    archived_at = models.DateTimeField(null=True, blank=True)

    # Grows by one with every commit that a watcher could see; pokes and sweeps compare it.
    revision = models.PositiveBigIntegerField(default=0)
    # The value of ``revision`` at the last change of a message or turn: the conversation's own cursor.
    conversation_revision = models.PositiveBigIntegerField(default=0)

    entry_count = models.PositiveIntegerField(default=0)
    message_count = models.PositiveIntegerField(default=0)
    # Exact tokens of every message ever stored, in the context or not.
    message_tokens = models.PositiveBigIntegerField(default=0)
    # Budget of the last model call as the API shows it (camelCase), or null before the first one.
    last_budget = JSONTextField(null=True, blank=True)
    # Percent of the room for content that the last model call used; 0 before the first one.
    context_use = models.FloatField(default=0)
    # How much a person should look at it, lowest first. The database keeps it, so pages sort by an index.
    attention = models.GeneratedField(
        expression=models.Case(
            models.When(status="failed", then=0),
            models.When(status="waiting", then=1),
            models.When(_when_in_use("queued", "running", "compacting", context_use=90), then=2),
            models.When(_when_in_use("queued", "running", "compacting", context_use=75), then=3),
            models.When(status="compacting", then=4),
            models.When(status="running", then=5),
            models.When(status="queued", then=6),
            default=7,
        ),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )

    # The lease: who runs a turn, until when, and how often it changed hands.
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveBigIntegerField(default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True, db_index=True)

    objects = AgentSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-changed_at"]
        indexes = [models.Index(fields=["attention", "-changed_at"], name="session_by_attention")]

    def __str__(self) -> str:
        return self.title

    def freeze(self, settings: dict[str, Any]) -> None:
        """Take settings as those the session runs with; the caller saves ``settings`` and ``model``."""
        self.settings, self.model = settings, str(settings.get("model", ""))[:100]
