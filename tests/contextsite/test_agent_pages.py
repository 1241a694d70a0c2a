from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import AgentProfile
from agents.sessions import start_session
from memory import layouts, pins
from memory.models import CardLayout, Pin
from tests.people import Cast, signed_in
from tests.rows import make_profile

pytestmark = pytest.mark.django_db


def fields(**changes: str) -> dict[str, str]:
    given = {
        "name": "Surveyor",
        "model": "scripted:survey",
        "system_prompt": "Count.\r\nThen tell.",
        "whiteboard_max_entries": "12",
        "whiteboard_max_tokens": "5000",
        "whiteboard_default_priority": "high",
        "advertise_show_in_ui": "on",
        "max_context_tokens": "",
        "response_reserve": "2048",
        "strategy": "algorithmic",
        "threshold_percent": "60",
        "gate_percent": "85",
        "operator_names": "olga",
        "member_names": "mia, sam",
        "feature-inContextMemory": "on",
        "tool-list_files": "on",
        "ask-list_files": "on",
        "tool-read_file": "on",
    }
    return given | changes


def save(people: Cast, user: User | None = None, **changes: Any) -> Any:
    address = reverse("agent", args=[people.profile.slug])
    return signed_in(user or people.operator).post(address, fields(**changes))


def page(people: Cast, user: User) -> Any:
    return signed_in(user).get(reverse("agent", args=[people.profile.slug]))


def test_tools_are_described_without_marks_of_code(people: Cast) -> None:
    helps = [tool.help for tool in page(people, people.operator).context["tools"]]
    assert helps
    assert not [help_ for help_ in helps if "`" in help_]


def test_the_list_shows_the_agents_that_a_person_may_see(people: Cast) -> None:
    make_profile("secret", name="Secret agent")
    for user, own, secret in (
        (people.member, True, False),
        (people.stranger, False, False),
        (people.staff, True, True),
    ):
        shown = signed_in(user).get(reverse("agents")).content.decode()
        assert (reverse("agent", args=[people.profile.slug]) in shown) is own
        assert ("Secret agent" in shown) is secret


def test_the_list_takes_the_same_queries_for_many_agents(people: Cast) -> None:
    def queries() -> int:
        client = signed_in(people.staff)
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("agents"))
        return len(captured)

    few = queries()
    for number in range(20):
        start_session(make_profile(f"more-{number}"), None, "x")
    assert queries() == few


def test_strangers_get_404_and_members_only_look(people: Cast) -> None:
    assert page(people, people.stranger).status_code == 404
    assert save(people, people.stranger).status_code == 404
    assert "Save settings" not in page(people, people.member).content.decode()
    assert save(people, people.member).status_code == 403
    assert "Save settings" in page(people, people.operator).content.decode()


def test_an_operator_saves_every_setting(people: Cast) -> None:
    assert save(people).status_code == 302
    profile = AgentProfile.objects.get(pk=people.profile.pk)
    assert (profile.name, profile.model, profile.system_prompt) == (
        "Surveyor",
        "scripted:survey",
        "Count.\nThen tell.",
    )
    assert (profile.whiteboard_max_entries, profile.whiteboard_max_tokens) == (12, 5000)
    assert (profile.threshold, profile.critical_gate, profile.response_reserve) == (0.6, 0.85, 2048)
    assert profile.advertise_show_in_ui
    assert not profile.whiteboard_show_timestamps
    assert profile.features["inContextMemory"]
    assert not profile.features["workingMemory"]
    assert profile.tools == ["list_files", "read_file"]
    assert profile.tool_permissions == {"list_files": "ask", "read_file": "always"}
    assert list(profile.operators.all()) == [people.operator]
    assert set(profile.members.all()) == {people.member, people.stranger}


def test_what_was_saved_is_shown_again(people: Cast) -> None:
    save(people)
    shown = page(people, people.operator).content.decode()
    assert 'value="60"' in shown
    assert 'value="mia, sam"' in shown
    assert 'id="tool-list_files" name="tool-list_files" checked' in shown


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "  "),
        ("model", "nowhere:model"),
        ("model", "replay:x"),
        ("model", "openai:"),
        ("strategy", "unheard-of"),
        ("threshold_percent", "90"),
        ("threshold_percent", "x"),
        ("gate_percent", "101"),
        ("max_context_tokens", "100"),
        ("max_context_tokens", "4000"),
        ("whiteboard_max_entries", "0"),
        ("operator_names", "nobody"),
        ("operator_names", "mia"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_stored(people: Cast, field: str, value: str) -> None:
    before = AgentProfile.objects.filter(pk=people.profile.pk).values().get()
    changes: dict[str, Any] = {field: value}
    answer = save(people, **changes)
    assert answer.status_code == 400
    assert "Nothing was saved" in answer.content.decode()
    assert AgentProfile.objects.filter(pk=people.profile.pk).values().get() == before


def test_staff_may_leave_the_operators(people: Cast) -> None:
    assert save(people, people.staff, operator_names="mia").status_code == 302


def test_staff_create_an_agent_and_operate_it(people: Cast) -> None:
    client = signed_in(people.staff)
    assert client.get(reverse("agent-new")).status_code == 200
    for slug in ("new-1", "new-2"):
        answer = client.post(reverse("agent-new"), fields(name="New", operator_names="stefan"))
        assert answer.status_code == 302, slug
    made = AgentProfile.objects.filter(name="New").order_by("pk")
    assert [profile.slug for profile in made] == ["new-2", "new-3"]
    assert list(made[0].operators.all()) == [people.staff]


def test_others_create_no_agent(people: Cast) -> None:
    for user in (people.operator, people.member, people.stranger):
        assert signed_in(user).get(reverse("agent-new")).status_code == 403
        refused = signed_in(user).post(reverse("agent-new"), fields())
        assert refused.status_code == 403
        assert (
            "Sign in as an administrator, or ask one for the permission to add agents."
            in refused.content.decode()
        )


def test_an_agent_whose_provider_is_not_set_up_is_saved_with_a_warning(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    page = signed_in(people.staff).post(
        reverse("agent-new"), fields(name="New", model="openai:gpt-4.1"), follow=True
    )
    assert "Its model cannot be asked yet. No key for openai" in page.content.decode()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert "cannot be asked yet" not in save(people, model="openai:gpt-4.1").content.decode()


def test_a_person_manages_their_own_pins_and_layout(people: Cast) -> None:
    client, address = signed_in(people.member), reverse("agent-pins", args=[people.profile.slug])
    pins.pin(people.operator, people.profile, "theirs")
    client.post(address, {"pin": "mine"})
    assert "mine" in page(people, people.member).content.decode()
    assert "theirs" not in page(people, people.member).content.decode()
    client.post(address, {"unpin": "mine"})
    layouts.fold(people.member, people.profile, ["a"], collapsed=True)
    client.post(address, {"forget": "1"})
    assert list(Pin.objects.values_list("key", flat=True)) == ["theirs"]
    assert not CardLayout.objects.exists()
    assert "printable characters" in client.post(address, {"pin": ""}, follow=True).content.decode()
    assert signed_in(people.stranger).post(address, {"pin": "x"}).status_code == 404


def test_hostile_names_are_inert(people: Cast) -> None:
    attack = "<script>alert(1)</script>"
    save(people, name=attack, system_prompt=f"</textarea>{attack}")
    for address in (reverse("agents"), reverse("agent", args=[people.profile.slug])):
        assert "<script>alert" not in signed_in(people.operator).get(address).content.decode()
