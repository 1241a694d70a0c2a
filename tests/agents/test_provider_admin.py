from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agents.models import ProviderKey
from agents.provider_keys import environment
from tests.people import make_cast, signed_in

pytestmark = pytest.mark.django_db

SECRET = "sk-live-0123456789-abcdefgh-WXYZ"
ADD = reverse("admin:agents_providerkey_add")
LIST = reverse("admin:agents_providerkey_changelist")


@pytest.fixture
def boss(client: Client, settings: Any) -> Client:
    settings.ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    client.force_login(User.objects.create_superuser("boss"))
    return client


def change(row: ProviderKey) -> str:
    return reverse("admin:agents_providerkey_change", args=[row.pk])


def add(boss: Client, **fields: str) -> ProviderKey:
    answer = boss.post(ADD, {"provider": "openai", "base_url": "", "new_key": SECRET} | fields)
    assert answer.status_code == 302, answer.content.decode()
    return ProviderKey.objects.get()


def refusal(boss: Client, address: str, **fields: str) -> str:
    answer = boss.post(address, {"provider": "openai", "base_url": "", "new_key": ""} | fields)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_key_goes_in_and_never_comes_out(boss: Client, caplog: pytest.LogCaptureFixture) -> None:
    row = add(boss)
    assert environment("openai")["OPENAI_API_KEY"] == SECRET
    assert row.changed_by == User.objects.get(username="boss")
    pages = [boss.get(address).content.decode() for address in (LIST, change(row), reverse("admin:index"))]
    assert all(SECRET not in page and row.encrypted_key not in page for page in pages)
    assert "set, ends in WXYZ" in pages[0]
    assert "set, ends in WXYZ" in pages[1]
    log = "".join(f"{entry}{entry.change_message}{entry.object_repr}" for entry in LogEntry.objects.all())
    assert SECRET not in log + caplog.text


def test_a_key_stays_when_none_is_typed(boss: Client) -> None:
    row = add(boss, base_url="https://proxy.example/v1/")
    assert row.base_url == "https://proxy.example/v1"
    answer = boss.post(change(row), {"provider": "openai", "base_url": row.base_url, "new_key": ""})
    assert answer.status_code == 302
    assert environment("openai")["OPENAI_API_KEY"] == SECRET


def test_a_key_is_not_sent_to_another_address_without_being_typed_again(boss: Client) -> None:
    row = add(boss)
    assert "Enter the key again" in refusal(boss, change(row), base_url="https://elsewhere.example")
    assert "Enter the key again" in refusal(boss, change(row), provider="compatible")
    row.refresh_from_db()
    assert (row.provider, row.base_url) == ("openai", "")


def test_a_key_can_be_removed(boss: Client) -> None:
    row = add(boss)
    assert "not both" in refusal(boss, change(row), new_key=SECRET, remove_key="on")
    boss.post(change(row), {"provider": "openai", "base_url": "http://127.0.0.1:8000", "remove_key": "on"})
    row.refresh_from_db()
    assert (row.encrypted_key, row.ending) == ("", "")
    assert ">none<" in boss.get(LIST).content.decode()


@pytest.mark.parametrize("key", ["two words", "tab\tbed", "grüß", "line\nbreak"])
def test_a_key_that_fits_no_header_is_refused_without_repeating_it(boss: Client, key: str) -> None:
    page = refusal(boss, ADD, new_key=key)
    assert "A key has no blanks" in page
    assert key not in page
    assert not ProviderKey.objects.exists()


def test_without_an_encryption_key_the_form_says_how_to_make_one(boss: Client, settings: Any) -> None:
    settings.ENCRYPTION_KEYS = []
    page = refusal(boss, ADD, new_key=SECRET)
    assert "encryption_key" in page
    assert SECRET not in page


@pytest.mark.parametrize(
    "address",
    ["ftp://a", "just words", "https://", "https://u:p@a", "https://a/?q", "https://a/#x", "http://[a"],
)
def test_an_address_that_is_none_is_refused(boss: Client, address: str) -> None:
    assert "Write an address" in refusal(boss, ADD, new_key=SECRET, base_url=address)


def test_only_admins_with_the_permission_see_keys(boss: Client) -> None:
    row = add(boss)
    cast = make_cast()
    for person in (cast.staff, cast.operator, cast.stranger):
        assert signed_in(person).get(change(row)).status_code in {302, 403}
        assert signed_in(person).post(change(row), {"remove_key": "on"}).status_code in {302, 403}
    row.refresh_from_db()
    assert row.encrypted_key
