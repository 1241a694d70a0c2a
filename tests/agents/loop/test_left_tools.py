import asyncio
import threading

import pytest

from agents import tool
from agents.connectors.scripted import ScriptedConnector, call
from agents.loop.limits import LimitReached, Limits, Pace
from agents.loop.tool_calls import STOPPED_RESULT, UNKNOWN_RESULT
from agents.loop.turn import TurnStopped
from tests.agents.loop.cast import (
    double,
    make_context,
    play,
    results,
    stop_after,
)


@tool
async def hang() -> str:
    """Hang."""
    await asyncio.Event().wait()
    return "never"


@tool(timeout_ms=3_600_000)
def hang_apart() -> str:
    """Hang on a thread of its own."""
    threading.Event().wait()
    return "never"


@pytest.mark.parametrize("name", ["hang", "hang_apart"])
def test_a_stop_leaves_a_tool_that_hangs(name: str) -> None:
    context = make_context(tools=(double, hang, hang_apart))
    reply = call(("c1", "double", '{"number":2}'), ("c2", name, "{}"), ("c3", "double", '{"number":3}'))
    with pytest.raises(TurnStopped):
        play(context, ScriptedConnector(reply), pace=Pace(poll_s=0.001), watch_stop=stop_after(3))
    done, unknown, not_done = (result["content"] for result in results(context))
    assert (done, unknown, not_done) == ("4", UNKNOWN_RESULT, STOPPED_RESULT)


def test_a_limit_of_time_ends_a_tool_that_hangs() -> None:
    context = make_context(tools=(hang,))
    reply = call(("c1", "hang", "{}"))
    with pytest.raises(LimitReached):
        play(context, ScriptedConnector(reply), pace=Pace(poll_s=0.001), limits=Limits(max_time_ms=50))
    assert [result["content"] for result in results(context)] == [UNKNOWN_RESULT]
