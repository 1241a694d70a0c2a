from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from agents.draft import Draft
from agents.models import AgentSession, Message, ToolApproval, Turn
from memory import layouts, pins
from memory.actors import Actor
from memory.bindings import change_board
from tests.people import Cast, make_cast, signed_in
from tests.rows import make_profile, make_session

pytestmark = pytest.mark.django_db

MOST_QUERIES = 15


@pytest.fixture
def cast() -> Cast:
    return make_cast()


def write(cast: Cast, key: str, value: object, *, show: bool = False) -> None:
    change_board(
        cast.session.pk,
        lambda b: b.set(key, f"About {key}", value, None, show),
        actor=Actor.client("agent"),
    )


def page_of(cast: Cast, user: Any) -> str:
    return signed_in(user).get(reverse("session", args=[cast.session.pk])).content.decode()


def test_every_page_asks_a_visitor_to_sign_in(cast: Cast) -> None:
    for address in (reverse("fleet"), reverse("session", args=[cast.session.pk]), reverse("session-new")):
        assert Client().get(address)["Location"].startswith(reverse("login"))


def test_the_login_page_signs_in_and_returns(cast: Cast) -> None:
    client = Client()
    response = client.post(
        reverse("login") + "?next=/sessions/new/", {"username": "olga", "password": "secret"}
    )
    assert response["Location"] == "/sessions/new/"
    assert client.post(reverse("logout"))["Location"] == reverse("login")


def test_the_fleet_lists_what_a_person_may_see_and_nothing_else(cast: Cast) -> None:
    secret = make_session(make_profile("secret"), title="Secret plans")
    for user, sees in ((cast.member, False), (cast.operator, False), (cast.staff, True)):
        page = signed_in(user).get(reverse("fleet")).content.decode()
        assert cast.session.title in page
        assert (secret.title in page) is sees
    assert cast.session.title not in signed_in(cast.stranger).get(reverse("fleet")).content.decode()


def test_strangers_get_404_for_a_session(cast: Cast) -> None:
    address = reverse("session", args=[cast.session.pk])
    assert signed_in(cast.stranger).get(address).status_code == 404
    for user in (cast.member, cast.operator, cast.staff):
        assert signed_in(user).get(address).status_code == 200


def test_a_card_shows_what_the_agent_shows(cast: Cast) -> None:
    write(cast, "progress", "## Nearly done", show=True)
    page = page_of(cast, cast.member)
    assert "Nearly done</h" in page
    assert "Shown by agent" in page


def test_a_hidden_value_never_reaches_the_page_unless_pinned(cast: Cast) -> None:
    write(cast, "secret_key", "hidden words")
    assert "hidden words" not in page_of(cast, cast.member)
    assert "secret_key" in page_of(cast, cast.member)
    pins.pin(cast.member, cast.profile, "secret_key")
    page = page_of(cast, cast.member)
    assert "hidden words" in page
    assert "Pinned by you" in page
    assert "hidden words" not in page_of(cast, cast.operator)


def test_only_operators_get_the_means_to_act(cast: Cast) -> None:
    write(cast, "progress", "x", show=True)
    send = reverse("message-send", args=[cast.session.pk])
    edit = reverse("entry-edit", args=[cast.session.pk])
    for user, acts in ((cast.operator, True), (cast.staff, True), (cast.member, False)):
        page = page_of(cast, user)
        assert (send in page) is acts
        assert (edit in page) is acts


def test_hostile_text_is_inert_everywhere(cast: Cast) -> None:
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    write(cast, "<b>key", attack, show=True)
    write(cast, "<i>hidden", attack)
    AgentSession.objects.filter(pk=cast.session.pk).update(title=attack, doing=attack)
    turn = Turn.objects.create(session=cast.session, index=1, input=attack, error=attack, status="failed")
    Message.objects.create(
        session=cast.session,
        turn=turn,
        sequence=1,
        item_id="m1",
        role="assistant",
        blocks=[{"type": "output_text", "text": attack}],
        tokens=1,
        revision=1,
    )
    for page in (page_of(cast, cast.operator), signed_in(cast.operator).get("/").content.decode()):
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "<b>key" not in page
        assert "<i>hidden" not in page


def test_pages_carry_a_strict_content_security_policy(cast: Cast) -> None:
    policy = signed_in(cast.member).get("/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_a_new_session_starts_with_its_first_message(cast: Cast) -> None:
    client = signed_in(cast.operator)
    assert client.get(reverse("session-new")).status_code == 200
    data = {"agent": "survey", "title": "Count it", "message": "Please count"}
    response = client.post(reverse("session-new"), data)
    session = AgentSession.objects.get(title="Count it")
    assert response["Location"] == reverse("session", args=[session.pk])
    assert session.turns.get().input == "Please count"
    assert session.user == cast.operator


@pytest.mark.parametrize(
    "data", [{"agent": "survey", "message": ""}, {"agent": "nobody", "message": "hi"}, {}]
)
def test_a_new_session_that_cannot_start_is_explained_and_not_made(cast: Cast, data: dict[str, str]) -> None:
    response = signed_in(cast.operator).post(reverse("session-new"), data)
    assert response.status_code == 400
    assert AgentSession.objects.count() == 1


def test_a_member_cannot_start_a_session(cast: Cast) -> None:
    data = {"agent": "survey", "message": "hi"}
    assert signed_in(cast.member).post(reverse("session-new"), data).status_code == 400
    assert AgentSession.objects.count() == 1


def test_health_needs_no_sign_in() -> None:
    assert Client().get(reverse("healthz")).status_code == 200
    assert Client().get(reverse("readyz")).status_code == 200


def queries(cast: Cast) -> list[str]:
    client, address = signed_in(cast.operator), reverse("session", args=[cast.session.pk])
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def busy(cast: Cast) -> Turn:
    """Fill everything that the page shows, and return the turn."""
    for number in range(20):
        write(cast, f"card-{number}", number, show=True)
    for key in ("card-1", "card-3"):
        pins.pin(cast.operator, cast.profile, key)
    change_board(cast.session.pk, lambda board: board.delete("card-3"), actor=Actor.client("agent"))
    layouts.arrange(cast.operator, cast.profile, ["card-2", "card-1"])
    turn = Turn.objects.create(session=cast.session, index=1, input="x", author=cast.operator)
    call = {"type": "tool_use", "id": "c1", "name": "workspace_delete", "arguments": "{}"}
    for sequence, blocks in enumerate(([{"type": "input_text", "text": "x"}], [call]), start=1):
        message = Message.objects.create(
            session=cast.session,
            turn=turn,
            sequence=sequence,
            item_id=f"m{sequence}",
            role="assistant" if sequence > 1 else "user",
            blocks=blocks,
            tokens=1,
            revision=1,
        )
    ToolApproval.objects.create(turn=turn, message=message, place=0, tool="workspace_delete", arguments="{}")
    Turn.objects.create(session=cast.session, index=2, input="and then?", author=cast.operator)
    return turn


def test_a_session_takes_few_queries_whatever_its_status(cast: Cast) -> None:
    current = busy(cast)
    Turn.objects.filter(pk=current.pk).update(draft=Draft(1, 2).as_json())
    for session, turn in (
        ("running", "running"),
        ("waiting", "waiting"),
        ("failed", "failed"),
        ("idle", "succeeded"),
    ):
        Turn.objects.filter(pk=current.pk).update(status=turn)
        for archived in (None, timezone.now()):
            AgentSession.objects.filter(pk=cast.session.pk).update(status=session, archived_at=archived)
            taken = queries(cast)
            assert len(taken) <= MOST_QUERIES, "\n".join([session, *taken])


def test_a_session_takes_no_more_queries_when_it_is_long(cast: Cast) -> None:
    busy(cast)
    few = queries(cast)
    cast.session.messages.bulk_create(
        Message(
            session=cast.session,
            sequence=number,
            item_id=f"item-{number}",
            role="user",
            blocks=[{"type": "input_text", "text": "x"}],
            tokens=1,
            revision=1,
        )
        for number in range(10, 300)
    )
    assert len(queries(cast)) <= len(few)
