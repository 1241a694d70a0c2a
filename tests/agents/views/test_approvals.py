import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from agents.models import ToolApproval
from tests.agents.waiting_stage import Stage, calling
from tests.people import signed_in
from tests.rows import make_session
from tests.templates.markup import tree

pytestmark = pytest.mark.django_db

JSON = {"accept": "application/json"}


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.begin(calling(("c1", "risky")))
    return stage


def url(approval: ToolApproval) -> str:
    return reverse("approval-decide", args=[approval.turn.session_id, approval.pk])


def test_an_operator_approves_and_comes_back(stage: Stage) -> None:
    (approval,) = stage.open_approvals
    response = signed_in(stage.cast.operator).post(url(approval), {"approve": approval.digest})
    assert (response.status_code, response["Location"]) == (
        303,
        reverse("session", args=[stage.session.pk]),
    )
    approval.refresh_from_db()
    assert (approval.status, approval.decided_by) == ("approved", stage.cast.operator)


def test_an_operator_denies_with_a_reason(stage: Stage) -> None:
    (approval,) = stage.open_approvals
    post = {"deny": approval.digest, f"reason-{approval.pk}": "line one\r\nline two", "reason-other": "no"}
    answer = signed_in(stage.cast.operator).post(url(approval), post, headers=JSON)
    assert answer.json() == {"ok": True}
    approval.refresh_from_db()
    assert (approval.status, approval.reason) == ("denied", "line one\nline two")


def test_a_second_answer_is_refused_clearly(stage: Stage) -> None:
    (approval,) = stage.open_approvals
    client = signed_in(stage.cast.operator)
    client.post(url(approval), {"approve": approval.digest})
    again = client.post(url(approval), {"deny": approval.digest}, headers=JSON)
    assert again.status_code == 409
    assert "olga has already approved this call" in again.json()["error"]
    page = client.post(url(approval), {"deny": approval.digest})
    assert "has already approved" in str(list(get_messages(page.wsgi_request))[-1])


@pytest.mark.parametrize(
    "post", [{}, {"approve": "x", "deny": "x"}, {"approve": ""}, {"deny": "of other arguments"}]
)
def test_an_answer_that_is_none_changes_nothing(stage: Stage, post: dict[str, str]) -> None:
    (approval,) = stage.open_approvals
    answer = signed_in(stage.cast.operator).post(url(approval), post, headers=JSON)
    assert answer.status_code == 400
    assert stage.open_approvals == [approval]


@pytest.mark.parametrize("name", ["approval-decide", "turn-wake"])
def test_only_operators_and_staff_may_answer(stage: Stage, name: str) -> None:
    (approval,) = stage.open_approvals
    address = url(approval) if name == "approval-decide" else reverse(name, args=[stage.session.pk])
    post = {"approve": approval.digest}
    assert signed_in(stage.cast.stranger).post(address, post).status_code == 404
    assert signed_in(stage.cast.member).post(address, post).status_code == 403
    assert Client().post(address, post)["Location"].startswith(reverse("login"))
    assert signed_in(stage.cast.operator).get(address).status_code == 405
    assert stage.open_approvals == [approval]
    assert signed_in(stage.cast.staff).post(address, post).status_code == 303


def test_an_approval_of_another_session_is_not_found(stage: Stage) -> None:
    (approval,) = stage.open_approvals
    other = make_session(stage.cast.profile)
    address = reverse("approval-decide", args=[other.pk, approval.pk])
    post = {"approve": approval.digest}
    assert signed_in(stage.cast.operator).post(address, post).status_code == 404
    assert stage.open_approvals == [approval]


def test_a_sleeping_agent_is_woken(stage: Stage) -> None:
    client = signed_in(stage.cast.operator)
    address = reverse("turn-wake", args=[stage.session.pk])
    assert client.post(address, headers=JSON).status_code == 409
    stage.decide(stage.open_approvals[0])
    stage.go_on(calling(("c2", "nap")))
    page = client.get(reverse("session", args=[stage.session.pk])).content.decode()
    assert "waits until <time" in page
    assert "1 Jan 2100, 06:00 UTC" in page
    assert client.post(address, headers=JSON).json() == {"ok": True}
    assert stage.session.status == "queued"


def test_operators_see_exact_arguments_and_two_answers_and_members_only_see(stage: Stage) -> None:
    address = reverse("session", args=[stage.session.pk])
    (approval,) = stage.open_approvals
    operators = signed_in(stage.cast.operator).get(address).content.decode()
    members = signed_in(stage.cast.member).get(address).content.decode()
    assert f'name="approve" value="{approval.digest}"' in operators
    assert f'formaction="{url(approval)}"' in operators
    for page in (operators, members):
        assert "&quot;what&quot;: &quot;c1&quot;" in page
        assert "waits for an approval" in page
        tree(page)
    assert approval.digest not in members
    assert "An operator of this agent decides." in members
