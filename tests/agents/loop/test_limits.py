import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.connectors.base import Done, Usage
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.loop.limits import LimitReached, Limits, Meter, Pace
from agents.loop.turn import TurnStopped
from tests.agents.loop.cast import Sending, StoppedTime, make_context, play, stop_after, unanswered


@pytest.mark.parametrize("name", ["max_tool_calls", "max_time_ms", "max_tokens"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is a whole number of at least 1"):
        Limits(**{name: 0})


@given(most=st.integers(1, 50), wanted=st.integers(0, 60))
def test_a_limit_lets_through_exactly_what_it_says(most: int, wanted: int) -> None:
    meter = Meter(Limits(max_tool_calls=most), Pace())
    done = 0
    try:
        for _ in range(wanted):
            meter.count_tool_call()
            done += 1
    except LimitReached:
        assert wanted > most
    assert done == min(most, wanted)


@pytest.mark.trap("W8.12")
def test_the_time_is_up_when_it_is_reached() -> None:
    time = StoppedTime()
    meter = Meter(Limits(max_time_ms=1500), time.pace())
    time.now_s += 1.499
    meter.check()
    time.now_s += 0.001
    with pytest.raises(LimitReached, match="max_time_ms = 1,500"):
        meter.check_time()


def test_a_turn_out_of_time_ends_between_its_tools_and_answers_the_calls() -> None:
    time = StoppedTime()
    context = make_context(lifecycle_hooks={"after_tool_execution": lambda _: time.sleep(2)})
    reply = call(("c1", "double", '{"number":1}'), ("c2", "double", '{"number":1}'))
    with pytest.raises(LimitReached, match="max_time_ms"):
        play(context, ScriptedConnector(reply), pace=time.pace(), limits=Limits(max_time_ms=1000))
    assert not unanswered(context)


@pytest.mark.trap("W8.12")
def test_tokens_are_counted_as_the_provider_counts_them() -> None:
    reply = Done(call(("c1", "double", '{"number":1}')), Usage(input_tokens=600, output_tokens=400))
    connector = Sending(reply)
    with pytest.raises(LimitReached, match="max_tokens = 2,000"):
        play(make_context(), connector, limits=Limits(max_tokens=2000))
    assert len(connector.requests) == 2


def test_tokens_are_counted_here_where_the_provider_says_nothing() -> None:
    context = make_context()
    connector = ScriptedConnector(call(("c1", "double", '{"number":1}')), say("never"))
    used = context.calculate_budget().total_used
    with pytest.raises(LimitReached):
        play(context, connector, limits=Limits(max_tokens=used + 5))
    assert len(connector.requests) == 1


def test_a_turn_within_its_limits_answers() -> None:
    connector = ScriptedConnector(call(("c1", "double", '{"number":1}')), say("2"))
    roomy = Limits(max_tool_calls=1, max_time_ms=60_000, max_tokens=1_000_000)
    assert play(make_context(), connector, limits=roomy)[-1].text == "2"  # type: ignore[union-attr]


@given(jitter=st.floats(0, 1))
def test_waits_grow_and_stay_between_one_and_five_seconds(jitter: float) -> None:
    first, second = Pace(jitter=lambda: jitter).waits()
    assert 1 <= first < second <= 5


def test_a_rest_is_slept_in_pieces_that_can_be_broken_off() -> None:
    time = StoppedTime()
    time.pace(poll_s=1).rest(2.5, lambda: None)
    assert time.slept == [1, 1, 0.5]
    with pytest.raises(TurnStopped):
        time.pace(poll_s=1).rest(2.5, stop_after(1))
    assert time.slept[3:] == [1, 1]
