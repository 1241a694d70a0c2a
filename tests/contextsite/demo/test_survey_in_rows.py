import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from agents import runner, sessions
from agents.connectors.base import Connector, ModelEvent, ModelRequest
from agents.models import AgentSession, Turn
from contextsite.demo.accounts import survey_profile
from contextsite.demo.survey import SurveyConnector
from memory.actors import Actor
from memory.bindings import change_board, open_board, whiteboard_of
from memory.models import EntryRevision
from tests.agents import scripts
from tests.contextsite.demo.odd_folder import files_by_find
from tests.rows import make_person

pytestmark = pytest.mark.django_db


class Interrupted:
    """The survey's model; what a test has to do happens before a given call of it, as people do it."""

    def __init__(self, acts: dict[int, Callable[[], object]]) -> None:
        self.calls = 0
        self._acts = acts

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        self.calls += 1
        # The request was prepared already: what is done now is unknown to the model.
        self._acts.get(self.calls, lambda: None)()
        return SurveyConnector(lambda: None).stream(request)


@pytest.fixture(autouse=True)
def folder(odd_folder: Path, settings: Settings) -> Iterator[Path]:
    settings.DEMO_PATH = odd_folder
    settings.AGENT_CONNECTORS = {"scripted": "tests.agents.scripts.connector"}
    yield odd_folder
    scripts.current.clear()


@pytest.fixture
def olga(db: None) -> User:
    return make_person("olga")


@pytest.fixture
def session(olga: User) -> AgentSession:
    return sessions.start_with_message(survey_profile(), olga, "Survey", "Survey the folder")


def survey(session: AgentSession, **acts: Callable[[], object]) -> Interrupted:
    """Run the session's next turn; ``before_3=act`` acts right before the third call of the model."""
    numbered = {int(name.removeprefix("before_")): act for name, act in acts.items()}
    connector = Interrupted(numbered)
    used: Connector = connector
    scripts.current["survey"] = used
    turn = session.turns.filter(status__in=Turn.UNFINISHED).order_by("index").first()
    assert turn is not None
    runner.run(turn.pk)
    session.refresh_from_db()
    return connector


def edit(session: AgentSession, user: User, key: str, value: object) -> None:
    change_board(session.pk, lambda board: board.set(key, "edited by hand", value), actor=Actor.person(user))


def value(session: AgentSession, key: str) -> Any:
    return open_board(session).get(key)


def last_answer(session: AgentSession) -> str:
    message = session.messages.order_by("-sequence")[:1].get()
    return str(message.blocks[0]["text"])


def test_a_worker_surveys_the_folder_and_the_rows_hold_its_numbers(
    session: AgentSession, folder: Path
) -> None:
    survey(session)
    assert session.status == "idle"
    assert value(session, "counters")["files"] == len(files_by_find(folder))
    assert "I surveyed `folder`" in last_answer(session)
    assert session.messages.filter(blocks__contains='"read_file"').exists()


def test_every_change_of_its_cards_is_in_the_history(session: AgentSession) -> None:
    survey(session)
    progress = whiteboard_of(session.pk).revisions.filter(key="progress").order_by("revision")
    assert progress.count() > 8
    assert set(progress.values_list("actor_name", flat=True)) == {"agent"}


def test_an_operator_stops_it_by_editing_the_abort_card(session: AgentSession, olga: User) -> None:
    connector = survey(session, before_4=lambda: edit(session, olga, "abort", True))
    # Call 4 did not see it, call 5 obeys and tidies up, call 6 answers.
    assert connector.calls == 6
    assert "because the abort flag" in last_answer(session)
    assert "**Stopped**" in value(session, "progress")
    assert session.status == "idle"


def test_an_operator_makes_it_quick_by_editing_the_mode_card(session: AgentSession, olga: User) -> None:
    survey(session, before_3=lambda: edit(session, olga, "mode", "quick"))
    assert "Mode: **quick**" in value(session, "progress")
    assert not session.messages.filter(blocks__contains='"read_file"').exists()


def test_a_card_that_an_operator_edits_meanwhile_is_not_overwritten_unseen(
    session: AgentSession, olga: User
) -> None:
    survey(session, before_5=lambda: edit(session, olga, "progress", "mine"))
    refused = [
        json.loads(block["content"])
        for message in session.messages.filter(role="user")
        for block in message.blocks
        if block["type"] == "tool_result" and '"conflict"' in block["content"]
    ]
    assert [(each["key"], each["current"]["value"]) for each in refused] == [("progress", "mine")]
    assert "**Done**" in value(session, "progress")
    actors = EntryRevision.objects.filter(key="progress", store=whiteboard_of(session.pk)).order_by(
        "revision"
    )
    assert "olga" in list(actors.values_list("actor_name", flat=True))


def test_operators_may_delete_any_card_while_it_works(
    session: AgentSession, olga: User, folder: Path
) -> None:
    def delete_all() -> None:
        for entry in open_board(session).entries():
            change_board(
                session.pk,
                lambda board, key=entry.key: board.delete(key),  # type: ignore[misc]
                actor=Actor.person(olga),
                action=EntryRevision.Action.DELETE,
            )

    survey(session, before_6=delete_all)
    assert value(session, "counters")["files"] == len(files_by_find(folder))


def test_a_worker_that_dies_is_followed_by_one_that_ends_the_survey(
    session: AgentSession, folder: Path
) -> None:
    class Death(KeyboardInterrupt):
        """Ends a worker in the middle of everything."""

    def die() -> None:
        raise Death

    with pytest.raises(Death):
        survey(session, before_5=die)
    AgentSession.objects.filter(pk=session.pk).update(lease_owner="", lease_until=None)
    survey(session)
    assert session.turns.get().status == Turn.Status.SUCCEEDED
    assert value(session, "counters")["files"] == len(files_by_find(folder))


def test_a_second_wish_surveys_again(session: AgentSession, olga: User) -> None:
    survey(session)
    sessions.submit_turn(session, "How many .py files?", olga)
    survey(session)
    assert "Of type `.py` it has 4 files" in last_answer(session)
    sessions.submit_turn(session, "again", olga)
    survey(session)
    assert "I surveyed" in last_answer(session)
