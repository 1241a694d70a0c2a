import json
import stat
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from agents.models import AgentProfile
from contextsite.demo.accounts import (
    accounts_file,
    demo_accounts,
    make_accounts,
    replay_profile,
    survey_profile,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def debugging(settings: Settings, tmp_path: Path) -> None:
    settings.DEBUG = True
    settings.DATA_DIR = tmp_path


def test_every_account_can_log_in_with_the_password_given() -> None:
    accounts = make_accounts()
    assert [account.role for account in accounts] == ["operator", "member", "admin"]
    for account in accounts:
        assert User.objects.get(username=account.role).check_password(account.password)


def test_only_the_admin_is_staff() -> None:
    make_accounts()
    assert list(User.objects.filter(is_staff=True).values_list("username", flat=True)) == ["admin"]
    assert list(User.objects.filter(is_superuser=True).values_list("username", flat=True)) == ["admin"]


def test_passwords_are_made_once() -> None:
    first = make_accounts()
    assert make_accounts() == first == demo_accounts()
    assert User.objects.count() == 3


def test_passwords_are_long_and_differ() -> None:
    passwords = {account.password for account in make_accounts()}
    assert len(passwords) == 3
    assert all(len(password) >= 16 for password in passwords)


def test_the_file_is_for_its_owner_only() -> None:
    make_accounts()
    assert stat.S_IMODE(accounts_file().stat().st_mode) == 0o600


def test_a_file_that_others_could_read_is_closed_again() -> None:
    make_accounts()
    accounts_file().chmod(0o644)
    make_accounts()
    assert stat.S_IMODE(accounts_file().stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "{broken", "[]", '{"operator": 5, "member": "", "other": "x"}'])
def test_a_broken_file_is_replaced_and_the_passwords_work(content: str) -> None:
    make_accounts()
    accounts_file().write_text(content)
    for account in make_accounts():
        assert User.objects.get(username=account.role).check_password(account.password)
    assert set(json.loads(accounts_file().read_text())) == {"operator", "member", "admin"}


def test_a_new_database_gets_the_passwords_that_were_printed_before() -> None:
    first = make_accounts()
    User.objects.all().delete()
    assert make_accounts() == first
    assert User.objects.get(username="member").check_password(first[1].password)


def test_a_demo_account_that_was_changed_is_repaired() -> None:
    make_accounts()
    User.objects.filter(username="member").update(is_active=False, is_staff=True)
    make_accounts()
    member = User.objects.get(username="member")
    assert (member.is_active, member.is_staff) == (True, False)


def test_outside_debug_there_are_no_demo_accounts(settings: Settings) -> None:
    make_accounts()
    User.objects.all().delete()
    settings.DEBUG = False
    assert demo_accounts() == ()
    with pytest.raises(RuntimeError, match="only with DEBUG"):
        make_accounts()
    assert not User.objects.exists()


def test_before_they_are_made_there_are_no_accounts() -> None:
    assert demo_accounts() == ()


def test_agents_are_made_once_and_keep_what_people_changed() -> None:
    profile = survey_profile()
    AgentProfile.objects.filter(pk=profile.pk).update(name="Our survey")
    assert survey_profile().name == "Our survey"
    assert replay_profile() == replay_profile()
    assert AgentProfile.objects.count() == 2


def test_the_survey_agent_may_use_every_tool_of_the_demo(settings: Settings) -> None:
    of_the_demo = {name for name, path in settings.AGENT_TOOLS.items() if ".demo." in path}
    assert set(survey_profile().tools) == of_the_demo
