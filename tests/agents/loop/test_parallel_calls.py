import json
import threading
from typing import Any

import pytest

from agents import tool
from agents.connectors.base import Connector
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context.errors import TurnAborted
from agents.loop.events import ToolFinished
from agents.loop.tool_calls import STOPPED_RESULT, UNKNOWN_RESULT
from agents.loop.turn import TurnStopped
from tests.agents.loop.cast import StoppedTime, double, make_context, play, results, stop_after, unanswered


class Meeting:
    """Parallel tools that wait for each other: they end only when they really run side by side."""

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties, timeout=10)
        self.threads: list[int] = []
        self.meet = tool(name="meet", parallel=True)(self._meet)

    def _meet(self, name: str) -> str:
        """Wait for the others."""
        self.threads.append(threading.get_ident())
        self.barrier.wait()
        return f"{name} met"


def meet(*names: str) -> list[tuple[str, str, str]]:
    return [(name, "meet", json.dumps({"name": name})) for name in names]


def test_calls_of_parallel_tools_run_side_by_side_with_results_in_order() -> None:
    meeting = Meeting(3)
    context = make_context(tools=(meeting.meet,))
    events = play(context, ScriptedConnector(call(*meet("c", "a", "b")), say("done")))
    assert [block["content"] for block in results(context)] == ["c met", "a met", "b met"]
    assert len(set(meeting.threads)) == 3
    assert {event.id for event in events if isinstance(event, ToolFinished)} == {"a", "b", "c"}


def test_other_tools_run_meanwhile_in_order_on_the_thread_of_the_turn() -> None:
    meeting = Meeting(2)
    order: list[tuple[str, int]] = []

    @tool
    def write(name: str) -> str:
        """Write, and let the parallel call go on with the last one."""
        order.append((name, threading.get_ident()))
        if name == "second":
            meeting.barrier.wait()
        return "written"

    context = make_context(tools=(meeting.meet, write))
    calls = [*meet("a"), *((n, "write", json.dumps({"name": n})) for n in ("first", "second"))]
    play(context, ScriptedConnector(call(*calls), say("done")))
    here = threading.get_ident()
    assert order == [("first", here), ("second", here)]
    assert here not in meeting.threads
    assert [block["tool_use_id"] for block in results(context)] == ["a", "first", "second"]


def test_a_single_call_needs_no_other_thread() -> None:
    meeting = Meeting(1)
    play(make_context(tools=(meeting.meet,)), ScriptedConnector(call(*meet("a")), say("done")))
    assert meeting.threads == [threading.get_ident()]


def test_a_thread_is_tidied_up_after_each_parallel_call() -> None:
    meeting = Meeting(2)
    tidied: list[int] = []
    play(
        make_context(tools=(meeting.meet,)),
        ScriptedConnector(call(*meet("a", "b")), say("done")),
        after_parallel=lambda: tidied.append(threading.get_ident()),
    )
    assert sorted(tidied) == sorted(meeting.threads)


class Gate:
    """A parallel tool that begins, says so, and waits to be let through."""

    def __init__(self) -> None:
        self.begun, self.open = threading.Event(), threading.Event()
        self.gate = tool(name="gate", parallel=True)(self._pass)

    def _pass(self) -> str:
        """Wait at the gate."""
        self.begun.set()
        self.open.wait(10)
        return "through"

    def stop_when_begun(self) -> None:
        if self.begun.is_set():
            raise TurnStopped


def stop_at_gate(gate: Gate, connector: Connector, **options: Any) -> list[dict[str, Any]]:
    context = make_context(tools=(gate.gate, double))
    with pytest.raises(TurnStopped):
        play(context, connector, **options)
    gate.open.set()
    assert not unanswered(context)
    return results(context)


def test_a_stop_does_not_wait_for_parallel_calls_and_says_that_their_outcome_is_unknown() -> None:
    gate = Gate()
    connector = ScriptedConnector(call(("c1", "gate", "{}"), ("c2", "double", '{"number":1}')))
    stopped = stop_at_gate(gate, connector, check_stop=gate.stop_when_begun)
    assert stopped[0]["content"] == UNKNOWN_RESULT


def test_a_stop_keeps_the_result_of_a_parallel_call_that_is_done() -> None:
    gate = Gate()
    gate.open.set()
    connector = ScriptedConnector(call(("c1", "gate", "{}"), ("c2", "double", '{"number":1}')))
    # The fourth look comes when the parallel call is done, and before its result is taken.
    patient = StoppedTime().pace(poll_s=60)
    stopped = stop_at_gate(gate, connector, check_stop=stop_after(3), pace=patient)
    assert [block["content"] for block in stopped] == ["through", "2"]


def test_a_parallel_call_that_was_not_begun_is_not_carried_out_after_a_stop() -> None:
    gate = Gate()
    calls = [(f"c{number}", "gate", "{}") for number in range(9)]
    stopped = stop_at_gate(gate, ScriptedConnector(call(*calls)), check_stop=gate.stop_when_begun)
    assert stopped[-1]["content"] == STOPPED_RESULT


def test_an_abort_in_a_parallel_tool_ends_the_turn() -> None:
    @tool(parallel=True)
    def abort() -> str:
        """Lose the lease."""
        raise TurnAborted("lost")

    context = make_context(tools=(abort, double))
    with pytest.raises(TurnAborted, match="lost"):
        play(context, ScriptedConnector(call(("c1", "abort", "{}"), ("c2", "double", '{"number":1}'))))
    assert [block["content"] for block in results(context)] == [UNKNOWN_RESULT, "2"]
