from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from agents.models import AgentSession, Message, Turn
from agents.sessions import submit_turn
from memory.models import Entry
from tests.boards import write
from tests.people import Cast, signed_in
from tests.templates.markup import tree

pytestmark = pytest.mark.django_db

ACTIONS = ("rename", "archive", "unarchive", "apply-settings", "delete")


def post(people: Cast, action: str, user: User | None = None, **fields: str) -> Any:
    client = signed_in(user or people.operator)
    address = reverse(f"session-{action}", args=[people.session.pk])
    return client.post(address, fields, headers={"accept": "application/json"})


def now(people: Cast) -> AgentSession:
    return AgentSession.objects.get(pk=people.session.pk)


@pytest.mark.parametrize("action", ACTIONS)
def test_strangers_get_404_and_members_403(people: Cast, action: str) -> None:
    assert post(people, action, people.stranger, title="x").status_code == 404
    assert post(people, action, people.member, title="x").status_code == 403


def test_the_page_is_for_whoever_may_see_the_session(people: Cast) -> None:
    address = reverse("session-manage", args=[people.session.pk])
    assert signed_in(people.stranger).get(address).status_code == 404
    assert "Delete session" not in signed_in(people.member).get(address).content.decode()
    assert "Delete session" in signed_in(people.operator).get(address).content.decode()


def test_a_session_gets_another_title(people: Cast) -> None:
    assert post(people, "rename", title="  A <b>new</b>\n title ").status_code == 200
    assert now(people).title == "A <b>new</b> title"
    assert now(people).revision == people.session.revision + 1


@pytest.mark.parametrize("title", ["", "   ", "\u200b\u200b"])
def test_a_title_that_nobody_sees_is_refused(people: Cast, title: str) -> None:
    assert post(people, "rename", title=title).status_code == 400
    assert now(people).title == people.session.title


def test_an_archived_session_leaves_the_fleet_until_a_message_brings_it_back(people: Cast) -> None:
    fleet = reverse("fleet")
    assert post(people, "archive").status_code == 200
    assert post(people, "archive").status_code == 409
    assert people.session.title not in signed_in(people.member).get(fleet).content.decode()
    shown = signed_in(people.member).get(fleet, {"show": "archived"}).content.decode()
    assert people.session.title in shown
    submit_turn(people.session, "Hello", people.operator)
    assert now(people).archived_at is None


def test_an_archived_session_is_taken_out(people: Cast) -> None:
    post(people, "archive")
    assert post(people, "unarchive").status_code == 200
    assert now(people).archived_at is None


@pytest.mark.parametrize("action", ["archive", "apply-settings", "delete"])
def test_nothing_is_taken_from_an_agent_at_work(people: Cast, action: str) -> None:
    submit_turn(people.session, "Hello", people.operator)
    answer = post(people, action, confirm=people.session.title)
    assert answer.status_code == 409
    assert "Stop the turn" in answer.json()["error"]


def test_newer_settings_of_the_agent_are_taken_over(people: Cast) -> None:
    page = reverse("session-manage", args=[people.session.pk])
    assert "Apply the agent" not in signed_in(people.operator).get(page).content.decode()
    people.profile.model, people.profile.system_prompt = "openai:gpt-4.1", "Be brief."
    people.profile.save()
    assert "Apply the agent" in signed_in(people.operator).get(page).content.decode()
    assert post(people, "apply-settings").status_code == 200
    assert now(people).settings == people.profile.snapshot()
    assert now(people).model == "openai:gpt-4.1"


def test_the_settings_of_a_session_have_an_address(people: Cast) -> None:
    address = reverse("session-manage", args=[people.session.pk])
    page = tree(signed_in(people.operator).get(address).content.decode())
    assert page.one(id="settings").one("h2").text == "Settings"


def test_a_recording_keeps_its_settings(people: Cast) -> None:
    people.session.freeze(people.session.settings | {"model": "replay:recording"})
    people.session.save()
    assert post(people, "apply-settings").status_code == 409


def test_a_session_is_deleted_with_everything_once_its_title_is_repeated(people: Cast) -> None:
    write(people.session, "note", "x")
    turn = submit_turn(people.session, "Hello", people.operator)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.SUCCEEDED)
    assert post(people, "delete", confirm="something else").status_code == 400
    assert now(people)
    assert post(people, "delete", confirm=people.session.title)["Location"] == reverse("fleet")
    for rows in (AgentSession, Turn, Message, Entry):
        assert not rows._default_manager.exists()
