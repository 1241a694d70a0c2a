from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents import leases
from agents.admin import SHOWN_CHARACTERS, StrictJSONField, pretty
from agents.models import (
    AgentProfile,
    AgentSession,
    Message,
    ModelCall,
    RecordedTurn,
    Recording,
    ToolApproval,
    Turn,
)
from memory.models import CardLayout, Entry, EntryRevision, Pin, Store
from tests.rowcast import fail_turn, profile_of, tell_story
from tests.rows import make_profile

pytestmark = pytest.mark.django_db

READ_ONLY = (
    *(AgentSession, Turn, Message, ModelCall, ToolApproval, Recording, RecordedTurn),
    *(Store, Entry, EntryRevision),
)
EDITABLE = (AgentProfile, Pin, CardLayout)
every_table = pytest.mark.parametrize("model", READ_ONLY + EDITABLE)
read_only_table = pytest.mark.parametrize("model", READ_ONLY)


@pytest.fixture
def boss(client: Client) -> Client:
    """Return a client whose person may do everything."""
    client.force_login(User.objects.create_superuser("boss"))
    return client


def url(model: type[models.Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def one_of(model: Any) -> Any:
    return model.objects.order_by("pk").first()


def test_every_table_has_an_admin_page() -> None:
    ours = {model for model in admin.site._registry if model._meta.app_label in {"agents", "memory"}}
    assert set(READ_ONLY + EDITABLE) <= ours


@every_table
def test_a_list_takes_no_more_queries_for_more_rows(boss: Client, model: type[models.Model]) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert boss.get(url(model, "changelist")).status_code == 200
        return len(captured)

    tell_story(1)
    queries()
    few = queries()
    for number in range(2, 8):
        tell_story(number)
    assert queries() <= few


@every_table
def test_a_list_can_be_searched_filtered_and_sorted(boss: Client, model: type[models.Model]) -> None:
    tell_story(1)
    session = tell_story(2)
    for query in ({"q": "story"}, {"q": str(session.pk)}, {"q": "no such thing"}, {"o": "1"}, {"o": "-2"}):
        assert boss.get(url(model, "changelist"), query).status_code == 200


@pytest.mark.parametrize(
    ("model", "query"),
    [
        (AgentProfile, "Agent-2"),
        (AgentSession, "Story 2"),
        (AgentSession, "person-2"),
        (Turn, "Story 2"),
        (Message, "item-2"),
        (Recording, "talk-2"),
        (RecordedTurn, "Story 2"),
        (Store, "Story 2"),
        (Entry, "Story 2"),
        (EntryRevision, "Story 2"),
        (Pin, "person-2"),
        (CardLayout, "Agent-2"),
    ],
)
def test_a_search_finds_what_belongs_to_the_words(
    boss: Client, model: type[models.Model], query: str
) -> None:
    tell_story(1)
    tell_story(2)
    found = boss.get(url(model, "changelist"), {"q": query}).context["cl"].queryset
    assert found.count() == 1


@every_table
def test_a_single_row_can_be_looked_at(boss: Client, model: type[models.Model]) -> None:
    tell_story(1)
    assert boss.get(url(model, "change", one_of(model).pk)).status_code == 200


@read_only_table
def test_what_happened_cannot_be_added_changed_or_deleted(boss: Client, model: type[models.Model]) -> None:
    tell_story(1)
    row = one_of(model)
    assert boss.get(url(model, "add")).status_code == 403
    assert boss.post(url(model, "change", row.pk), {"key": "forged", "title": "forged"}).status_code == 403
    assert boss.post(url(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    bulk = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    boss.post(url(model, "changelist"), bulk)
    assert {f.attname: getattr(one_of(model), f.attname) for f in model._meta.concrete_fields} == {
        f.attname: getattr(row, f.attname) for f in model._meta.concrete_fields
    }


@every_table
def test_strangers_and_plain_members_see_no_admin_page(client: Client, model: type[models.Model]) -> None:
    tell_story(1)
    for page in (url(model, "changelist"), url(model, "change", one_of(model).pk)):
        assert client.get(page).status_code == 302
    client.force_login(User.objects.get(username="person-1"))
    assert client.get(url(model, "changelist")).status_code == 302


@every_table
def test_staff_without_permission_see_nothing(client: Client, model: type[models.Model]) -> None:
    tell_story(1)
    client.force_login(User.objects.create_user("stella", is_staff=True))
    assert client.get(url(model, "changelist")).status_code == 403


def test_json_is_shown_indented_and_harmless(boss: Client) -> None:
    tell_story(1)
    page = boss.get(url(Entry, "change", Entry.objects.get().pk)).content.decode()
    assert "&quot;steps&quot;: [\n    1,\n    2\n  ]" in page
    assert "&lt;script&gt;" in page
    assert "<script>&quot;" not in page
    blocks = boss.get(url(Message, "change", Message.objects.get().pk)).content.decode()
    assert "&lt;b&gt;hello&lt;/b&gt;" in blocks


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('{"a":1.0}', '{\n  "a": 1.0\n}'),
        ([1], "[\n  1\n]"),
        (None, "null"),
        ("no json", "no json"),
        ('"text"', '"text"'),
    ],
)
def test_a_value_is_shown_whether_parsed_or_as_text(value: object, shown: str) -> None:
    class Row:
        column = value

    text = str(pretty("column")(Row()))  # type: ignore[arg-type]
    assert text.replace("&quot;", '"') == f"<pre>{shown}</pre>"


def test_a_huge_value_is_cut() -> None:
    class Row:
        column = ["x" * SHOWN_CHARACTERS]

    assert "more characters" in str(pretty("column")(Row()))  # type: ignore[arg-type]


class ProfileForm:
    """The form of an agent as a person fills it in."""

    def __init__(self, boss: Client) -> None:
        self._boss = boss
        form = boss.get(url(AgentProfile, "add")).context["adminform"].form
        self.fields = {name: form[name].value() for name in form.fields}
        self.fields = {name: "" if value is None else value for name, value in self.fields.items()}
        self.fields = {name: value for name, value in self.fields.items() if value is not False}

    def send(self, page: str, **changes: str) -> Any:
        return self._boss.post(
            page, {**self.fields, "slug": "desk", "name": "Desk", "model": "scripted:x", **changes}
        )


def test_an_agent_can_be_made_with_json_settings(boss: Client) -> None:
    response = ProfileForm(boss).send(
        url(AgentProfile, "add"), tools='["list_files"]', features='{"workingMemory":false}'
    )
    assert response.status_code == 302
    profile = AgentProfile.objects.get()
    assert (profile.tools, profile.features) == (["list_files"], {"workingMemory": False})


def test_json_settings_come_back_as_json_to_edit(boss: Client) -> None:
    profile = make_profile(tools=["list_files"], features={"workingMemory": False})
    page = boss.get(url(AgentProfile, "change", profile.pk)).content.decode()
    assert "&quot;workingMemory&quot;: false" in page


@pytest.mark.parametrize("text", ["[", "{'a': 1}", "NaN", "[1e999]", "[9007199254740993]", '["\\ud800"]'])
def test_json_that_rows_cannot_keep_is_refused_in_the_form(boss: Client, text: str) -> None:
    response = ProfileForm(boss).send(url(AgentProfile, "add"), tools=text)
    assert response.status_code == 200
    assert response.context["adminform"].form.errors.keys() == {"tools"}
    assert not AgentProfile.objects.exists()


def test_a_text_that_failed_to_parse_is_shown_again_as_typed() -> None:
    assert StrictJSONField().prepare_value("[oops") == "[oops"


def act(boss: Client, action: str, *chosen: AgentSession) -> list[str]:
    data = {"action": action, "_selected_action": [session.pk for session in chosen]}
    response = boss.post(url(AgentSession, "changelist"), data, follow=True)
    return [str(message) for message in response.context["messages"]]


def test_turns_can_be_stopped_from_the_list(boss: Client) -> None:
    first, second = tell_story(1), tell_story(2)
    fail_turn(second)
    said = act(boss, "stop", first, second)
    assert first.turns.get().status == Turn.Status.CANCELLED
    assert said == ["Story 2: The agent is not working, so there is nothing to stop.", "Asked to stop: 1."]


def test_failed_turns_can_be_retried_from_the_list(boss: Client) -> None:
    first = tell_story(1)
    fail_turn(first)
    assert act(boss, "retry", first) == ["Queued again: 1."]
    assert first.turns.get().status == Turn.Status.QUEUED


def test_a_session_can_be_freed_from_a_dead_worker(boss: Client) -> None:
    session = tell_story(1)
    assert leases.claim(session.pk, "dead worker")
    assert act(boss, "free", session)[0].startswith("Freed: 1.")
    session.refresh_from_db()
    assert session.lease_owner == ""


def test_staff_who_may_only_view_have_no_actions(client: Client) -> None:
    session = tell_story(1)
    viewer = User.objects.create_user("vera", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_agentsession"))
    client.force_login(viewer)
    assert client.get(url(AgentSession, "changelist")).status_code == 200
    client.post(url(AgentSession, "changelist"), {"action": "stop", "_selected_action": [session.pk]})
    assert session.turns.get().status == Turn.Status.QUEUED


def test_people_of_an_agent_are_chosen_by_id_not_from_a_list_of_everybody(boss: Client) -> None:
    tell_story(1)
    page = boss.get(url(AgentProfile, "change", profile_of(1).pk)).content.decode()
    assert '<select name="operators"' not in page
    assert "vManyToManyRawIdAdminField" in page
