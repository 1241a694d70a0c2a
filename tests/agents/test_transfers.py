import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents import runner, session_care, sessions
from agents.connectors.base import Connector, Done, ModelEvent, ModelRequest
from agents.connectors.ownership import owner_of, readable
from agents.connectors.registry import access_of
from agents.connectors.scripted import say
from agents.conversation import conversation_page
from agents.conversation_feed import ConversationPart
from agents.models import AgentSession, Turn
from agents.sessions import NothingToDo
from agents.transfers import confirm_transfer
from tests.agents import scripts
from tests.people import Cast, make_cast, signed_in
from tests.templates.markup import tree

pytestmark = pytest.mark.django_db

OURS = access_of("openai", {"OPENAI_API_KEY": "k"})
OWNER = "openai (api.openai.com)"
THEIRS = "anthropic (api.anthropic.com)"
JSON = {"accept": "application/json"}


class Honest:
    """A connector that reads the history as one of OpenAI does, and thinks as one of Anthropic did."""

    def __init__(self, session: AgentSession) -> None:
        self._may_transfer = session.settings.get("providerTransfer") == owner_of(OURS)
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        items: Any = request.input
        read: Any = readable(items, OURS, drop_foreign=self._may_transfer)
        self.requests.append(ModelRequest(read, request.tools, request.model))
        owner = {"provider": "anthropic", "account": "api.anthropic.com"}
        yield Done(
            [{"type": "reasoning", "id": "r1", "encrypted_content": "c2ln", **owner}, *say("It is done.")]
        )


@pytest.fixture(autouse=True)
def connectors(settings: Any) -> Iterator[None]:
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    yield
    scripts.current.clear()


@pytest.fixture
def cast() -> Cast:
    """Return a session whose second turn met what its provider cannot read."""
    cast = make_cast()
    assert ask(cast, "first").status == Turn.Status.SUCCEEDED
    assert ask(cast, "second").status == Turn.Status.FAILED
    return cast


def connect(cast: Cast) -> Honest:
    cast.session.refresh_from_db()
    honest = Honest(cast.session)
    connector: Connector = honest
    scripts.current["test"] = connector
    return honest


def ask(cast: Cast, text: str) -> Turn:
    connect(cast)
    turn = sessions.submit_turn(cast.session, text, cast.operator)
    runner.run(turn.pk)
    turn.refresh_from_db()
    return turn


def last_turn(cast: Cast) -> Turn:
    return cast.session.turns.latest("index")


def page(cast: Cast, client: Client) -> str:
    return client.get(reverse("session", args=[cast.session.pk])).content.decode()


def test_without_a_confirmation_nothing_is_lost_and_the_turn_says_why(cast: Cast) -> None:
    turn = last_turn(cast)
    assert turn.transfer == {"to": OWNER, "found": [THEIRS], "count": 1}
    assert THEIRS in turn.error
    assert cast.session.messages.count() == 4
    assert "c2ln" in json.dumps([row.blocks for row in cast.session.messages.all()])
    connect(cast)
    runner.run(sessions.retry_turn(cast.session).pk)
    assert last_turn(cast).transfer["count"] == 1


def test_the_page_offers_operators_to_go_on_without_them(cast: Cast) -> None:
    operators = page(cast, signed_in(cast.operator))
    assert f"Continue with {OWNER}; leave out 1 encrypted reasoning item of {THEIRS}" in operators
    assert f'name="to" value="{OWNER}"' in operators
    assert 'form="retry-form"' not in operators
    tree(operators)
    assert "Continue with" not in page(cast, signed_in(cast.member))


def test_a_confirmed_transfer_goes_through_and_is_shown_where_it_happened(cast: Cast) -> None:
    cast.session.refresh_from_db()
    cursor = cast.session.conversation_revision
    answer = signed_in(cast.operator).post(
        reverse("transfer-confirm", args=[cast.session.pk]), {"to": OWNER}, headers=JSON
    )
    assert answer.json() == {"ok": True}
    honest = connect(cast)
    runner.run(last_turn(cast).pk)
    assert last_turn(cast).status == Turn.Status.SUCCEEDED
    assert last_turn(cast).transfer == {}
    asked = json.dumps(honest.requests[0].input)
    assert "It is done." in asked
    assert "c2ln" not in asked
    shown = conversation_page(cast.session).messages
    assert [message.role for message in shown] == ["user", "assistant", "user", "marker", "assistant"]
    assert shown[3].who == f"Continued with {OWNER}"
    update = ConversationPart().read(cast.session, {cursor})[cursor]
    told = json.dumps(update.frame(False))
    assert f"From here on 1 encrypted reasoning item of {THEIRS} left out." in told
    assert cast.session.transfers.get().confirmed_by == cast.operator
    assert "c2ln" in json.dumps([row.blocks for row in cast.session.messages.all()])


def test_a_confirmation_counts_for_the_provider_it_named_alone(cast: Cast) -> None:
    with pytest.raises(NothingToDo, match="Load the page again"):
        confirm_transfer(cast.session, cast.operator, "somebody else")
    confirm_transfer(cast.session, cast.operator, OWNER)
    with pytest.raises(NothingToDo):
        confirm_transfer(cast.session, cast.operator, OWNER)
    cast.session.refresh_from_db()
    assert cast.session.settings["providerTransfer"] == OWNER
    assert cast.session.transfers.count() == 1


def test_only_operators_and_staff_may_confirm(cast: Cast) -> None:
    address = reverse("transfer-confirm", args=[cast.session.pk])
    assert signed_in(cast.stranger).post(address, {"to": OWNER}).status_code == 404
    assert signed_in(cast.member).post(address, {"to": OWNER}).status_code == 403
    assert signed_in(cast.operator).get(address).status_code == 405
    assert signed_in(cast.operator).post(address, {"to": ""}, headers=JSON).status_code == 409
    assert not cast.session.transfers.exists()
    assert signed_in(cast.staff).post(address, {"to": OWNER}).status_code == 303


def test_newer_settings_of_the_agent_keep_the_confirmation(cast: Cast) -> None:
    confirm_transfer(cast.session, cast.operator, OWNER)
    connect(cast)
    runner.run(last_turn(cast).pk)
    session_care.apply_settings(cast.session)
    cast.session.refresh_from_db()
    assert cast.session.settings["providerTransfer"] == OWNER
