from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from agents.models import AgentSession
from contextsite.fleet_query import ORDERS, FleetQuery, page_slice
from tests.boards import write
from tests.fleets import make_fleet
from tests.people import Cast
from tests.rows import make_profile

pytestmark = pytest.mark.django_db


def asked(address: str) -> FleetQuery:
    pairs = [pair.partition("=") for pair in address.removeprefix("?").split("&") if pair]
    return FleetQuery.asked({name: value for name, _, value in pairs})


def titles(query: FleetQuery, user: User) -> list[str]:
    return [session.title for session in page_slice(query, user).sessions]


def change(session: AgentSession, **columns: object) -> None:
    AgentSession.objects.filter(pk=session.pk).update(**columns)


@pytest.mark.parametrize("sort", ORDERS)
def test_pages_show_every_session_once_in_one_order_forwards_and_back(people: Cast, sort: str) -> None:
    make_fleet([people.profile, make_profile("other")], 23, running=5)
    # Places that only the last field tells apart.
    AgentSession.objects.update(changed_at=timezone.now(), title="Same")
    query, pages = FleetQuery(sort=sort), []
    while True:
        page = page_slice(query, people.staff, 5)
        pages.append([session.pk for session in page.sessions])
        if not page.following:
            break
        query = asked(page.following)
    everything = list(FleetQuery().sessions(people.staff).order_by(*ORDERS[sort].fields))
    assert [each for page in pages for each in page] == [session.pk for session in everything]
    backwards = []
    while page.previous:
        page = page_slice(asked(page.previous), people.staff, 5)
        backwards.append([session.pk for session in page.sessions])
    assert backwards == pages[-2::-1]


def test_a_page_before_the_second_one_is_the_first_one(people: Cast) -> None:
    make_fleet([people.profile], 9)
    second = page_slice(asked(page_slice(FleetQuery(), people.member, 5).following), people.member, 5)
    page_slice(FleetQuery(), people.member, 5).sessions[0].delete()
    first = page_slice(asked(second.previous), people.member, 5)
    assert len(first.sessions) == 5
    assert first.previous == ""


@given(st.text(max_size=60))
def test_places_that_are_none_lead_to_the_first_page(text: str) -> None:
    query = FleetQuery.asked({"after": text, "before": text, "sort": text, "show": text, "view": text})
    assert query.sort == "attention"
    assert query.view == "list"
    assert page_slice(query, User(pk=0)).sessions == []


@pytest.mark.parametrize("place", ["WyJhIl0", "W10", "WzEsMiwzXQ", "bnVsbA", "WzFlOTk5XQ"])
def test_places_of_another_order_lead_to_the_first_page(people: Cast, place: str) -> None:
    assert titles(FleetQuery(after=place), people.member) == [people.session.title]
    assert titles(FleetQuery(before=place), people.member) == [people.session.title]


def test_what_needs_attention_comes_first(people: Cast) -> None:
    status = AgentSession.Status
    wanted: list[tuple[str, dict[str, object]]] = [
        ("failed", {"status": status.FAILED}),
        ("waits for a person", {"status": status.WAITING}),
        ("nearly full", {"status": status.RUNNING, "context_use": 93}),
        ("quite full", {"status": status.QUEUED, "context_use": 80}),
        ("compacting", {"status": status.COMPACTING, "context_use": 20}),
        ("works", {"status": status.RUNNING, "context_use": 20}),
        ("will work", {"status": status.QUEUED, "context_use": 20}),
        ("rests", {"status": status.IDLE, "context_use": 99}),
    ]
    sessions = make_fleet([people.profile], len(wanted) - 1)
    for session, (title, columns) in zip([*sessions, people.session], reversed(wanted), strict=True):
        change(session, title=title, **columns)
    assert titles(FleetQuery(), people.member) == [title for title, _ in wanted]


def test_the_search_finds_title_agent_model_and_key(people: Cast) -> None:
    other = make_profile("ledger", name="Ledger keeper", model="scripted:mighty")
    other.members.add(people.member)
    (session,) = make_fleet([other], 1)
    change(session, title="March")
    write(session, "open_invoices", 3)
    for text in ("marc", "LEDGER", "mighty", "invoices"):
        assert titles(FleetQuery(search=text), people.member) == ["March"]
        assert titles(FleetQuery(search=text), people.operator) == []
    assert titles(FleetQuery(search="%"), people.member) == []


def test_filters_show_a_status_high_use_or_the_archive(people: Cast) -> None:
    failed, high, old = make_fleet([people.profile], 3)
    change(people.session, title="plain", status="idle", context_use=75)
    change(failed, title="failed", status="failed", context_use=10)
    change(high, title="high", status="idle", context_use=75.1)
    change(old, title="old", status="failed", context_use=99, archived_at=timezone.now() - timedelta(days=1))
    shown = {
        show: set(titles(FleetQuery(show=show), people.member)) for show in ("", "failed", "high", "archived")
    }
    assert shown == {
        "": {"plain", "failed", "high"},
        "failed": {"failed"},
        "high": {"high"},
        "archived": {"old"},
    }


def test_addresses_carry_what_differs_from_the_plain_page() -> None:
    query = FleetQuery.asked({"q": "  a  b ", "show": "failed", "sort": "use", "view": "grid", "after": "x"})
    assert query.address() == "?q=a+b&show=failed&sort=use&view=grid"
    assert query.address(show="", sort="attention", search="", view="list") == "?"
    assert query.address(after="y").endswith("after=y")
