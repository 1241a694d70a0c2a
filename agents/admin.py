"""Admin pages of agents: profiles are edited here, everything that happened is only read."""

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agents import leases, maintenance, sessions
from agents.admin_types import ModelAdmin, ModelForm
from agents.context import json_values
from agents.context.json_values import JSON, InvalidJSON
from agents.models import (
    AgentProfile,
    AgentSession,
    Message,
    ModelCall,
    ProviderKey,
    RecordedTurn,
    Recording,
    ToolApproval,
    Turn,
)
from agents.models.fields import JSONTextField
from agents.offered_tools import faults_of_choice
from agents.people import signed_in
from agents.provider_admin import ProviderKeyAdmin

SHOWN_CHARACTERS = 100_000


class StrictJSONField(forms.JSONField):
    """A form field for JSON that refuses what the rows could not keep, with its remedy."""

    def to_python(self, value: Any) -> Any:
        """Return the parsed value."""
        parsed = super().to_python(value)
        try:
            json_values.encode(parsed)
        except InvalidJSON as fault:
            raise ValidationError(str(fault)) from None
        return parsed

    def prepare_value(self, value: Any) -> Any:
        """Return the value as text to edit."""
        return value if isinstance(value, str) else json_values.pretty(value)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return what was typed, unparsed: it is shown again when it was refused."""
        return data


def pretty(column: str) -> Callable[[models.Model], SafeString]:
    """Return a read-only admin column that shows JSON, parsed or as text, indented."""

    @admin.display(description=column.replace("_", " "))
    def show(row: models.Model) -> SafeString:
        return format_html("<pre>{}</pre>", _indented(getattr(row, column)))

    return show


def _indented(value: JSON) -> str:
    try:
        text = json_values.pretty(json_values.decode(value) if isinstance(value, str) else value)
    except InvalidJSON:
        text = str(value)
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS]}\n… {len(text) - SHOWN_CHARACTERS:,} more characters"


class ReadOnlyAdmin(ModelAdmin):
    """Rows that only domain functions write: to look at, not to add, change or delete.

    Attributes:
        pretty_columns: JSON columns that are shown indented instead of as stored.
    """

    show_full_result_count = False
    pretty_columns: tuple[str, ...] = ()

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        """Return every column, JSON ones indented."""
        names = [each.name for each in self.opts.get_fields() if each.concrete and not each.auto_created]
        return [pretty(name) if name in self.pretty_columns else name for name in names]

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> Any:
        """Return every column."""
        return self.get_fields(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False: people may view, with the permission for it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Return False."""
        return False


class ProfileForm(ModelForm):
    """A profile whose tools exist."""

    def clean(self) -> dict[str, Any]:
        """Return the checked values."""
        cleaned = super().clean() or self.cleaned_data
        if "tools" in cleaned and "tool_permissions" in cleaned:
            for fault in faults_of_choice(cleaned["tools"] or [], cleaned["tool_permissions"] or {}):
                self.add_error("tools", fault)
        return cleaned


@admin.register(AgentProfile)
class AgentProfileAdmin(ModelAdmin):
    """Agents and who may see and steer them."""

    list_display = ("name", "slug", "model", "created_at")
    list_filter = ("model",)
    search_fields = ("name", "slug", "model", "system_prompt")
    raw_id_fields = ("members", "operators")
    prepopulated_fields = {"slug": ("name",)}
    form = ProfileForm
    formfield_overrides = {JSONTextField: {"form_class": StrictJSONField}}


@admin.register(AgentSession)
class AgentSessionAdmin(ReadOnlyAdmin):
    """Sessions, with the actions that repair one."""

    list_display = (
        "title",
        "profile",
        "status",
        "user",
        "message_count",
        "message_tokens",
        "entry_count",
        "lease_owner",
        "changed_at",
    )
    list_filter = ("status", "profile")
    list_select_related = ("profile", "user")
    search_fields = ("title", "=id", "profile__name", "user__username")
    pretty_columns = ("settings", "last_budget")
    actions = ("stop", "retry", "compact", "free")

    @admin.action(description="Stop the turn", permissions=["operate"])
    def stop(self, request: HttpRequest, queryset: QuerySet[AgentSession]) -> None:
        """Ask the unfinished turn of each session to stop."""
        self._act(request, queryset, sessions.stop_turn, "Asked to stop")

    @admin.action(description="Retry the last turn", permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet[AgentSession]) -> None:
        """Queue the failed last turn of each session again."""
        self._act(request, queryset, sessions.retry_turn, "Queued again")

    @admin.action(description="Compact the context", permissions=["operate"])
    def compact(self, request: HttpRequest, queryset: QuerySet[AgentSession]) -> None:
        """Ask for a compaction of each session, in the name of the person."""
        person = signed_in(request)
        self._act(
            request,
            queryset,
            lambda each: maintenance.request_compaction(each, person),
            "Compaction asked for",
        )

    @admin.action(description="Free from a dead worker", permissions=["operate"])
    def free(self, request: HttpRequest, queryset: QuerySet[AgentSession]) -> None:
        """Take the lease from whoever holds it; a worker that still runs stops at its next write."""
        for session in queryset:
            leases.release(session.pk, session.fence)
            self.log_change(request, session, "Freed from its worker.")
        self.message_user(request, f"Freed: {len(queryset)}. A stalled turn is taken up again by itself.")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Return whether the person may change sessions, which the actions need."""
        return request.user.has_perm("agents.change_agentsession")

    def _act(
        self,
        request: HttpRequest,
        chosen: Iterable[AgentSession],
        act: Callable[[AgentSession], object],
        done: str,
    ) -> None:
        count = 0
        for session in chosen:
            try:
                act(session)
            except sessions.NothingToDo as reason:
                self.message_user(request, f"{session}: {reason}", messages.WARNING)
            else:
                count += 1
                self.log_change(request, session, f"{done}.")
        self.message_user(request, f"{done}: {count}.")


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """Turns, the queue of work."""

    list_display = ("session", "index", "status", "author", "attempts", "created_at", "finished_at")
    list_filter = ("status", "cancel_requested")
    list_select_related = ("session", "author")
    search_fields = ("session__title", "=session__id", "author__username", "error")
    pretty_columns = ("input", "usage")


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """What was said."""

    list_display = ("session", "sequence", "role", "tokens", "in_context", "cut", "created_at")
    list_filter = ("role", "in_context", "cut")
    list_select_related = ("session",)
    search_fields = ("session__title", "=session__id", "=item_id")
    pretty_columns = ("blocks", "context_item")


@admin.register(ModelCall)
class ModelCallAdmin(ReadOnlyAdmin):
    """What was asked of models, and what it cost."""

    list_display = (
        "session",
        "turn",
        "ordinal",
        "status",
        "model_asked",
        "input_tokens",
        "output_tokens",
        "cost",
        "total_ms",
        "started_at",
    )
    list_filter = ("status", "model_asked")
    list_select_related = ("session", "turn")
    search_fields = ("session__title", "=session__id", "error")
    pretty_columns = ("spans", "stores", "retries")


@admin.register(ToolApproval)
class ToolApprovalAdmin(ReadOnlyAdmin):
    """Calls that people were asked about, and what they decided."""

    list_display = ("tool", "turn", "status", "risk", "decided_by", "decided_at", "created_at")
    list_filter = ("status", "risk", "tool")
    list_select_related = ("turn", "decided_by")
    search_fields = ("tool", "=turn__session__id", "decided_by__username")
    pretty_columns = ("arguments",)


@admin.register(Recording)
class RecordingAdmin(ReadOnlyAdmin):
    """Imported conversations."""

    list_display = ("source", "session", "message_count", "pause_ms", "created_at")
    list_select_related = ("session",)
    search_fields = ("source", "session__title")
    pretty_columns = ("tools",)


@admin.register(RecordedTurn)
class RecordedTurnAdmin(ReadOnlyAdmin):
    """What was recorded for single turns."""

    list_display = ("turn", "end_position")
    list_select_related = ("turn",)
    search_fields = ("turn__session__title", "=turn__session__id")
    pretty_columns = ("replies",)


admin.site.register(ProviderKey, ProviderKeyAdmin)
