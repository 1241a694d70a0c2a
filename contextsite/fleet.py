"""The fleet as people see it: rows of sessions, counts by status, and how full their contexts are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q
from django.db.models.functions import Ceil
from django.utils import timezone

from agents.budget_view import BudgetView, budget_view
from agents.models import AgentSession, Turn
from contextsite.fleet_query import ARCHIVED, HIGH, HIGH_USE, ORDERS, FleetQuery, page_slice
from contextsite.fleet_usage import Trend, costs, trends
from memory.cards import age

RAIL_SIZE = 30
# Bars of the histogram; each stands for five percent, the last one for everything above.
BARS = 20
_BAR_PERCENT = 100 / BARS
_BAR_HEIGHT = 34.0
_CRITICAL_PERCENT = 90


@dataclass(frozen=True)
class FleetRow:
    """One session as the fleet page and the rail show it.

    Attributes:
        now: what it does; of a failed one, why it failed.
        turns: how many it had.
        cost: US dollars; None where no price is known.
        version: changes with everything that the row shows.
    """

    id: UUID
    title: str
    agent: str
    status: str
    now: str
    model: str
    budget: BudgetView | None
    entries: int
    updated_at: datetime
    tokens: int = 0
    turns: int = 0
    owner: str = ""
    version: int = 0
    trend: Trend | None = None
    cost: Decimal | None = None

    @property
    def age(self) -> str:
        """How long ago it changed, in words."""
        return age(int(self.updated_at.timestamp() * 1000), timezone.now())

    @property
    def percent(self) -> float | None:
        """Use of the content budget, once measured."""
        return self.budget.percent if self.budget else None

    @property
    def level(self) -> str:
        """Level of that use."""
        return self.budget.level if self.budget else "ok"


@dataclass(frozen=True)
class Facet:
    """A filter with how many sessions it finds; ``status`` names its shape."""

    name: str
    status: str
    count: int
    address: str
    is_current: bool


@dataclass(frozen=True)
class Bar:
    """One bar of the histogram, in its drawing's units."""

    x: float
    y: float
    height: float
    level: str


@dataclass(frozen=True)
class FleetSummary:
    """What stands above the table.

    Attributes:
        total: sessions that are not archived, as far as the search finds them.
        archived: those that are, as far as the search finds them; ``archive_url`` leads to them.
        is_searched: whether there may be others that the search does not find.
        high: those of them above 75 percent of their room.
        histogram: empty before any session was measured.
        label: the histogram in words.
    """

    total: int
    archived: int
    archive_url: str
    is_searched: bool
    high: int
    facets: Sequence[Facet]
    histogram: Sequence[Bar]
    label: str


@dataclass(frozen=True)
class Column:
    """A heading that sorts; ``direction`` in the words of ARIA."""

    name: str
    address: str
    is_sorted: bool
    direction: str


@dataclass(frozen=True)
class FleetPage:
    """One page of the fleet."""

    rows: Sequence[FleetRow]
    previous_url: str
    next_url: str


def fleet_page(query: FleetQuery, user: User) -> FleetPage:
    """Return the sessions that the wish asks for."""
    found = page_slice(query, user)
    return FleetPage(fleet_rows(found.sessions), found.previous, found.following)


def rail(user: User, open_id: UUID, open_session: AgentSession | None = None) -> Sequence[FleetRow]:
    """Return the sessions that need attention most, and in any case the open one that they stand beside.

    Who has the open session at hand spares looking for it.
    """
    visible = AgentSession.objects.visible_to(user).select_related("profile")
    # Not by the last change: working sessions would change places all the time.
    first = list(visible.filter(archived_at=None).order_by("attention", "-pk")[:RAIL_SIZE])
    if all(session.pk != open_id for session in first):
        first += [open_session] if open_session else visible.filter(pk=open_id)
    return [_row(session) for session in first]


def fleet_rows(sessions: Sequence[AgentSession]) -> Sequence[FleetRow]:
    """Return the rows of sessions whose profile and owner are loaded, in order."""
    ids = [session.pk for session in sessions]
    counts = Turn.objects.filter(session__in=ids).order_by().values_list("session").annotate(Count("pk"))
    turns: Mapping[UUID, int] = dict(counts)
    failures = _failures([each.pk for each in sessions if each.status == AgentSession.Status.FAILED])
    trend, cost = trends(ids, timezone.now()), costs(ids)
    return [
        replace(
            _row(session),
            now=failures.get(session.pk, session.doing),
            turns=turns.get(session.pk, 0),
            trend=trend.get(session.pk),
            cost=cost.get(session.pk),
        )
        for session in sessions
    ]


def fleet_summary(query: FleetQuery, user: User) -> FleetSummary:
    """Return the counts of what the search finds, by status and by use, from one statement."""
    grouped = (
        query.counted(user)
        .order_by()
        .annotate(
            is_archived=ExpressionWrapper(Q(archived_at__isnull=False), BooleanField()),
            bar=Ceil(F("context_use") / _BAR_PERCENT),
        )
        .values_list("status", "is_archived", "bar")
        .annotate(count=Count("pk"))
    )
    archived, statuses, bars = 0, dict.fromkeys(AgentSession.Status.values, 0), [0] * (BARS + 1)
    for status, is_archived, place, count in grouped:
        if is_archived:
            archived += count
        else:
            statuses[status] += count
            bars[min(BARS, int(place))] += count
    high = sum(bars[int(HIGH_USE / _BAR_PERCENT) + 1 :])
    return FleetSummary(
        total=sum(statuses.values()),
        archived=archived,
        archive_url=query.address(show=ARCHIVED),
        is_searched=bool(query.search),
        high=high,
        facets=_facets(query, statuses, high, archived),
        histogram=_histogram(bars[1:]),
        label=_histogram_label(bars[1:]),
    )


def columns(query: FleetQuery) -> Mapping[str, Column]:
    """Return the headings that sort, by the name of the order."""
    return {
        name: Column(order.label, query.address(sort=name), name == query.sort, order.direction)
        for name, order in ORDERS.items()
    }


def _row(session: AgentSession) -> FleetRow:
    owner = session.user if session.user_id else None
    return FleetRow(
        id=session.pk,
        title=session.title,
        agent=session.profile.name,
        status=session.status,
        now=session.doing,
        model=session.model,
        budget=budget_view(session),
        entries=session.entry_count,
        updated_at=session.changed_at,
        tokens=session.message_tokens,
        owner=(owner.get_full_name() or owner.get_username()) if owner else "",
        version=session.revision,
    )


def _failures(session_ids: Sequence[UUID]) -> Mapping[UUID, str]:
    """Return why the last turn of each failed session failed."""
    if not session_ids:
        return {}
    failed = Turn.objects.filter(session__in=session_ids, status=Turn.Status.FAILED).order_by("index")
    return dict(failed.values_list("session", "error"))


def _facets(query: FleetQuery, statuses: Mapping[str, int], high: int, archived: int) -> Sequence[Facet]:
    status = AgentSession.Status
    kinds = (
        *(status.RUNNING, status.QUEUED, status.WAITING, status.SLEEPING),
        *(status.COMPACTING, status.FAILED, status.IDLE),
    )
    shown = [
        ("", "All", "", sum(statuses.values())),
        *((each.value, str(each.label), each.value, statuses[each.value]) for each in kinds),
        (HIGH, f"Above {HIGH_USE}\N{NO-BREAK SPACE}%", HIGH, high),
    ]
    if archived or query.show == ARCHIVED:
        shown.append((ARCHIVED, "Archived", ARCHIVED, archived))
    return [
        Facet(name, css, count, query.address(show=value), value == query.show)
        for value, name, css, count in shown
    ]


def _histogram(bars: Sequence[int]) -> Sequence[Bar]:
    most = max(bars)
    if not most:
        return ()
    return [
        Bar(
            x=place * 10,
            y=35 - _BAR_HEIGHT * count / most,
            height=_BAR_HEIGHT * count / most,
            level=_level(place * _BAR_PERCENT),
        )
        for place, count in enumerate(bars)
    ]


def _histogram_label(bars: Sequence[int]) -> str:
    high, critical = int(HIGH_USE / _BAR_PERCENT), int(_CRITICAL_PERCENT / _BAR_PERCENT)
    return (
        f"Context use of all sessions: {sum(bars[:high]):,} up to {HIGH_USE} percent, "
        f"{sum(bars[high:critical]):,} up to {_CRITICAL_PERCENT}, {sum(bars[critical:]):,} above."
    )


def _level(percent: float) -> str:
    return "crit" if percent >= _CRITICAL_PERCENT else "warn" if percent >= HIGH_USE else "x"
