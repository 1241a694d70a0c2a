from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from agents.models import AgentProfile, AgentSession, Turn
from contextsite.demo.accounts import demo_accounts

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def debugging(settings: Settings, tmp_path: Path) -> None:
    settings.DEBUG = True
    settings.DATA_DIR = tmp_path


def demo() -> str:
    out = StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def test_it_prints_who_can_log_in_and_where_to_look() -> None:
    text = demo()
    for account in demo_accounts():
        assert account.role in text
        assert account.password in text
    assert f"/sessions/{AgentSession.objects.get().pk}/" in text


def test_the_demo_session_has_its_first_turn_queued() -> None:
    demo()
    session = AgentSession.objects.get()
    turn = Turn.objects.get()
    assert (session.profile.slug, session.status, turn.status) == ("survey", "queued", "queued")
    assert turn.author == session.user == User.objects.get(username="operator")


def test_the_title_names_the_folder(settings: Settings, tmp_path: Path) -> None:
    settings.DEMO_PATH = tmp_path / "photos"
    demo()
    assert AgentSession.objects.get().title == "Survey of photos"


def test_a_second_run_changes_nothing() -> None:
    first = demo()
    assert demo() == first
    assert (AgentSession.objects.count(), Turn.objects.count(), AgentProfile.objects.count()) == (1, 1, 2)


def test_the_operator_may_act_and_the_member_may_only_see() -> None:
    demo()
    operator, member = User.objects.get(username="operator"), User.objects.get(username="member")
    assert set(AgentProfile.objects.operable_by(operator)) == set(AgentProfile.objects.all())
    assert set(AgentProfile.objects.visible_to(member)) == set(AgentProfile.objects.all())
    assert not AgentProfile.objects.operable_by(member).exists()


def test_outside_debug_it_refuses_and_stores_nothing(settings: Settings) -> None:
    settings.DEBUG = False
    with pytest.raises(CommandError, match="needs DEBUG=1"):
        demo()
    assert not User.objects.exists()
    assert not AgentProfile.objects.exists()
