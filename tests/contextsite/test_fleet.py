import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import AgentSession
from contextsite.fleet import RAIL_SIZE, fleet_page, fleet_summary, rail
from contextsite.fleet_query import FleetQuery
from tests.fleets import make_fleet
from tests.people import Cast, signed_in
from tests.rows import make_profile

pytestmark = pytest.mark.django_db

MOST_QUERIES = 12


def queries(people: Cast, address: str = "") -> int:
    client = signed_in(people.operator)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(reverse("fleet") + address).status_code == 200
    return len(captured)


def test_the_page_takes_few_queries_whatever_the_count(people: Cast) -> None:
    make_fleet([people.profile], 60, running=5)
    few, searched = queries(people), queries(people, "?q=part&show=failed&sort=use")
    make_fleet([people.profile], 300, running=50)
    assert queries(people) == few <= MOST_QUERIES
    assert queries(people, "?q=part&show=failed&sort=use") == searched <= MOST_QUERIES


def test_the_page_leads_to_the_next_and_back(people: Cast) -> None:
    make_fleet([people.profile], 60)
    client = signed_in(people.member)
    first = client.get(reverse("fleet")).context["page"]
    second = client.get(reverse("fleet") + first.next_url).context["page"]
    assert (len(first.rows), len(second.rows)) == (50, 11)
    assert (first.previous_url, second.next_url) == ("", "")
    again = client.get(reverse("fleet") + second.previous_url).context["page"]
    assert [row.id for row in again.rows] == [row.id for row in first.rows]


def test_a_row_says_why_its_last_turn_failed_and_counts_the_turns(people: Cast) -> None:
    (session,) = make_fleet([people.profile], 1)
    AgentSession.objects.filter(pk=session.pk).update(status="failed", title="Broken", user=people.operator)
    session.turns.update(status="failed", error="No answer.")
    page = fleet_page(FleetQuery(show="failed"), people.member)
    (row,) = page.rows
    assert (row.now, row.turns, row.owner) == ("No answer.", 1, "olga")


def test_the_summary_counts_by_status_and_use(people: Cast) -> None:
    uses = (0.0, 3.0, 5.0, 5.1, 75.0, 75.1, 90.0, 90.1, 140.0)
    sessions = make_fleet([people.profile], len(uses))
    for session, use in zip(sessions, uses, strict=True):
        AgentSession.objects.filter(pk=session.pk).update(context_use=use, status="running")
    archived = make_fleet([people.profile], 1)[0]
    AgentSession.objects.filter(pk=archived.pk).update(archived_at="2026-01-01T00:00Z", status="failed")
    make_fleet([make_profile("secret")], 3)
    summary = fleet_summary(FleetQuery(), people.member)
    counts = {facet.name: facet.count for facet in summary.facets}
    assert counts == {
        "All": 10,
        "Running": 9,
        "Queued": 0,
        "Waiting": 0,
        "Sleeping": 0,
        "Compacting": 0,
        "Failed": 0,
        "Idle": 1,
        "Above 75\N{NO-BREAK SPACE}%": 4,
        "Archived": 1,
    }
    assert (summary.total, summary.high) == (10, 4)
    assert "4 up to 75 percent, 2 up to 90, 2 above" in summary.label
    assert [bar.level for bar in summary.histogram] == ["x"] * 15 + ["warn"] * 3 + ["crit"] * 2


def test_a_fleet_that_was_never_measured_has_no_histogram(people: Cast) -> None:
    assert fleet_summary(FleetQuery(), people.member).histogram == ()


def test_the_rail_lists_what_needs_attention_without_the_archive(people: Cast) -> None:
    first, second = make_fleet([people.profile], 2)
    AgentSession.objects.filter(pk=first.pk).update(archived_at="2026-01-01T00:00Z")
    AgentSession.objects.filter(pk=second.pk).update(status="failed")
    assert [row.id for row in rail(people.member, second.pk)] == [second.pk, people.session.pk]
    assert rail(people.stranger, second.pk) == []


def test_the_open_session_is_in_the_rail_whatever_else_needs_attention(people: Cast) -> None:
    make_fleet([people.profile], RAIL_SIZE + 5)
    AgentSession.objects.exclude(pk=people.session.pk).update(status="failed")
    rows = rail(people.member, people.session.pk)
    assert len(rows) == RAIL_SIZE + 1
    assert rows[-1].id == people.session.pk
    AgentSession.objects.filter(pk=people.session.pk).update(archived_at="2026-01-01T00:00Z")
    assert rail(people.member, people.session.pk)[-1].id == people.session.pk


def test_a_search_that_finds_nothing_leads_back(people: Cast) -> None:
    page = signed_in(people.member).get(reverse("fleet"), {"q": "no such thing"}).content.decode()
    assert "No session fits" in page
    assert "Show all sessions" in page
    assert '<span id="fleet-sum">no session matches<' in page
    assert "archived" not in page


def test_a_search_that_finds_only_archived_sessions_says_so_and_leads_to_them(people: Cast) -> None:
    found = make_fleet([people.profile], 2)
    AgentSession.objects.filter(pk__in=[each.pk for each in found]).update(
        title="Put away", archived_at="2026-01-01T00:00Z"
    )
    client = signed_in(people.member)
    page = client.get(reverse("fleet"), {"q": "put away"}).content.decode()
    assert 'no session matches, <span class="num">2</span> archived do' in page
    link = '<a href="?q=put+away&amp;show=archived">2 archived sessions match the search</a>'
    assert link in page
    archive = client.get(reverse("fleet"), {"q": "put away", "show": "archived"})
    assert {row.id for row in archive.context["page"].rows} == {each.pk for each in found}


def test_a_search_counts_what_matches(people: Cast) -> None:
    page = signed_in(people.member).get(reverse("fleet"), {"q": people.session.title}).content.decode()
    assert '<span class="num">1</span> session matches' in page


def test_a_stranger_sees_an_empty_fleet(people: Cast) -> None:
    page = signed_in(people.stranger).get(reverse("fleet")).content.decode()
    assert people.session.title not in page
    assert "No sessions yet" in page
