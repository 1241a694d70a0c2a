import json
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents import tool
from agents.connectors.base import ConnectorError, Done, ModelRequest
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context.errors import TurnAborted
from agents.loop.limits import LimitReached, Limits
from agents.loop.tool_calls import ToolFailed
from agents.loop.turn import TooManyCalls, TurnStopped
from tests.agents.loop.cast import all_items, double, fail, make_context, make_loop, stop_after, unanswered


@tool(parallel=True)
def look(number: int) -> int:
    """Look something up."""
    return number


@tool
def abort() -> str:
    """End the turn."""
    raise TurnAborted("lost")


NAMES = st.sampled_from(["double", "look", "fail", "no_such_tool", "abort"])
ARGUMENTS = st.sampled_from(['{"number": 1}', "{}", "{", ""])
BATCHES = st.lists(st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=4), max_size=4)
ENDS = st.sampled_from([say("done"), say(""), ConnectorError("overloaded")])


def script(batches: list[list[tuple[str, str]]], end: Any) -> list[Any]:
    replies: list[Any] = [
        call(*((f"c{turn}.{place}", name, text) for place, (name, text) in enumerate(batch)))
        for turn, batch in enumerate(batches)
    ]
    return [*replies, end, end, end]


def called_and_answered(items: list[Any]) -> tuple[list[str], list[str]]:
    blocks = [block for item in items for block in item["content"]]
    called = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return called, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]


@settings(max_examples=60, deadline=None)
@given(
    batches=BATCHES,
    end=ENDS,
    looks=st.integers(0, 20),
    read=st.integers(0, 40),
    most=st.integers(1, 6),
    is_strict=st.booleans(),
)
def test_however_a_turn_ends_every_call_has_its_result_in_order_and_the_next_turn_runs(
    batches: list[list[tuple[str, str]]], end: Any, looks: int, read: int, most: int, *, is_strict: bool
) -> None:
    context = make_context(tools=(double, look, fail, abort))
    stream = make_loop(
        context,
        ScriptedConnector(*script(batches, end)),
        check_stop=stop_after(looks),
        limits=Limits(max_tool_calls=most),
        max_calls=3,
        failure_mode="fail" if is_strict else "continue",
    ).run()
    with suppress(
        TurnStopped, TurnAborted, LimitReached, ToolFailed, TooManyCalls, ConnectorError, StopIteration
    ):
        for _ in range(read):
            next(stream)
    stream.close()
    called, answered = called_and_answered(all_items(context))
    assert called == answered
    context.add_user_message("again")
    connector = ScriptedConnector(say("here I am"))
    assert [*make_loop(context, connector).run()][-1].text == "here I am"  # type: ignore[union-attr]
    sent_calls, sent_results = called_and_answered(list(connector.requests[0].input))
    assert sent_calls == sent_results == called
    assert not unanswered(context)


@settings(max_examples=40, deadline=None)
@given(
    numbers=st.lists(st.integers(-1000, 1000), min_size=1, max_size=12),
    is_parallel=st.lists(st.booleans(), min_size=12),
)
def test_results_are_those_of_their_calls_however_they_ran(
    numbers: list[int], is_parallel: list[bool]
) -> None:
    context = make_context(tools=(double, look))
    names = ["look" if parallel else "double" for parallel in is_parallel]
    calls = [
        (str(place), names[place], json.dumps({"number": number})) for place, number in enumerate(numbers)
    ]
    wanted = [str(n if name == "look" else 2 * n) for name, n in zip(names, numbers, strict=False)]

    def check(request: ModelRequest) -> Any:
        results = request.input[-1]["content"]
        assert [block["content"] for block in results] == wanted
        return say("right")

    last = [*make_loop(context, ScriptedConnector(call(*calls), check)).run()][-2]
    assert last.reply == Done(say("right"))  # type: ignore[union-attr]
