"""AgentProfile: the stored configuration of an agent."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from agents.models.fields import JSONTextField

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class AgentProfileQuerySet(models.QuerySet["AgentProfile"]):
    """Profiles, filtered by what a person may do."""

    def visible_to(self, user: "User | AnonymousUser") -> "AgentProfileQuerySet":
        """Return profiles the person may see: members and operators their own, staff all."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.is_staff:
            return self
        return self.filter(models.Q(members=user) | models.Q(operators=user)).distinct()

    def operable_by(self, user: "User | AnonymousUser") -> "AgentProfileQuerySet":
        """Return profiles the person may act on: operators their own, staff all."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.is_staff:
            return self
        return self.filter(operators=user)


class AgentProfile(models.Model):
    """An agent: its model, prompt, features and limits, and who may see and steer it."""

    class Priority(models.TextChoices):
        """Priorities of whiteboard entries, lowest first."""

        LOW = "low"
        NORMAL = "normal"
        HIGH = "high"
        CRITICAL = "critical"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=100)
    # provider:name, for example openai:gpt-4.1; the provider names an entry of settings.AGENT_CONNECTORS.
    model = models.CharField(max_length=100)
    system_prompt = models.TextField(blank=True)
    # Names of settings.AGENT_TOOLS that the model may call.
    tools = JSONTextField(default=list, blank=True)
    # Tool name to ``ask`` or ``always``: whether a person must approve its calls; absent ones keep their own.
    tool_permissions = JSONTextField(default=dict, blank=True)
    # Feature flags in camelCase; absent ones keep the library's defaults.
    features = JSONTextField(default=dict, blank=True)

    whiteboard_max_entries = models.PositiveIntegerField(default=20, validators=[MinValueValidator(1)])
    whiteboard_max_tokens = models.PositiveIntegerField(default=40_000, help_text="0 switches the limit off.")
    whiteboard_default_priority = models.CharField(
        max_length=8, choices=Priority.choices, default=Priority.NORMAL
    )
    whiteboard_show_timestamps = models.BooleanField(default=False)
    advertise_show_in_ui = models.BooleanField(
        default=True, help_text="Tell the model that it can show an entry to people."
    )

    max_context_tokens = models.PositiveIntegerField(
        null=True, blank=True, help_text="Empty: the window of the model."
    )
    response_reserve = models.PositiveIntegerField(default=4096)
    strategy = models.CharField(max_length=50, default="algorithmic")
    threshold = models.FloatField(default=0.75, validators=[MinValueValidator(0.1), MaxValueValidator(1)])
    critical_gate = models.FloatField(default=0.90, validators=[MinValueValidator(0.5), MaxValueValidator(1)])

    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="+", help_text="May see."
    )
    operators = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="+", help_text="May see and act."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AgentProfileQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def snapshot(self) -> dict[str, Any]:
        """Return the settings that a session freezes when it starts, ready for JSON."""
        return {
            "model": self.model,
            "systemPrompt": self.system_prompt,
            "tools": list(self.tools),
            "toolPermissions": dict(self.tool_permissions),
            "features": dict(self.features),
            "maxContextTokens": self.max_context_tokens,
            "responseReserve": self.response_reserve,
            "strategy": self.strategy,
            "threshold": self.threshold,
            "criticalGate": self.critical_gate,
            "whiteboard": {
                "maxEntries": self.whiteboard_max_entries,
                "maxTotalTokens": self.whiteboard_max_tokens,
                "defaultPriority": self.whiteboard_default_priority,
                "showTimestamps": self.whiteboard_show_timestamps,
                "advertiseShowInUI": self.advertise_show_in_ui,
            },
        }
