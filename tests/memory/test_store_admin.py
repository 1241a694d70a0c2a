import json

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agents.models import CompactionRecord
from memory.bindings import whiteboard_of
from memory.models import EntryRevision, Store
from tests.boards import write
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("boss"))
    return client


def state_url(people: Cast) -> str:
    return reverse("admin:memory_store_state", args=[whiteboard_of(people.session.pk).pk])


def keys(people: Cast) -> list[str]:
    return list(whiteboard_of(people.session.pk).entries.values_list("key", flat=True))


def test_only_who_may_change_stores_gets_the_state(people: Cast) -> None:
    assert signed_in(people.staff).get(state_url(people)).status_code == 403
    assert signed_in(people.operator).get(state_url(people)).status_code == 302


def test_a_board_is_cleared_with_its_actor_in_the_history(people: Cast, boss: Client) -> None:
    write(people.session, "note", "x")
    store = whiteboard_of(people.session.pk)
    boss.post(
        reverse("admin:memory_store_changelist"), {"action": "clear", "_selected_action": [str(store.pk)]}
    )
    assert keys(people) == []
    last = EntryRevision.objects.latest("revision")
    assert (last.action, last.actor_name) == ("clear", "boss")
    assert LogEntry.objects.get().change_message == "Cleared the whiteboard."


def test_what_is_no_whiteboard_is_not_cleared(people: Cast, boss: Client) -> None:
    store = Store.objects.create(kind=Store.Kind.NOTES, session=people.session)
    shown = boss.post(
        reverse("admin:memory_store_changelist"),
        {"action": "clear", "_selected_action": [str(store.pk)]},
        follow=True,
    )
    assert "Only whiteboards" in shown.content.decode()
    assert boss.get(reverse("admin:memory_store_state", args=[store.pk])).status_code == 404


def test_a_state_is_taken_away_and_brought_back(people: Cast, boss: Client) -> None:
    write(people.session, "note", {"b": 1, "a": 2.50})
    taken = boss.get(state_url(people), {"download": ""}).content.decode()
    write(people.session, "other", "y")
    assert "State" in boss.get(state_url(people)).content.decode()
    shown = boss.post(state_url(people), {"state": taken}, follow=True).content.decode()
    assert "Took over a state of 1 entries." in shown
    assert keys(people) == ["note"]
    assert json.loads(taken)["entries"][0]["value"] == {"b": 1, "a": 2.5}


def test_a_board_goes_back_to_a_revision(people: Cast, boss: Client) -> None:
    write(people.session, "note", "x")
    write(people.session, "other", "y")
    boss.post(state_url(people), {"revision": "1"})
    assert keys(people) == ["note"]
    assert EntryRevision.objects.latest("revision").actor_name == "boss"


@pytest.mark.parametrize(
    "posted",
    [
        {"state": "{"},
        {"state": "[]"},
        {"state": '{"entries":[{"key":""}]}'},
        {"revision": "9"},
        {"revision": "x"},
    ],
)
def test_what_is_no_state_changes_nothing_and_says_why(
    people: Cast, boss: Client, posted: dict[str, str]
) -> None:
    write(people.session, "note", "x")
    shown = boss.post(state_url(people), posted, follow=True)
    assert "messagelist" in shown.content.decode()
    assert keys(people) == ["note"]
    assert not LogEntry.objects.exists()


def test_a_compaction_is_asked_for_in_the_name_of_the_person(people: Cast, boss: Client) -> None:
    boss.post(
        reverse("admin:agents_agentsession_changelist"),
        {"action": "compact", "_selected_action": [str(people.session.pk)]},
    )
    record = CompactionRecord.objects.get()
    assert record.requested_by
    assert record.requested_by.username == "boss"
    assert LogEntry.objects.filter(change_message="Compaction asked for.").exists()
