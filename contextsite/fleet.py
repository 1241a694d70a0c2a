"""Rows of the fleet page: every session a person may see, newest change first, one page at a time."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.utils.timesince import timesince

from agents.budget_view import BudgetView, budget_view
from agents.models import AgentSession

PAGE_SIZE = 50
RAIL_SIZE = 30


@dataclass(frozen=True)
class FleetRow:
    """One session as the fleet page and the rail show it."""

    id: UUID
    title: str
    agent: str
    status: str
    now: str
    model: str
    budget: BudgetView | None
    entries: int
    updated_at: datetime

    @property
    def age(self) -> str:
        """How long ago it changed, in words."""
        return f"{timesince(self.updated_at, depth=1)} ago"

    @property
    def percent(self) -> float | None:
        """Use of the content budget, once measured."""
        return self.budget.percent if self.budget else None

    @property
    def level(self) -> str:
        """Level of that use."""
        return self.budget.level if self.budget else "ok"


def fleet_page(user: User, number: str) -> Page[AgentSession]:
    """Return the page of sessions; a number out of range gives the nearest page."""
    sessions = AgentSession.objects.visible_to(user).select_related("profile").order_by("-changed_at")
    return Paginator(sessions, PAGE_SIZE).get_page(number)


def rail(user: User) -> list[FleetRow]:
    """Return the sessions that changed last, for the list beside an open session."""
    return [fleet_row(session) for session in fleet_page(user, "1").object_list[:RAIL_SIZE]]


def fleet_row(session: AgentSession) -> FleetRow:
    """Return the row of a session whose profile is loaded."""
    return FleetRow(
        id=session.pk,
        title=session.title,
        agent=session.profile.name,
        status=session.status,
        now=session.doing,
        model=str(session.settings["model"]),
        budget=budget_view(session),
        entries=session.entry_count,
        updated_at=session.changed_at,
    )
