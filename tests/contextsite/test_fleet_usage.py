from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from agents.models import ModelCall
from agents.sessions import submit_turn
from contextsite.fleet import fleet_page
from contextsite.fleet_query import FleetQuery
from contextsite.fleet_usage import costs, trends
from tests.people import Cast

pytestmark = pytest.mark.django_db


def call(people: Cast, minutes_ago: float, **columns: object) -> None:
    turn = people.session.turns.first() or submit_turn(people.session, "Do it.", None)
    made = ModelCall.objects.create(
        session=people.session,
        turn=turn,
        ordinal=turn.calls.count() + 1,
        model_asked="openai:gpt-4.1",
        body_size=0,
        estimated_tokens=100,
        **columns,
    )
    started = timezone.now() - timedelta(minutes=minutes_ago)
    ModelCall.objects.filter(pk=made.pk).update(started_at=started)


def test_the_trend_adds_tokens_of_the_last_hour_by_five_minutes(people: Cast) -> None:
    call(people, 1, input_tokens=70, output_tokens=30)
    call(people, 2, input_tokens=100)
    call(people, 30)
    call(people, 61, input_tokens=9_999)
    trend = trends([people.session.pk], timezone.now())[people.session.pk]
    assert trend.tokens == 300
    heights = [float(point.split(",")[1]) for point in trend.points.split()]
    assert len(heights) == 12
    assert heights[-1] == 1.0
    assert sorted(heights)[1] == 10.0


def test_the_cost_is_that_of_all_calls_with_a_price(people: Cast) -> None:
    call(people, 600, cost=Decimal("0.25"))
    call(people, 1, cost=Decimal("0.5"))
    call(people, 1)
    assert costs([people.session.pk]) == {people.session.pk: Decimal("0.75")}
    assert fleet_page(FleetQuery(), people.member).rows[0].cost == Decimal("0.75")


def test_a_session_without_calls_has_no_trend_and_no_cost(people: Cast) -> None:
    (row,) = fleet_page(FleetQuery(), people.member).rows
    assert (row.trend, row.cost) == (None, None)
