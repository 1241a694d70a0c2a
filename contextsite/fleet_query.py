"""What a fleet page was asked for: search, filter, order and place, as its address carries them."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.models import AgentSession
from memory.models import Entry, Store

PAGE_SIZE = 50
MOST_SEARCH_CHARACTERS = 200
MOST_PLACE_CHARACTERS = 1000
# Percent of the room for content above which the filter "Above 75 %" finds a session.
HIGH_USE = 75
STATUSES = tuple(AgentSession.Status.values)
ARCHIVED = "archived"
HIGH = "high"


@dataclass(frozen=True)
class Order:
    """A way to sort; the last of its fields tells any two sessions apart.

    Attributes:
        fields: names of columns, with a minus for descending.
    """

    label: str
    fields: tuple[str, ...]

    @property
    def direction(self) -> str:
        """The direction of its first field in the words of ARIA."""
        return "descending" if self.fields[0].startswith("-") else "ascending"


ORDERS = {
    "attention": Order("Needs attention first", ("attention", "-changed_at", "-pk")),
    "changed": Order("Last change", ("-changed_at", "-pk")),
    "use": Order("Context use, high to low", ("-context_use", "-pk")),
    "agent": Order("Agent, A to Z", ("profile__name", "-changed_at", "-pk")),
    "title": Order("Session, A to Z", ("title", "-pk")),
    "model": Order("Model, A to Z", ("model", "-changed_at", "-pk")),
    "entries": Order("Entries, most first", ("-entry_count", "-pk")),
    "tokens": Order("Tokens, most first", ("-message_tokens", "-pk")),
}
FIRST_ORDER = "attention"


@dataclass(frozen=True)
class FleetQuery:
    """One wish, hashable so that equal pages are read once.

    Attributes:
        show: a status, ``high``, ``archived``, or empty for everything that is not archived.
        after: place of the last session before the page; ``before``: of the first one behind it.
        view: list or grid.
    """

    search: str = ""
    show: str = ""
    sort: str = FIRST_ORDER
    after: str = ""
    before: str = ""
    view: str = "list"

    @property
    def is_filtered(self) -> bool:
        """Whether there may be sessions that it leaves out."""
        return bool(self.search or self.show or self.after or self.before)

    @classmethod
    def asked(cls, given: Mapping[str, str]) -> "FleetQuery":
        """Return the wish of an address; what nobody offers counts as not said."""
        show, sort = given.get("show", ""), given.get("sort", "")
        return cls(
            search=" ".join(given.get("q", "").replace("\0", "").split())[:MOST_SEARCH_CHARACTERS],
            show=show if show in {*STATUSES, HIGH, ARCHIVED} else "",
            sort=sort if sort in ORDERS else FIRST_ORDER,
            after=given.get("after", "")[:MOST_PLACE_CHARACTERS],
            before=given.get("before", "")[:MOST_PLACE_CHARACTERS],
            view="grid" if given.get("view") == "grid" else "list",
        )

    def address(self, **changes: str) -> str:
        """Return the query string of this wish with changes; without a place it leads to the first page."""
        wish = replace(self, **({"after": "", "before": ""} | changes))
        default = FleetQuery()
        named = {"q": wish.search, "show": wish.show, "sort": wish.sort, "view": wish.view}
        said = {name: value for name, value in named.items() if value != _default(default, name)}
        places = {"after": wish.after, "before": wish.before}
        return "?" + urlencode(said | {name: place for name, place in places.items() if place})

    def counted(self, user: User) -> QuerySet[AgentSession]:
        """Return every session that the person may see and the search finds, whatever is shown of them."""
        sessions = AgentSession.objects.visible_to(user)
        if not self.search:
            return sessions
        keys = Entry.objects.filter(
            store__kind=Store.Kind.WHITEBOARD, store__session=OuterRef("pk"), key__icontains=self.search
        )
        return sessions.filter(
            Q(title__icontains=self.search)
            | Q(profile__name__icontains=self.search)
            | Q(model__icontains=self.search)
            | Exists(keys)
        )

    def sessions(self, user: User) -> QuerySet[AgentSession]:
        """Return the sessions that the page lists, on all its pages, in no order."""
        found = self.counted(user).filter(archived_at__isnull=self.show != ARCHIVED)
        if self.show in STATUSES:
            return found.filter(status=self.show)
        return found.filter(context_use__gt=HIGH_USE) if self.show == HIGH else found


@dataclass(frozen=True)
class Slice:
    """One page of sessions.

    Attributes:
        previous, following: query strings of the pages around it; empty at an end.
    """

    sessions: Sequence[AgentSession]
    previous: str
    following: str


def page_slice(query: FleetQuery, user: User, size: int = PAGE_SIZE) -> Slice:
    """Return the sessions of the page, with their profile and owner, in order."""
    fields = ORDERS[query.sort].fields
    sessions = query.sessions(user).select_related("profile", "user")
    backwards = _place(query.before, fields)
    if backwards is not None:
        rows = list(
            sessions.filter(_beyond(backwards, _reversed(fields))).order_by(*_reversed(fields))[: size + 1]
        )
        # Less than a page before the place: the first page holds all of that and more.
        if len(rows) > size:
            return _slice(query, rows[:size][::-1], has_previous=True, has_following=True)
    start = _place(query.after, fields) if backwards is None else None
    if start is not None:
        sessions = sessions.filter(_beyond(start, fields))
    rows = list(sessions.order_by(*fields)[: size + 1])
    return _slice(query, rows[:size], has_previous=start is not None, has_following=len(rows) > size)


def _slice(
    query: FleetQuery, rows: Sequence[AgentSession], *, has_previous: bool, has_following: bool
) -> Slice:
    fields = ORDERS[query.sort].fields
    return Slice(
        sessions=rows,
        previous=query.address(before=_place_of(rows[0], fields)) if rows and has_previous else "",
        following=query.address(after=_place_of(rows[-1], fields)) if rows and has_following else "",
    )


def _default(query: FleetQuery, name: str) -> str:
    value: str = getattr(query, {"q": "search"}.get(name, name))
    return value


def _reversed(fields: Sequence[str]) -> tuple[str, ...]:
    return tuple(name[1:] if name.startswith("-") else f"-{name}" for name in fields)


def _beyond(place: Mapping[str, Any], fields: Sequence[str]) -> Q:
    """Return the condition for rows that come behind a place in the order of the fields."""
    condition, same = Q(), Q()
    for field in fields:
        name = field.removeprefix("-")
        comparison = "lt" if field.startswith("-") else "gt"
        condition |= same & Q(**{f"{name}__{comparison}": place[name]})
        same &= Q(**{name: place[name]})
    return condition


def _place_of(session: AgentSession, fields: Sequence[str]) -> str:
    """Return where a session stands in an order, as text for an address."""
    values = []
    for field in fields:
        value: Any = session
        for part in field.removeprefix("-").split("__"):
            value = getattr(value, part)
        values.append(value if isinstance(value, int | float) else str(value))
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def _place(text: str, fields: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the values of a place by column; None for text that is no place of this order."""
    if not text:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        names = [field.removeprefix("-") for field in fields]
        return {name: _read(name, value) for name, value in zip(names, values, strict=True)}
    except (binascii.Error, ValueError, TypeError, RecursionError):
        return None


def _read(name: str, value: Any) -> Any:
    if name == "pk":
        return UUID(value)
    if name == "changed_at":
        return datetime.fromisoformat(value)
    if name in {"profile__name", "title", "model"}:
        if not isinstance(value, str) or "\0" in value:
            raise ValueError(name)
        return value
    number = float(value)
    if not abs(number) < 2**53:
        raise ValueError(name)
    return number if name == "context_use" else int(number)
