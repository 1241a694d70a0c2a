import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Turn
from agents.sessions import submit_turn
from tests.people import Cast, make_cast, signed_in

pytestmark = pytest.mark.django_db

JSON = {"accept": "application/json"}


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def url(cast: Cast, name: str = "message-send") -> str:
    return reverse(name, args=[cast.session.pk])


def test_an_operator_sends_a_message_and_comes_back(cast: Cast) -> None:
    response = signed_in(cast.operator).post(url(cast), {"message": "line one\r\nline two"})
    assert (response.status_code, response["Location"]) == (303, reverse("session", args=[cast.session.pk]))
    turn = Turn.objects.get()
    assert (turn.input, turn.author) == ("line one\nline two", cast.operator)


def test_a_script_gets_json(cast: Cast) -> None:
    client = signed_in(cast.operator)
    assert client.post(url(cast), {"message": "hi"}, headers=JSON).json() == {"ok": True}
    refused = client.post(url(cast), {"message": " "}, headers=JSON)
    assert refused.status_code == 400
    assert refused.json()["field"] == "message"


def test_a_refused_message_is_explained_on_the_page(cast: Cast) -> None:
    response = signed_in(cast.operator).post(url(cast), {"message": ""})
    assert response.status_code == 400
    assert "The message is empty." in response.content.decode()
    assert not Turn.objects.exists()


def test_a_repeated_post_with_one_key_makes_one_turn(cast: Cast) -> None:
    client = signed_in(cast.operator)
    for _ in range(2):
        client.post(url(cast), {"message": "hi", "idempotency_key": "once"})
    assert Turn.objects.count() == 1


@pytest.mark.parametrize("name", ["message-send", "turn-stop", "turn-withdraw", "turn-retry"])
def test_only_operators_and_staff_may_act(cast: Cast, name: str) -> None:
    post = {"message": "hi"}
    assert signed_in(cast.stranger).post(url(cast, name), post).status_code == 404
    assert signed_in(cast.member).post(url(cast, name), post).status_code == 403
    assert Client().post(url(cast, name), post)["Location"].startswith(reverse("login"))
    assert signed_in(cast.staff).post(url(cast, name), post).status_code == 303
    assert signed_in(cast.operator).get(url(cast, name)).status_code == 405


def test_stopping_and_retrying_say_why_when_there_is_nothing_to_do(cast: Cast) -> None:
    client = signed_in(cast.operator)
    for name in ("turn-stop", "turn-retry"):
        response = client.post(url(cast, name), headers=JSON)
        assert response.status_code == 409
        assert "nothing to" in response.json()["error"]


def test_stop_then_retry(cast: Cast) -> None:
    client = signed_in(cast.operator)
    client.post(url(cast), {"message": "hi"})
    client.post(url(cast, "turn-stop"))
    assert Turn.objects.get().status == Turn.Status.CANCELLED
    client.post(url(cast, "turn-retry"))
    assert Turn.objects.get().status == Turn.Status.QUEUED


def test_a_waiting_message_can_be_withdrawn(cast: Cast) -> None:
    first, second = (submit_turn(cast.session, text, cast.operator) for text in ("one", "two"))
    signed_in(cast.operator).post(url(cast, "turn-withdraw"), {"turn": str(second.pk)})
    assert list(cast.session.turns.all()) == [first]


def test_a_message_that_was_taken_up_cannot_be_withdrawn(cast: Cast) -> None:
    turn = submit_turn(cast.session, "one", cast.operator)
    turn.messages.create(
        session=cast.session, sequence=1, item_id="1", role="user", blocks=[], tokens=0, revision=1
    )
    for posted in (str(turn.pk), "no turn"):
        answer = signed_in(cast.operator).post(
            url(cast, "turn-withdraw"), {"turn": posted}, headers={"accept": "application/json"}
        )
        assert answer.status_code == 409
    assert cast.session.turns.count() == 1
