"""AgentSession: one conversation of an agent with its stores, and the lease of whoever runs it."""

from typing import TYPE_CHECKING

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


class AgentSession(models.Model):
    """One conversation with its stores."""

    class Status(models.TextChoices):
        """What the session is doing, as people see it."""

        IDLE = "idle"
        QUEUED = "queued"
        RUNNING = "running"
        WAITING = "waiting"
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

    # The lease: who runs a turn, until when, and how often it changed hands.
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveBigIntegerField(default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True, db_index=True)

    objects = AgentSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-changed_at"]

    def __str__(self) -> str:
        return self.title
