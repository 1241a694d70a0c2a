import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.rows import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana() -> User:
    person = make_person("ana")
    person.email = "ana@example.org"
    person.save()
    return person


def ask(address: str) -> None:
    client = Client()
    assert "Send the link" in client.get(reverse("password_reset")).content.decode()
    shown = client.post(reverse("password_reset"), {"email": address}, follow=True).content.decode()
    assert "Look into your mailbox" in shown


def link() -> str:
    found = re.search(r"https?://[^/]+(/\S+)", str(mail.outbox[0].body))
    assert found
    return found[1]


def test_a_forgotten_password_is_set_anew_by_mail(ana: User) -> None:
    ask("ana@example.org")
    (message,) = mail.outbox
    assert message.subject == "A new password for contextsite"
    assert "account ana" in message.body
    client = Client()
    page = client.get(link(), follow=True)
    path = page.redirect_chain[-1][0]
    wrong = client.post(path, {"new_password1": "x", "new_password2": "y"}).content.decode()
    assert "field__error" in wrong
    done = client.post(path, {"new_password1": "quite-long-7", "new_password2": "quite-long-7"}, follow=True)
    assert "Your password is set" in done.content.decode()
    assert client.login(username="ana", password="quite-long-7")


def test_a_link_works_once(ana: User) -> None:
    ask("ana@example.org")
    client = Client()
    path = client.get(link(), follow=True).redirect_chain[-1][0]
    client.post(path, {"new_password1": "quite-long-7", "new_password2": "quite-long-7"})
    assert "used already" in Client().get(link(), follow=True).content.decode()


def test_nobody_learns_which_addresses_have_accounts(db: None) -> None:
    ask("stranger@example.org")
    assert mail.outbox == []


def test_the_login_page_leads_there(db: None) -> None:
    assert reverse("password_reset") in Client().get(reverse("login")).content.decode()
