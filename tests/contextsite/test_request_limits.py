from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Turn
from memory.actors import Actor
from memory.bindings import change_board, open_board
from memory.models import Pin
from tests.images import upload
from tests.people import Cast, signed_in

pytestmark = pytest.mark.django_db

JSON = {"accept": "application/json"}
NUL = "a\x00b"


@pytest.fixture
def addresses(people: Cast) -> dict[str, str]:
    names = ("pin", "entry-edit", "entry-delete", "message-send", "turn-stop", "rollover", "compaction")
    return {name: reverse(name, args=[people.session.pk]) for name in names} | {"new": reverse("session-new")}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pin", {"pin": NUL}),
        ("pin", {"toggle": NUL}),
        ("entry-delete", {"key": NUL, "version": "1"}),
        ("entry-edit", {"key": NUL, "description": "d", "value": "v", "version": "0"}),
        ("message-send", {"message": "hi", "idempotency_key": NUL}),
        ("rollover", {"reason": NUL}),
        ("new", {"agent": NUL, "message": "hi"}),
        ("pin", {NUL: "x"}),
    ],
)
def test_a_nul_in_a_name_is_refused_everywhere(
    people: Cast, addresses: dict[str, str], name: str, data: dict[str, str]
) -> None:
    client = signed_in(people.operator)
    answer = client.post(addresses[name], data, headers=JSON)
    assert answer.status_code == 400
    assert "NUL" in answer.json()["error"]
    assert "NUL" in client.post(addresses[name], data).content.decode()
    assert not Pin.objects.exists()
    assert not Turn.objects.exists()


@pytest.mark.parametrize("name", ["entry-edit", "entry-delete"])
def test_a_nul_in_an_address_is_refused(people: Cast, addresses: dict[str, str], name: str) -> None:
    assert signed_in(people.operator).get(addresses[name] + "?key=%00").status_code == 400


def test_a_nul_in_a_text_is_left_to_its_form(people: Cast, addresses: dict[str, str]) -> None:
    answer = signed_in(people.operator).post(addresses["message-send"], {"message": NUL}, headers=JSON)
    assert (answer.status_code, answer.json()["field"]) == (400, "message")


def test_a_request_that_is_too_large_names_the_limit(people: Cast, addresses: dict[str, str]) -> None:
    data = {"key": "k", "description": "d", "value": "x" * 6_000_000, "version": "0"}
    client = signed_in(people.operator)
    answer = client.post(addresses["entry-edit"], data, headers=JSON)
    assert answer.status_code == 413
    assert "at most 5 MB" in answer.json()["error"]
    assert "at most 5 MB" in client.post(addresses["entry-edit"], data).content.decode()
    assert not open_board(people.session).list()


def test_endless_digits_are_no_number(people: Cast, addresses: dict[str, str]) -> None:
    change_board(people.session.pk, lambda b: b.set("k", "d", 1), actor=Actor.client("agent"))
    client, digits = signed_in(people.operator), "9" * 5000
    assert client.post(addresses["entry-delete"], {"key": "k", "version": digits}).status_code == 200
    assert client.get(reverse("session", args=[people.session.pk]), {"before": digits}).status_code == 200
    assert (
        client.post(addresses["rollover"], {"preserve_recent_turns": digits}, headers=JSON).status_code == 400
    )
    edit = {"key": "k", "description": "d", "value": "v", "version": digits}
    assert client.post(addresses["entry-edit"], edit, headers=JSON).status_code == 400
    assert open_board(people.session).get("k") == 1


def test_images_need_a_login_to_be_larger_than_texts(people: Cast, addresses: dict[str, str]) -> None:
    def send(client: Client, size: int) -> Any:
        data = {"message": "x", "images": upload(b"x" * size)}
        return client.post(addresses["message-send"], data, headers=JSON)

    assert send(Client(), 6_000_000).status_code == 413
    operator = signed_in(people.operator)
    refused = send(operator, 27_000_000)
    assert (refused.status_code, b"at most 25 MB fit" in refused.content) == (413, True)
    assert b"cannot be attached" in send(operator, 6_000_000).content
