"""Turns that are left while a call waits, and taken up again."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from agents import AgentContext, tool
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context.errors import CallSuspended
from agents.context.tools import Tool
from agents.loop.events import (
    ReplyStored,
    ResultsStored,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnSuspended,
    WaitingCall,
)
from agents.loop.hooks import BeforeToolExecution, Modify
from agents.loop.limits import LimitReached, Limits
from agents.loop.suspension import LATER, Later, OpenCalls
from agents.loop.tool_calls import CANNOT_WAIT, NOBODY_TO_ASK, STOPPED_RESULT, ToolCall
from agents.loop.turn import TurnStopped
from tests.agents.loop.cast import make_agent, make_context, play, results, stop_after, unanswered

DAWN = datetime(2030, 1, 1, 6, tzinfo=UTC)


class Diary:
    """Tools that note what they did, and the answers people gave."""

    def __init__(self, **answers: str | Later | None) -> None:
        self.done: list[str] = []
        self.asked: list[ToolCall] = []
        self.answers: Mapping[str, str | Later | None] = answers

    @property
    def tools(self) -> tuple[Tool, ...]:
        def plain(what: str) -> str:
            """Do it."""
            self.done.append(what)
            return f"did {what}"

        def sleep() -> str:
            """Wait for the dawn."""
            self.done.append("sleep")
            raise CallSuspended(DAWN)

        return (
            tool(name="plain")(plain),
            tool(name="beside", parallel=True)(plain),
            tool(name="risky", permission="ask")(plain),
            tool(name="risky_beside", permission="ask", parallel=True)(plain),
            tool(sleep),
        )

    def approve(self, asked: ToolCall) -> str | Later | None:
        self.asked.append(asked)
        return self.answers.get(asked.id, LATER)


def calling(*calls: tuple[str, str]) -> list[Any]:
    """Return a reply that calls tools: (id, name)."""
    return call(*((id_, name, "{}" if name == "sleep" else f'{{"what":"{id_}"}}') for id_, name in calls))


def leave(diary: Diary, reply: Sequence[Any], **options: Any) -> tuple[AgentContext, TurnSuspended]:
    context = make_context(tools=diary.tools)
    events = play(context, ScriptedConnector(reply), can_wait=True, approve=diary.approve, **options)
    suspended = events[-1]
    assert isinstance(suspended, TurnSuspended)
    return context, suspended


def take_up(
    diary: Diary, context: AgentContext, open_calls: OpenCalls, *replies: Any, **options: Any
) -> list[TurnEvent]:
    with ScriptedConnector(*replies) as connector:
        return play(
            context, connector, can_wait=True, approve=diary.approve, open_calls=open_calls, **options
        )


def blocks_of(reply: Sequence[Any]) -> list[Any]:
    return [block for item in reply for block in item["content"]]


def contents(context: AgentContext) -> list[str]:
    return [result["content"] for result in results(context)]


def test_a_call_that_needs_approval_ends_the_run_and_stays_open() -> None:
    diary = Diary()
    context, suspended = leave(diary, calling(("c1", "risky")))
    assert suspended == TurnSuspended([WaitingCall(0, "c1", "risky", {"what": "c1"}, None)], {})
    assert unanswered(context) == {"c1"}
    assert diary.done == []


def test_an_approved_call_is_carried_out_and_the_turn_goes_on() -> None:
    diary = Diary()
    reply = calling(("c1", "risky"))
    context, _ = leave(diary, reply)
    diary.answers = {"c1": None}
    events = take_up(diary, context, OpenCalls(blocks_of(reply)), say("done"))
    assert [type(event) for event in events[:3]] == [ToolStarted, ToolFinished, ResultsStored]
    assert events[-1] == TurnFinished("done")
    assert contents(context) == ["did c1"]


def test_a_denied_call_tells_the_model_why() -> None:
    diary = Diary()
    reply = calling(("c1", "risky"))
    context, _ = leave(diary, reply)
    diary.answers = {"c1": "Not on a Sunday."}
    take_up(diary, context, OpenCalls(blocks_of(reply)), say("I see"))
    assert results(context)[0]["error"] == "Not on a Sunday."
    assert diary.done == []


def test_calls_behind_a_waiting_one_keep_their_order_and_parallel_ones_run_beside_it() -> None:
    diary = Diary()
    reply = calling(("c1", "plain"), ("c2", "risky"), ("c3", "plain"), ("c4", "beside"), ("c5", "risky"))
    context, suspended = leave(diary, reply)
    assert diary.done == ["c1", "c4"]
    assert [each.place for each in suspended.waiting] == [1, 4]
    assert dict(suspended.results) == {0: "did c1", 3: "did c4"}
    diary.answers = {"c2": None, "c5": "no"}
    take_up(diary, context, OpenCalls(blocks_of(reply), suspended.results), say("done"))
    assert diary.done == ["c1", "c4", "c2", "c3"]
    assert contents(context)[:4] == ["did c1", "did c2", "did c3", "did c4"]
    assert [result["tool_use_id"] for result in results(context)] == ["c1", "c2", "c3", "c4", "c5"]


def test_an_answer_alone_lets_run_what_waited_for_it_alone() -> None:
    diary = Diary()
    reply = calling(("c1", "risky"), ("c2", "plain"), ("c3", "risky"), ("c4", "plain"))
    context, first = leave(diary, reply)
    diary.answers = {"c1": None}
    *_, second = take_up(diary, context, OpenCalls(blocks_of(reply), first.results))
    assert isinstance(second, TurnSuspended)
    assert [each.id for each in second.waiting] == ["c3"]
    assert diary.done == ["c1", "c2"]
    diary.answers = {"c3": None}
    take_up(diary, context, OpenCalls(blocks_of(reply), second.results), say("done"))
    assert diary.done == ["c1", "c2", "c3", "c4"]


def test_an_approved_call_still_waits_for_an_earlier_one() -> None:
    diary = Diary(c2=None)
    reply = calling(("c1", "risky"), ("c2", "risky"))
    _, suspended = leave(diary, reply)
    assert [each.id for each in suspended.waiting] == ["c1"]
    assert diary.done == []


def test_a_waiting_parallel_call_holds_up_nobody() -> None:
    diary = Diary()
    _, suspended = leave(diary, calling(("c1", "risky_beside"), ("c2", "plain")))
    assert [each.id for each in suspended.waiting] == ["c1"]
    assert diary.done == ["c2"]


def test_a_call_may_wait_for_a_time() -> None:
    diary = Diary()
    reply = calling(("c1", "sleep"), ("c2", "plain"))
    context, suspended = leave(diary, reply)
    assert suspended.waiting == [WaitingCall(0, "c1", "sleep", {}, DAWN)]
    assert diary.done == ["sleep"]
    still = OpenCalls(blocks_of(reply), sleeping={0: DAWN})
    assert isinstance(take_up(diary, context, still)[-1], TurnSuspended)
    assert diary.done == ["sleep"]
    over = OpenCalls(blocks_of(reply), {0: {"now": "dawn"}})
    assert take_up(diary, context, over, say("done"))[-1] == TurnFinished("done")
    assert diary.done == ["sleep", "c2"]


def test_a_parallel_call_may_wait_for_a_time_too() -> None:
    @tool(parallel=True)
    def nap() -> str:
        """Wait."""
        raise CallSuspended(DAWN)

    context = make_context(tools=(nap,))
    reply = call(("c1", "nap", "{}"), ("c2", "nap", "{}"))
    events = play(context, ScriptedConnector(reply), can_wait=True)
    assert isinstance(events[-1], TurnSuspended)
    assert [each.until for each in events[-1].waiting] == [DAWN, DAWN]


def test_a_stop_of_a_turn_that_waits_answers_every_call() -> None:
    diary = Diary()
    reply = calling(("c1", "plain"), ("c2", "risky"), ("c3", "sleep"))
    context, suspended = leave(diary, reply)
    with pytest.raises(TurnStopped):
        take_up(diary, context, OpenCalls(blocks_of(reply), suspended.results), check_stop=stop_after(0))
    assert contents(context) == ["did c1", STOPPED_RESULT, STOPPED_RESULT]


def test_a_stop_of_a_turn_that_sleeps_is_heard() -> None:
    diary = Diary()
    reply = calling(("c1", "sleep"))
    context, _ = leave(diary, reply)
    with pytest.raises(TurnStopped):
        take_up(diary, context, OpenCalls(blocks_of(reply), sleeping={0: DAWN}), check_stop=stop_after(0))
    assert contents(context) == [STOPPED_RESULT]


def test_the_call_is_shown_as_hooks_left_it() -> None:
    diary = Diary()

    def modify(asked: BeforeToolExecution) -> Modify:
        return Modify({"what": "less"})

    context = make_context(tools=diary.tools, lifecycle_hooks={"before_tool_execution": modify})
    connector = ScriptedConnector(calling(("c1", "risky")))
    *_, suspended = play(context, connector, can_wait=True, approve=diary.approve)
    assert isinstance(suspended, TurnSuspended)
    assert suspended.waiting[0].arguments == {"what": "less"}


def test_a_call_that_waits_is_counted_once() -> None:
    diary = Diary()
    reply = calling(("c1", "risky"), ("c2", "plain"))
    leave(diary, reply, limits=Limits(max_tool_calls=1))
    context, _ = leave(diary, reply)
    diary.answers = {"c1": None}
    with pytest.raises(LimitReached):
        take_up(diary, context, OpenCalls(blocks_of(reply)), limits=Limits(max_tool_calls=1))


def test_where_nothing_can_wait_the_model_is_told_so() -> None:
    diary = Diary()
    context = make_context(tools=diary.tools)
    reply = calling(("c1", "risky"), ("c2", "sleep"))
    events = play(context, ScriptedConnector(reply, say("well")), approve=diary.approve)
    assert [result["error"] for result in results(context)] == [NOBODY_TO_ASK, CANNOT_WAIT]
    assert sum(isinstance(event, ReplyStored) for event in events) == 2


def test_an_agent_without_rows_never_waits() -> None:
    diary = Diary()
    agent = make_agent(calling(("c1", "sleep"), ("c2", "risky")), say("well"), tools=diary.tools)
    assert agent.run("go").text == "well"
    assert [result["error"] for result in results(agent.context)] == [CANNOT_WAIT, NOBODY_TO_ASK]
