import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from agents import tool
from agents.connectors.base import Done, FinishReason, ModelEvent, ModelRequest
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context.errors import EndingRefused, TurnAborted
from agents.loop.events import ReplyStored, ResultsStored, ToolFinished, ToolStarted, TurnEvent, TurnFinished
from agents.loop.hooks import AfterToolExecution, BeforeToolExecution, Mock, Modify, Skip
from agents.loop.limits import LimitReached, Limits
from agents.loop.tool_calls import NOBODY_TO_ASK, STOPPED_RESULT, ToolCall, ToolFailed
from agents.loop.turn import TurnStopped
from tests.agents.loop.cast import (
    double,
    make_context,
    make_loop,
    play,
    results,
    stop_after,
    unanswered,
)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"number": ', "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("[" * 10_000, "nested too deeply"),
        ('{"number": NaN}', "NaN"),
    ],
)
def test_arguments_that_cannot_be_read_become_a_result_the_model_can_act_on(
    arguments: str, says: str
) -> None:
    context = make_context()
    with ScriptedConnector(call(("c1", "double", arguments)), say("sorry")) as connector:
        events = play(context, connector)
    (finished,) = [event for event in events if isinstance(event, ToolFinished)]
    assert (finished.name, finished.failed, finished.id) == ("double", True, "c1")
    (result,) = results(context)
    assert says in result["content"]
    assert "repeat the call" in result["content"]
    assert events[-1] == TurnFinished("sorry")


class Cut(ScriptedConnector):
    """Has no room for the whole of its first answer."""

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        reason: FinishReason = "stop" if self.requests else "length"
        for event in super().stream(request):
            yield replace(event, finish_reason=reason) if isinstance(event, Done) else event


def test_arguments_of_an_answer_that_was_cut_off_ask_for_less_at_once() -> None:
    context = make_context()
    calls = call(("c1", "double", '{"number": '), ("c2", "double", '{"number": '))
    play(context, Cut(calls, say("sorry")))
    whole, cut = (result["content"] for result in results(context))
    assert "not valid JSON" in whole
    assert "cut off within these arguments" in cut
    assert "with less at once" in cut


def test_absent_arguments_are_an_empty_object() -> None:
    context = make_context()
    play(context, ScriptedConnector(call(("c1", "store_list", "")), say("ok")))
    assert "store" in results(context)[0]["content"]


def test_a_failing_tool_and_an_unknown_tool_give_results_and_the_turn_goes_on() -> None:
    context = make_context()
    reply = call(("c1", "fail", "{}"), ("c2", "no_such_tool", "{}"), ("c3", "double", '{"number":1}'))
    with ScriptedConnector(reply, say("done")) as connector:
        events = play(context, connector)
    assert [event.failed for event in events if isinstance(event, ToolFinished)] == [True, True, False]
    texts = [result["content"] for result in results(context)]
    assert "out of paper" in texts[0]
    assert "no_such_tool" in texts[1]


def test_an_unknown_store_is_answered_with_the_stores_there_are() -> None:
    context = make_context()
    reply = call(("c1", "store_set", '{"store":"blackboard","key":"a","description":"d","value":1}'))
    play(context, ScriptedConnector(reply, say("ok")))
    assert "whiteboard" in results(context)[0]["content"]


def test_events_name_the_call_and_carry_its_result() -> None:
    events = play(make_context(), ScriptedConnector(call(("c1", "double", '{"number":2}')), say("4")))
    assert ToolStarted("double", {"number": 2}, "c1") in events
    assert ToolFinished("double", failed=False, id="c1", result=4) in events


@pytest.mark.trap("W8.7")
def test_a_failing_tool_is_reported_as_failed_everywhere() -> None:
    seen: list[AfterToolExecution] = []
    context = make_context(lifecycle_hooks={"after_tool_execution": seen.append})
    events = play(context, ScriptedConnector(call(("c1", "fail", "{}")), say("sorry")))
    assert [event.failed for event in events if isinstance(event, ToolFinished)] == [True]
    assert [report.failed for report in seen] == [True]
    (result,) = results(context)
    assert result["error"] == "out of paper"


def test_a_tool_that_is_too_slow_is_reported_with_its_time() -> None:
    never = threading.Event()

    @tool(timeout_ms=10)
    def slow() -> str:
        """Never answer."""
        never.wait()
        return "late"

    context = make_context(tools=(slow,))
    play(context, ScriptedConnector(call(("c1", "slow", "{}")), say("sorry")))
    never.set()
    assert results(context)[0]["error"] == 'Tool "slow" gave no answer within 10 ms.'


def test_a_failing_tool_can_end_the_turn() -> None:
    context = make_context()
    reply = call(("c1", "fail", "{}"), ("c2", "double", '{"number":1}'))
    with pytest.raises(ToolFailed, match="The tool fail failed: out of paper") as raised:
        play(context, ScriptedConnector(reply), failure_mode="fail")
    assert raised.value.tool_name == "fail"
    assert not unanswered(context)
    assert results(context)[1]["content"] == STOPPED_RESULT


def test_a_mocked_failure_without_a_reason_ends_the_turn_too() -> None:
    context = make_context(lifecycle_hooks={"before_tool_execution": lambda _: Mock({"success": False})})
    with pytest.raises(ToolFailed, match="The tool double failed: failed"):
        play(context, ScriptedConnector(call(("c1", "double", "{}"))), failure_mode="fail")


@pytest.mark.parametrize("ending", [SystemExit, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("how", [{}, {"parallel": True}, {"timeout_ms": 60_000}])
def test_a_tool_that_raises_what_ends_processes_fails_and_the_turn_goes_on(
    ending: type[BaseException], how: dict[str, Any]
) -> None:
    @tool(**how)
    def leave() -> str:
        """Leave."""
        raise ending

    @tool(**how)
    async def leave_later() -> str:
        """Leave later."""
        raise ending

    context = make_context(tools=(leave, leave_later))
    events = play(
        context, ScriptedConnector(call(("c1", "leave", "{}"), ("c2", "leave_later", "{}")), say("well"))
    )
    assert events[-1] == TurnFinished("well")
    assert all(ending.__name__ in result["error"] for result in results(context))
    assert all('"errorType":"EndingRefused"' in result["content"] for result in results(context))


@pytest.mark.parametrize("name", ["before_tool_execution", "after_tool_execution", "before_context_prepare"])
def test_a_hook_that_raises_what_ends_processes_ends_nothing(name: str) -> None:
    def leave(payload: object) -> None:
        raise SystemExit

    context = make_context(lifecycle_hooks={name: leave})
    reply = call(("c1", "double", '{"number":1}'))
    assert play(context, ScriptedConnector(reply, say("2")))[-1] == TurnFinished("2")


# Stopping


def test_a_stop_between_tools_answers_the_calls_that_were_not_carried_out() -> None:
    context = make_context()
    reply = call(("c1", "double", '{"number":1}'), ("c2", "double", '{"number":2}'))
    with pytest.raises(TurnStopped):
        play(context, ScriptedConnector(reply), check_stop=stop_after(2))
    assert [result["content"] for result in results(context)] == ["2", STOPPED_RESULT]


def test_a_stop_between_tools_is_a_moment_to_checkpoint() -> None:
    events: list[TurnEvent] = []
    loop = make_loop(
        make_context(),
        ScriptedConnector(call(("c1", "double", '{"number":1}'))),
        check_stop=stop_after(1),
    )
    with pytest.raises(TurnStopped):
        events.extend(iter(loop.run()))
    kinds = [type(event) for event in events]
    assert kinds[-2:] == [ReplyStored, ResultsStored]


def test_a_host_that_aborts_the_turn_inside_a_tool_leaves_no_call_unanswered() -> None:
    @tool
    def abort() -> str:
        """Lose the lease."""
        raise TurnAborted("lost")

    context = make_context(tools=(abort, double))
    with pytest.raises(TurnAborted, match="lost"):
        play(context, ScriptedConnector(call(("c1", "abort", "{}"), ("c2", "double", '{"number":1}'))))
    assert not unanswered(context)


# Limits


@pytest.mark.trap("W8.12")
def test_no_tool_call_beyond_the_limit_is_carried_out() -> None:
    ran: list[int] = []

    @tool
    def note(number: int) -> str:
        """Note a number."""
        ran.append(number)
        return "noted"

    context = make_context(tools=(note,))
    reply = call(*((f"c{n}", "note", json.dumps({"number": n})) for n in range(4)))
    with pytest.raises(LimitReached, match="max_tool_calls = 2") as raised:
        play(context, ScriptedConnector(reply), limits=Limits(max_tool_calls=2))
    assert (raised.value.limit, raised.value.most) == ("max_tool_calls", 2)
    assert ran == [0, 1]
    assert [block["content"] for block in results(context)] == ["noted", "noted", *[STOPPED_RESULT] * 2]


def test_exactly_as_many_tool_calls_as_allowed_end_with_an_answer() -> None:
    replies = (call(("c1", "double", '{"number":1}')), call(("c2", "double", '{"number":1}')), say("done"))
    events = play(make_context(), ScriptedConnector(*replies), limits=Limits(max_tool_calls=2))
    assert events[-1] == TurnFinished("done")


def test_a_call_that_cannot_be_read_uses_up_nothing() -> None:
    replies = (call(("c1", "double", "{")), call(("c2", "double", '{"number":1}')), say("done"))
    events = play(make_context(), ScriptedConnector(*replies), limits=Limits(max_tool_calls=1))
    assert events[-1] == TurnFinished("done")


# Hooks


def test_a_hook_before_a_tool_sees_the_call() -> None:
    seen: list[BeforeToolExecution] = []
    context = make_context(agent_id="ada", lifecycle_hooks={"beforeToolExecution": seen.append})
    play(context, ScriptedConnector(call(("c1", "double", '{"number":2}')), say("4")))
    assert seen == [BeforeToolExecution("ada", "c1", "double", {"number": 2})]
    assert results(context)[0]["content"] == "4"


def test_a_hook_can_skip_a_call() -> None:
    context = make_context(lifecycle_hooks={"before_tool_execution": lambda _: Skip("not on Sundays")})
    events = play(context, ScriptedConnector(call(("c1", "double", '{"number":2}')), say("ok")))
    assert [event.failed for event in events if isinstance(event, ToolFinished)] == [True]
    assert results(context)[0]["error"] == "not on Sundays"


def test_a_hook_can_give_the_result_itself() -> None:
    context = make_context(lifecycle_hooks={"before_tool_execution": lambda _: Mock({"mocked": True})})
    events = play(context, ScriptedConnector(call(("c1", "double", '{"number":2}')), say("ok")))
    assert results(context)[0]["content"] == '{"mocked":true}'
    assert [event.failed for event in events if isinstance(event, ToolFinished)] == [False]


def test_a_hook_can_change_the_arguments_and_the_next_hook_sees_them() -> None:
    seen: list[BeforeToolExecution] = []

    async def more(asked: BeforeToolExecution) -> Modify:
        return Modify({"number": 21})

    context = make_context(lifecycle_hooks={"before_tool_execution": [more, seen.append]})
    events = play(context, ScriptedConnector(call(("c1", "double", '{"number":2}')), say("42")))
    assert [asked.arguments for asked in seen] == [{"number": 21}]
    assert results(context)[0]["content"] == "42"
    assert ToolStarted("double", {"number": 21}, "c1") in events


def test_a_hook_after_a_tool_learns_result_and_duration() -> None:
    seen: list[AfterToolExecution] = []
    ticks = iter(range(100))
    context = make_context(agent_id="ada", lifecycle_hooks={"after_tool_execution": seen.append})
    loop = make_loop(context, ScriptedConnector(call(("c1", "double", '{"number":2}')), say("4")))
    loop = make_loop(context, loop.connector, pace=loop.pace.__class__(clock=lambda: float(next(ticks))))
    list(loop.run())
    assert seen == [AfterToolExecution("ada", "c1", "double", {"number": 2}, 4, False, 1000)]


# People


def ask_first(**more: Any) -> Any:
    @tool(permission="ask")
    def delete(name: str) -> str:
        """Delete a file."""
        return f"{name} deleted"

    context = make_context(tools=(delete,))
    play(context, ScriptedConnector(call(("c1", "delete", '{"name":"a"}')), say("ok")), **more)
    return results(context)[0]


def test_a_tool_that_needs_approval_does_not_run_where_nobody_can_give_it() -> None:
    assert ask_first()["error"] == NOBODY_TO_ASK


def test_a_tool_runs_when_a_person_approves_these_arguments() -> None:
    asked: list[ToolCall] = []

    def approve(call: ToolCall) -> str | None:
        asked.append(call)
        return None

    assert ask_first(approve=approve)["content"] == "a deleted"
    assert asked == [ToolCall("c1", "delete", {"name": "a"})]


def test_the_person_may_take_some_time() -> None:
    async def approve(call: ToolCall) -> str | None:
        await asyncio.sleep(0)
        return f"Not {call.name}."

    assert ask_first(approve=approve)["error"] == "Not delete."


def test_a_stop_does_not_wait_for_the_person() -> None:
    asked = threading.Event()

    async def approve(call: ToolCall) -> str | None:
        asked.set()
        await asyncio.Event().wait()
        return None

    def stop_when_asked() -> None:
        if asked.is_set():
            raise TurnStopped

    with pytest.raises(TurnStopped):
        ask_first(approve=approve, check_stop=stop_when_asked)


@pytest.mark.trap("W8.7")
def test_a_person_can_refuse_with_a_reason() -> None:
    assert ask_first(approve=lambda _: "Ana said no.")["error"] == "Ana said no."


async def _leave_later(call: ToolCall) -> str | None:
    raise asyncio.CancelledError


def _leave(call: ToolCall) -> str | None:
    raise SystemExit


@pytest.mark.parametrize("approve", [_leave, _leave_later])
def test_asking_a_person_cannot_end_more_than_the_turn(approve: Any) -> None:
    with pytest.raises(EndingRefused):
        ask_first(approve=approve)


def test_only_the_permission_always_runs_without_asking() -> None:
    # A tool may be changed after it was made.
    double_asked = replace(double)
    double_asked.permission = "Always"  # type: ignore[assignment]
    context = make_context(tools=(double_asked,))
    play(context, ScriptedConnector(call(("c1", "double", '{"number":1}')), say("well")))
    assert results(context)[0]["error"] == NOBODY_TO_ASK
