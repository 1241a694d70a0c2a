import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Turn
from agents.sessions import submit_turn, withdraw_turn
from tests.people import Cast, make_cast, signed_in
from tests.rows import make_session

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


def test_a_key_of_another_message_is_refused(cast: Cast) -> None:
    client = signed_in(cast.operator)
    client.post(url(cast), {"message": "hi", "idempotency_key": "once"})
    answer = client.post(url(cast), {"message": "bye", "idempotency_key": "once"}, headers=JSON)
    assert answer.status_code == 400
    assert "new key" in answer.json()["error"]
    assert Turn.objects.get().input == "hi"


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


@pytest.mark.parametrize("status", [Turn.Status.QUEUED, Turn.Status.RUNNING, Turn.Status.CANCELLED])
def test_a_message_that_was_taken_up_cannot_be_withdrawn(cast: Cast, status: Turn.Status) -> None:
    turn = submit_turn(cast.session, "one", cast.operator)
    turn.messages.create(
        session=cast.session, sequence=1, item_id="1", role="user", blocks=[], tokens=0, revision=1
    )
    Turn.objects.filter(pk=turn.pk).update(status=status)
    assert "taken up this message" in refusal_to_withdraw(cast, str(turn.pk))
    assert cast.session.turns.count() == 1


def test_a_message_that_does_not_wait_cannot_be_withdrawn(cast: Cast) -> None:
    withdrawn, stopped, other = (submit_turn(cast.session, text, cast.operator) for text in "abc")
    withdraw_turn(cast.session, str(withdrawn.pk))
    Turn.objects.filter(pk=stopped.pk).update(status=Turn.Status.CANCELLED)
    Turn.objects.filter(pk=other.pk).update(
        session=make_session(cast.session.profile), status=Turn.Status.RUNNING
    )
    for posted in (str(withdrawn.pk), str(stopped.pk), str(other.pk), "no turn"):
        assert "no such message waiting" in refusal_to_withdraw(cast, posted)


def refusal_to_withdraw(cast: Cast, turn: str) -> str:
    answer = signed_in(cast.operator).post(url(cast, "turn-withdraw"), {"turn": turn}, headers=JSON)
    assert answer.status_code == 409
    return str(answer.json()["error"])
