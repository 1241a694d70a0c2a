import pytest

from agents.draft_feed import DraftPart
from agents.models import ModelCall, Turn
from agents.sessions import submit_turn
from tests.rows import make_session

pytestmark = pytest.mark.django_db

DRAFT = {"turn": 1, "call": 1, "text": "Hel", "thinking": "", "calls": [], "note": ""}


def test_a_page_that_has_no_draft_gets_it_once() -> None:
    session = make_session()
    turn = submit_turn(session, "hi", None)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.RUNNING, draft=DRAFT)
    update = DraftPart().read(session, {None, "sent"})[None]
    assert update.frame(None) == {"type": "draft", "draft": DRAFT}
    assert DraftPart().read(session, {update.cursor}) == {}


def test_a_draft_of_a_turn_that_is_over_is_not_shown() -> None:
    session = make_session()
    turn = submit_turn(session, "hi", None)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.FAILED, draft=DRAFT)
    assert DraftPart().read(session, {None})[None].frame(None) == {"type": "draft", "draft": None}


def test_a_page_that_opens_while_the_model_is_silent_gets_a_blank_draft() -> None:
    session = make_session()
    turn = submit_turn(session, "hi", None)
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.RUNNING, draft=DRAFT)
    make_call(turn, 1, ModelCall.Status.SUCCEEDED)
    make_call(turn, 2, ModelCall.Status.RUNNING)
    frame = DraftPart().read(session, {None})[None].frame(None)
    assert frame["draft"] == DRAFT | {"call": 2, "text": ""}


def make_call(turn: Turn, ordinal: int, status: ModelCall.Status) -> None:
    ModelCall.objects.create(
        session=turn.session, turn=turn, ordinal=ordinal, status=status, body_size=0, estimated_tokens=0
    )
