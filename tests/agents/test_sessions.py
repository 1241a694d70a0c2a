from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.utils import timezone
from kombu.exceptions import OperationalError

from agents import bus, leases, queue, sessions
from agents.context.messages import ImageURL, InputImage
from agents.models import AgentSession, Turn
from agents.refusals import RefusedInput
from tests.agents.test_leases import ended_process
from tests.rows import make_profile, make_session

pytestmark = pytest.mark.django_db

Status = Turn.Status


@pytest.fixture
def pokes(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    poked: list[UUID] = []
    monkeypatch.setattr(queue, "poke_turn", poked.append)
    return poked


@pytest.fixture
def session() -> AgentSession:
    return make_session()


def end(turn: Turn, status: Status) -> None:
    Turn.objects.filter(pk=turn.pk).update(status=status)


def test_a_session_freezes_the_settings_of_its_profile() -> None:
    profile = make_profile(whiteboard_max_entries=7)
    session = make_session(profile)
    profile.whiteboard_max_entries = 9
    profile.save()
    session.refresh_from_db()
    assert session.settings["whiteboard"]["maxEntries"] == 7


def test_a_title_is_one_clean_line() -> None:
    session = make_session(title="  A\nlong\x00 " + "title " * 50)
    assert session.title.startswith("A long\ufffd title")
    assert len(session.title) <= 200


def test_a_session_without_title_is_named_after_its_agent() -> None:
    assert make_session(title=" ").title == "New session of Survey"


def test_submitting_queues_a_turn_and_pokes_after_the_commit(
    session: AgentSession, ana: User, pokes: list[UUID], django_capture_on_commit_callbacks: Any
) -> None:
    watched: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus, "poke_session", lambda _, revision: watched.append(revision))
        with django_capture_on_commit_callbacks(execute=True):
            turn = sessions.submit_turn(session, "hello", ana)
            assert pokes == []
    session.refresh_from_db()
    assert (turn.index, turn.status, turn.input, turn.author) == (1, "queued", "hello", ana)
    assert (session.status, session.revision, session.conversation_revision) == ("queued", 1, 1)
    assert pokes == [turn.pk]
    assert watched == [1]


def test_turns_are_numbered_in_order(session: AgentSession, ana: User) -> None:
    assert [sessions.submit_turn(session, text, ana).index for text in ("a", "b", "c")] == [1, 2, 3]


def test_a_repeated_submit_with_the_same_key_makes_one_turn(session: AgentSession, ana: User) -> None:
    first = sessions.submit_turn(session, "hello", ana, idempotency_key="k1")
    again = sessions.submit_turn(session, "hello", ana, idempotency_key="k1")
    assert first == again
    assert session.turns.count() == 1


def test_a_key_that_was_used_for_another_message_is_refused(session: AgentSession, ana: User) -> None:
    sessions.submit_turn(session, "hello", ana, idempotency_key="k1")
    url: ImageURL = {"url": "data:image/webp;base64,AAAA"}
    image = InputImage(type="input_image_url", image_url=url)
    for text, images in (("goodbye", []), ("hello", [image])):
        with pytest.raises(RefusedInput, match="used for another message"):
            sessions.submit_turn(session, text, ana, images=images, idempotency_key="k1")
    assert session.turns.count() == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("\u200b\u3164", "empty"),
        ("x" * 200_001, "at most 200,000"),
        ("nul\x00", "NUL"),
        ("half\ud800", "surrogate"),
    ],
)
def test_a_message_that_cannot_be_taken_is_refused_with_the_remedy(
    session: AgentSession, ana: User, text: str, says: str
) -> None:
    with pytest.raises(RefusedInput, match=says):
        sessions.submit_turn(session, text, ana)
    assert session.turns.count() == 0


def test_a_refused_first_message_leaves_no_session(ana: User) -> None:
    with pytest.raises(RefusedInput):
        sessions.start_with_message(make_profile(), ana, "title", "")
    assert AgentSession.objects.count() == 0


def test_stopping_a_queued_turn_cancels_it(session: AgentSession, ana: User) -> None:
    sessions.submit_turn(session, "hello", ana)
    turn = sessions.stop_turn(session)
    session.refresh_from_db()
    assert (turn.status, session.status) == ("cancelled", "idle")


def test_stopping_a_running_turn_asks_it_to_end(session: AgentSession, ana: User) -> None:
    end(sessions.submit_turn(session, "hello", ana), Status.RUNNING)
    turn = sessions.stop_turn(session)
    assert (turn.status, turn.cancel_requested) == ("running", True)


def test_stopping_an_idle_session_says_there_is_nothing(session: AgentSession) -> None:
    with pytest.raises(sessions.NothingToDo, match="not working"):
        sessions.stop_turn(session)


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANCELLED])
def test_a_failed_or_stopped_turn_can_be_retried(session: AgentSession, ana: User, status: Status) -> None:
    turn = sessions.submit_turn(session, "hello", ana)
    Turn.objects.filter(pk=turn.pk).update(
        status=status, error="boom", attempts=3, cancel_requested=True, finished_at=timezone.now()
    )
    again = sessions.retry_turn(session)
    again.refresh_from_db()
    assert again.pk == turn.pk
    assert (again.status, again.error, again.attempts, again.cancel_requested) == ("queued", "", 0, False)
    assert again.finished_at is None


def test_a_turn_that_did_not_fail_cannot_be_retried(session: AgentSession, ana: User) -> None:
    with pytest.raises(sessions.NothingToDo):
        sessions.retry_turn(session)
    end(sessions.submit_turn(session, "hello", ana), Status.SUCCEEDED)
    with pytest.raises(sessions.NothingToDo, match="did not fail"):
        sessions.retry_turn(session)


def test_the_sweep_wakes_a_turn_whose_worker_died(
    session: AgentSession, ana: User, pokes: list[UUID]
) -> None:
    turn = sessions.submit_turn(session, "hello", ana)
    end(turn, Status.RUNNING)
    leases.claim(session.pk, "worker")
    Turn.objects.update(poked_at=timezone.now() - timedelta(minutes=1))
    assert sessions.wake_stalled_turns() == 0
    AgentSession.objects.filter(pk=session.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert sessions.wake_stalled_turns() == 1
    assert pokes == [turn.pk]


def test_the_sweep_wakes_a_queued_turn_only_after_a_while(
    session: AgentSession, ana: User, pokes: list[UUID]
) -> None:
    turn = sessions.submit_turn(session, "hello", ana)
    sessions.submit_turn(session, "second", ana)
    assert sessions.wake_stalled_turns() == 0
    long_ago = timezone.now() - timedelta(minutes=1)
    Turn.objects.update(poked_at=long_ago)
    assert sessions.wake_stalled_turns() == 1
    assert sessions.wake_stalled_turns() == 0
    assert pokes == [turn.pk]


def test_the_sweep_wakes_few_turns_at_a_time_the_oldest_first(
    session: AgentSession, ana: User, pokes: list[UUID]
) -> None:
    others = [make_session(session.profile) for _ in range(sessions.MOST_WOKEN + 3)]
    turns = [sessions.submit_turn(each, "hello", ana) for each in others]
    for age, turn in enumerate(turns):
        Turn.objects.filter(pk=turn.pk).update(poked_at=timezone.now() - timedelta(minutes=99 - age))
    assert sessions.wake_stalled_turns() == sessions.MOST_WOKEN
    assert pokes == [turn.pk for turn in turns[: sessions.MOST_WOKEN]]
    assert sessions.wake_stalled_turns() == 3


def test_a_start_wakes_every_unfinished_turn(session: AgentSession, ana: User, pokes: list[UUID]) -> None:
    turns = [sessions.submit_turn(session, text, ana) for text in ("a", "b", "c")]
    end(turns[0], Status.RUNNING)
    end(turns[1], Status.SUCCEEDED)
    assert sessions.wake_all_turns() == 2
    assert pokes == [turns[0].pk, turns[2].pk]


def test_the_turns_of_a_dead_worker_of_this_machine_are_woken_when_another_starts(
    session: AgentSession, ana: User, pokes: list[UUID]
) -> None:
    turn, _ = (sessions.submit_turn(session, text, ana) for text in ("a", "b"))
    other = make_session(session.profile)
    kept = sessions.submit_turn(other, "c", ana)
    for each, owner in (
        (turn, f"{leases.owner_name().split(':')[0]}:{ended_process()}:1"),
        (kept, "elsewhere"),
    ):
        end(each, Status.RUNNING)
        leases.claim(each.session_id, owner)
    assert sessions.wake_orphaned_turns() == 1
    assert pokes == [turn.pk]
    assert leases.claim(session.pk, "next") is not None


def test_a_failed_last_turn_makes_the_session_failed_until_it_is_retried(
    session: AgentSession, ana: User
) -> None:
    end(sessions.submit_turn(session, "hello", ana), Status.FAILED)
    assert sessions.status_of(session) == AgentSession.Status.FAILED
    sessions.retry_turn(session)
    session.refresh_from_db()
    assert session.status == "queued"


def test_a_broker_that_is_down_loses_nothing(session: AgentSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object, **__: object) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", down)
    queue.poke_turn(session.pk)
