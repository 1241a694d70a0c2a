import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents import AgentContext, tool
from agents.connectors.base import ConnectorError, Done, ModelEvent, ModelRequest, TextDelta
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.loop.events import (
    CallStarted,
    ReplyStored,
    ResultsStored,
    TextStreamed,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
)
from agents.loop.turn import STOPPED_RESULT, Loop, TooManyCalls, TurnStopped


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@tool
def fail() -> str:
    """Always fail."""
    raise ValueError("out of paper")


def make_context(text: str = "go") -> AgentContext:
    context = AgentContext.create(model="gpt-4.1", tools=[double, fail])
    context.add_user_message(text)
    return context


def play(context: AgentContext, connector: ScriptedConnector, **options: Any) -> list[TurnEvent]:
    return list(Loop(context, connector, "gpt-4.1", **options).run())


def results(context: AgentContext) -> list[dict[str, Any]]:
    items: list[Any] = [*context.get_conversation(), *context.get_current_input()]
    return [block for item in items for block in item["content"] if block["type"] == "tool_result"]


def test_an_answer_ends_the_turn() -> None:
    context = make_context()
    with ScriptedConnector(say("Hello")) as connector:
        events = play(context, connector)
    assert [type(event) for event in events] == [CallStarted, TextStreamed, ReplyStored, TurnFinished]
    assert events[-1] == TurnFinished("Hello")
    assert [item["role"] for item in context.get_conversation()] == ["user", "assistant"]  # type: ignore[typeddict-item]


def test_tools_run_in_order_and_their_results_reach_the_model() -> None:
    context = make_context()
    reply = call(("c1", "double", '{"number": 2}'), ("c2", "double", '{"number": 5}'))
    with ScriptedConnector(reply, say("4 and 10")) as connector:
        events = play(context, connector)
    assert [event.name for event in events if isinstance(event, ToolStarted)] == ["double", "double"]
    assert [(r["tool_use_id"], r["content"]) for r in results(context)] == [("c1", "4"), ("c2", "10")]
    asked = json.dumps(connector.requests[1].input)
    assert '"c1"' in asked
    assert '"c2"' in asked


def test_the_request_carries_tools_and_model() -> None:
    connector = ScriptedConnector(say("ok"))
    play(make_context(), connector)
    request = connector.requests[0]
    assert request.model == "gpt-4.1"
    assert {"double", "store_set"} <= {definition["name"] for definition in request.tools}
    assert request.input[0]["role"] == "developer"


def test_the_reply_is_stored_before_its_tools_run() -> None:
    context = make_context()
    kinds = [
        type(e) for e in play(context, ScriptedConnector(call(("c1", "double", '{"number":1}')), say("")))
    ]
    assert kinds.index(ReplyStored) < kinds.index(ToolStarted) < kinds.index(ToolFinished)
    assert kinds.index(ToolFinished) < kinds.index(ResultsStored)


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
    assert ToolFinished("double", failed=True) in events
    (result,) = results(context)
    assert says in result["content"]
    assert "repeat the call" in result["content"]
    assert events[-1] == TurnFinished("sorry")


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


def test_text_that_no_database_takes_is_repaired() -> None:
    context = make_context()
    events = play(context, ScriptedConnector(say("a\x00b\ud800c")))
    assert events[-1] == TurnFinished("a\ufffdb\ufffdc")
    assert TextStreamed("a\ufffdb\ufffdc") in events


def test_the_hook_before_a_call_may_change_what_the_model_sees() -> None:
    context = make_context()
    board = context.get_plugin("in_context_memory")
    connector = ScriptedConnector(say("ok"))
    play(context, connector, before_call=lambda: board.set("mode", "Mode", "quick"))
    assert "quick" in json.dumps(connector.requests[0].input[0])


def stop_after(checks: int) -> Callable[[], None]:
    left = iter(range(checks))

    def check() -> None:
        if next(left, None) is None:
            raise TurnStopped

    return check


def test_a_stop_between_model_calls_asks_no_more() -> None:
    context = make_context()
    connector = ScriptedConnector(call(("c1", "double", '{"number":1}')), say("never"))
    with pytest.raises(TurnStopped):
        play(context, connector, check_stop=stop_after(2))
    assert len(connector.requests) == 1


def test_a_stop_between_tools_answers_the_calls_that_were_not_carried_out() -> None:
    context = make_context()
    reply = call(("c1", "double", '{"number":1}'), ("c2", "double", '{"number":2}'))
    with pytest.raises(TurnStopped):
        play(context, ScriptedConnector(reply), check_stop=stop_after(2))
    assert [result["content"] for result in results(context)] == ["2", STOPPED_RESULT]


def test_a_model_that_never_answers_meets_the_limit() -> None:
    context = make_context()
    again = call(("c", "double", '{"number":1}'))
    with pytest.raises(TooManyCalls, match="3 times"):
        play(context, ScriptedConnector(again, again, again), max_calls=3)


def test_an_answer_that_breaks_off_is_an_error_and_changes_nothing() -> None:
    class Broken:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield TextDelta("half an ans")

    context = make_context()
    with pytest.raises(ConnectorError, match="broke off"):
        list(Loop(context, Broken(), "m").run())
    assert not context.get_conversation()
    assert len(context.get_current_input()) == 1


def test_an_error_of_the_provider_reaches_the_caller() -> None:
    with pytest.raises(ConnectorError, match="overloaded"):
        play(make_context(), ScriptedConnector(ConnectorError("overloaded")))


def test_an_empty_answer_ends_the_turn() -> None:
    class Silent:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            yield Done([])

    assert list(Loop(make_context(), Silent(), "m").run())[-1] == TurnFinished("")
