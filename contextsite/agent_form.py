"""The settings of an agent as a form: what people type, checked, and turned into a profile."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from agents.bindings import bindings
from agents.context import DEFAULT_FEATURES, json_values
from agents.context.compaction.registry import StrategyRegistry
from agents.context.models import split_model
from agents.models import AgentProfile
from agents.offered_tools import offered_tools

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[AgentProfile]
else:
    ModelForm = forms.ModelForm

PERCENT = 100
# What a feature is to people; others show by their name.
FEATURES = {
    "inContextMemory": ("Whiteboard", "Small live values that the model always sees."),
    "workingMemory": ("Notes", "Larger values. The model sees an index and fetches what it needs."),
    "persistentInstructions": ("Standing instructions", "Rules that the agent keeps between sessions."),
    "userInfo": ("User profile", "What the agent remembers about each person."),
    "toolCatalog": ("Tool catalogue", "Loads tools only when they are needed."),
    "sharedWorkspace": ("Shared workspace", "Entries that other agents can read and write."),
    "memory": ("Long-term memory", "Reads facts from earlier sessions."),
    "memoryWrite": ("Write to long-term memory", "Needs long-term memory."),
    "taskState": ("Tasks", "The plan that the agent works through."),
    "evidence": ("Evidence", "Where the agent's statements come from."),
}


@dataclass(frozen=True)
class Choice:
    """A switch of the form.

    Attributes:
        asks: of a tool: whether a person approves each call.
    """

    name: str
    label: str
    help: str
    is_on: bool
    asks: bool = False


class AgentForm(ModelForm):
    """Everything about an agent that people set."""

    threshold_percent = forms.IntegerField(min_value=10, max_value=100)
    gate_percent = forms.IntegerField(min_value=50, max_value=100)
    operator_names = forms.CharField(required=False)
    member_names = forms.CharField(required=False)

    class Meta:
        model = AgentProfile
        fields = (
            "name",
            "model",
            "system_prompt",
            "whiteboard_max_entries",
            "whiteboard_max_tokens",
            "whiteboard_default_priority",
            "whiteboard_show_timestamps",
            "advertise_show_in_ui",
            "max_context_tokens",
            "response_reserve",
            "strategy",
        )

    def __init__(self, person: User, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._person = person

    def clean_name(self) -> str:
        """Return the name with single spaces."""
        name = " ".join(str(self.cleaned_data["name"]).split())
        if not name:
            raise ValidationError("An agent has a name.")
        return name

    def clean_model(self) -> str:
        """Return a model whose provider is set up here."""
        model = str(self.cleaned_data["model"]).strip()
        provider, name = split_model(model)
        known = [each for each in settings.AGENT_CONNECTORS if each != "replay"]
        if provider not in known or not name:
            raise ValidationError(f"Write provider:name with one of the providers {', '.join(known)}.")
        return model

    def clean_strategy(self) -> str:
        """Return a strategy that is registered."""
        strategy = str(self.cleaned_data["strategy"])
        if not StrategyRegistry.has(strategy):
            raise ValidationError(f"Choose one of {', '.join(StrategyRegistry.list())}.")
        return strategy

    def clean_operator_names(self) -> Sequence[User]:
        """Return the people named, of whom the person who asks must be one unless they are staff."""
        people = _people(self.cleaned_data["operator_names"])
        if not self._person.is_staff and self._person not in people:
            raise ValidationError("Keep yourself among the operators, or ask another one to remove you.")
        return people

    def clean_member_names(self) -> Sequence[User]:
        """Return the people named."""
        return _people(self.cleaned_data["member_names"])

    def clean(self) -> dict[str, Any]:
        """Check what concerns several fields."""
        told = super().clean() or self.cleaned_data
        threshold, gate = told.get("threshold_percent"), told.get("gate_percent")
        if threshold and gate and threshold > gate:
            self.add_error("threshold_percent", f"The target is at most the gate, {gate}\N{NO-BREAK SPACE}%.")
        window, reserve = told.get("max_context_tokens"), told.get("response_reserve") or 0
        if window and window <= reserve:
            self.add_error(
                "max_context_tokens", f"The window must be larger than the reserve of {reserve:,}."
            )
        if window and (told.get("whiteboard_max_tokens") or 0) >= window:
            self.add_error("whiteboard_max_tokens", f"Must be below the window of {window:,}.")
        for name in ("name", "system_prompt"):
            if name in told:
                self._check_text(name, str(told[name]))
        return told

    def save(self, commit: bool = True) -> AgentProfile:
        """Store the profile and who may see and steer it."""
        profile, told, data = self.instance, self.cleaned_data, self.data
        profile.threshold, profile.critical_gate = (
            told["threshold_percent"] / PERCENT,
            told["gate_percent"] / PERCENT,
        )
        profile.system_prompt = told["system_prompt"].replace("\r\n", "\n")
        profile.tools = [tool.name for tool in offered_tools() if f"tool-{tool.name}" in data]
        profile.tool_permissions = {
            tool.name: "ask" if f"ask-{tool.name}" in data else "always"
            for tool in offered_tools()
            if f"tool-{tool.name}" in data
        }
        offered = feature_names()
        kept = {name: flag for name, flag in profile.features.items() if name not in offered}
        profile.features = kept | {name: f"feature-{name}" in data for name in offered}
        profile.save()
        profile.operators.set(told["operator_names"])
        profile.members.set(told["member_names"])
        return profile

    def _check_text(self, field: str, text: str) -> None:
        try:
            json_values.encode(text)
        except json_values.InvalidJSON as fault:
            self.add_error(field, f"This cannot be stored: {fault}.")


def feature_names() -> list[str]:
    """Return the features whose plugin remembers in rows, which are those that a session can have."""
    return [each.feature for each in bindings()]


def feature_choices(profile: AgentProfile) -> list[Choice]:
    """Return the switches of the features."""
    return [
        Choice(
            name, *FEATURES.get(name, (name, "")), is_on=profile.features.get(name, DEFAULT_FEATURES[name])
        )
        for name in feature_names()
    ]


def tool_choices(profile: AgentProfile) -> list[Choice]:
    """Return the switches of the tools."""
    return [
        Choice(
            tool.name,
            tool.name,
            # Written for models, which read backticks as the marks of code.
            tool.description.replace("`", ""),
            is_on=tool.name in profile.tools,
            asks=profile.tool_permissions.get(tool.name, tool.permission) != "always",
        )
        for tool in offered_tools()
    ]


def names_of(people: Sequence[User]) -> str:
    """Return user names as the form shows them."""
    return ", ".join(sorted(person.get_username() for person in people))


def _people(text: str) -> Sequence[User]:
    names = dict.fromkeys(text.replace(",", " ").replace(";", " ").split())
    found = {user.get_username(): user for user in User.objects.filter(username__in=list(names))}
    unknown = [name for name in names if name not in found]
    if unknown:
        raise ValidationError(f"There is no account named {', '.join(unknown)}. Write user names.")
    return list(found.values())
