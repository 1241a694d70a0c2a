import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from agents.models import Turn
from agents.sessions import stop_turn, submit_turn
from agents.stops import StopWatch
from tests.rows import make_profile, make_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(ana: User) -> list[Turn]:
    profile = make_profile()
    turns = [submit_turn(make_session(profile), "go", ana) for _ in range(3)]
    Turn.objects.update(status=Turn.Status.RUNNING)
    return turns


def test_a_turn_that_shall_stop_is_known_once_it_was_looked_for(running: list[Turn]) -> None:
    watch = StopWatch()
    with watch.watching(running[0].pk), watch.watching(running[1].pk):
        stop_turn(running[1].session)
        watch.look()
        assert [watch.is_wanted(turn.pk) for turn in running] == [False, True, False]


def test_one_look_serves_all_turns(
    running: list[Turn], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    watch = StopWatch()
    with (
        watch.watching(running[0].pk),
        watch.watching(running[1].pk),
        watch.watching(running[2].pk),
        django_assert_num_queries(1),
    ):
        watch.look()


def test_a_turn_that_ended_is_looked_for_no_more(
    running: list[Turn], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    watch = StopWatch()
    with watch.watching(running[0].pk):
        stop_turn(running[0].session)
        watch.look()
    assert not watch.is_wanted(running[0].pk)
    with django_assert_num_queries(0):
        watch.look()
