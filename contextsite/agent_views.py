"""Pages about agents: the list, a new one, and the settings of one with a person's own pins."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_POST

from agents.context.compaction.registry import StrategyRegistry
from agents.model_calls import usage_totals
from agents.models import AgentProfile, AgentSession
from agents.people import signed_in
from agents.provider_keys import setup_fault
from contextsite.agent_form import PERCENT, AgentForm, feature_choices, names_of, tool_choices
from memory import layouts, pins
from memory.models import Pin

_RUNNING = (AgentSession.Status.RUNNING, AgentSession.Status.QUEUED, AgentSession.Status.WAITING)


def agent_list(request: HttpRequest) -> HttpResponse:
    """Show the agents that the person may see, with how much each one does."""
    person = signed_in(request)
    profiles = AgentProfile.objects.filter(pk__in=AgentProfile.objects.visible_to(person).values("pk"))
    counted = profiles.annotate(
        session_count=Count("sessions", filter=Q(sessions__archived_at=None)),
        busy_count=Count("sessions", filter=Q(sessions__status__in=_RUNNING)),
        failed_count=Count("sessions", filter=Q(sessions__status=AgentSession.Status.FAILED)),
    )
    context = {"agents": counted.order_by("name"), "may_create": _may_create(person)}
    return render(request, "contextsite/agents.html", context)


def new_agent(request: HttpRequest) -> HttpResponse:
    """Show the form of a new agent, or make it; who makes it becomes its operator."""
    person = signed_in(request)
    if not _may_create(person):
        raise PermissionDenied("Sign in as an administrator, or ask one for the permission to add agents.")
    profile = AgentProfile(tools=[], features={})
    form = AgentForm(person, request.POST or None, instance=profile)
    if request.method == "POST" and form.is_valid():
        profile.slug = _unused_slug(form.cleaned_data["name"])
        form.save()
        messages.success(request, f"{profile.name} is ready.")
        _warn_of_setup(request, profile)
        return redirect("agent", profile.slug)
    return _settings_page(request, form, {"is_new": True, "may_act": True})


def agent(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the settings of an agent, or store what an operator posted."""
    person = signed_in(request)
    profile = _visible(person, slug)
    may_act = AgentProfile.objects.operable_by(person).filter(pk=profile.pk).exists()
    if request.method == "POST" and not may_act:
        raise PermissionDenied("You may watch this agent but not change it. Ask for the operator role.")
    form = AgentForm(person, request.POST or None, instance=profile)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(
            request,
            "Saved. New sessions start with these settings; older ones take them in their session settings.",
        )
        _warn_of_setup(request, profile)
        return redirect("agent", profile.slug)
    sessions = profile.sessions.filter(archived_at=None)
    context = {
        "may_act": may_act,
        "pins": Pin.objects.filter(user=person, profile=profile).order_by("key"),
        "session_count": sessions.count(),
        "busy_count": sessions.filter(status__in=_RUNNING).count(),
        "usage": usage_totals(profile),
    }
    return _settings_page(request, form, context)


@require_POST
def agent_pins(request: HttpRequest, slug: str) -> HttpResponse:
    """Pin or unpin a key for the person who asks, or give every card its own place again."""
    person = signed_in(request)
    profile = _visible(person, slug)
    try:
        if "unpin" in request.POST:
            pins.unpin(person, profile, request.POST["unpin"])
        elif "forget" in request.POST:
            layouts.forget(person, profile)
        else:
            pins.pin(person, profile, request.POST.get("pin", ""))
    except pins.InvalidPin as reason:
        messages.error(request, str(reason))
    return redirect("agent", slug)


def _settings_page(request: HttpRequest, form: AgentForm, more: dict[str, Any]) -> HttpResponse:
    profile, person = form.instance, signed_in(request)
    is_saved = profile.pk is not None
    named = {
        "operator_names": names_of(list(profile.operators.all())) if is_saved else person.get_username(),
        "member_names": names_of(list(profile.members.all())) if is_saved else "",
        "threshold_percent": round(profile.threshold * PERCENT),
        "gate_percent": round(profile.critical_gate * PERCENT),
    }
    values = (
        {name: form[name].value() for name in form.fields} if form.is_bound else {**form.initial, **named}
    )
    context = {
        "agent": profile,
        "values": values,
        "errors": {name: " ".join(map(str, faults)) for name, faults in form.errors.items()},
        "features": feature_choices(profile),
        "tools": tool_choices(profile),
        "strategies": StrategyRegistry.list(),
        "priorities": AgentProfile.Priority.values,
    }
    return render(request, "contextsite/agent.html", context | more, status=400 if form.errors else 200)


def _warn_of_setup(request: HttpRequest, profile: AgentProfile) -> None:
    fault = setup_fault(profile.model)
    if fault:
        messages.warning(request, f"Its model cannot be asked yet. {fault}")


def _visible(person: User, slug: str) -> AgentProfile:
    profile = AgentProfile.objects.visible_to(person).filter(slug=slug).first()
    if profile is None:
        raise Http404("No such agent.")
    return profile


def _may_create(person: User) -> bool:
    return person.is_staff or person.has_perm("agents.add_agentprofile")


def _unused_slug(name: str) -> str:
    base = slugify(name)[:40] or "agent"
    taken = set(AgentProfile.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    numbered = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 3))
    # "new" is the address of the form.
    return next(slug for slug in numbered if slug not in taken | {"new"})
