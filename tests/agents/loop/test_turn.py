import json
from collections.abc import Iterator

import pytest

from agents.connectors.base import (
    ConnectorError,
    Done,
    ModelEvent,
    ModelRequest,
    RequestSent,
    Retrying,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    Usage,
    Waiting,
)
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context.errors import InputTooLarge
from agents.loop.events import (
    CallStarted,
    ReplyDiscarded,
    ReplyStored,
    ResultsStored,
    TextStreamed,
    ThinkingStreamed,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from agents.loop.hooks import ErrorReport
from agents.loop.limits import Pace
from agents.loop.repeats import MOST_EQUAL_FAILURES
from agents.loop.turn import LIMIT_RESULT, WRAP_UP, SameFailure, TooManyCalls, TurnStopped
from tests.agents.loop.cast import (
    Sending,
    StoppedTime,
    make_context,
    make_loop,
    only,
    play,
    results,
    stop_after,
    unanswered,
)


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
        type(e) for e in play(context, ScriptedConnector(call(("c1", "double", '{"number":1}')), say("ok")))
    ]
    assert kinds.index(ReplyStored) < kinds.index(ToolStarted) < kinds.index(ToolFinished)
    assert kinds.index(ToolFinished) < kinds.index(ResultsStored)


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


def test_while_the_model_is_silent_the_quick_look_for_a_stop_is_taken() -> None:
    class Silent:
        def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
            while True:
                yield Waiting()

    steps: list[int] = []
    pace = Pace(poll_s=0)
    with pytest.raises(TurnStopped):
        play(
            make_context(), Silent(), check_stop=lambda: steps.append(1), watch_stop=stop_after(2), pace=pace
        )
    assert len(steps) == 1


def test_a_stop_between_model_calls_asks_no_more() -> None:
    context = make_context()
    connector = ScriptedConnector(call(("c1", "double", '{"number":1}')), say("never"))
    with pytest.raises(TurnStopped):
        play(context, connector, check_stop=stop_after(2))
    assert len(connector.requests) == 1


def test_a_model_that_asks_for_tools_to_the_end_is_asked_to_answer_without_them() -> None:
    context = make_context()
    again = call(("c", "double", '{"number":1}'))
    with ScriptedConnector(again, again, say("as far as I got")) as connector:
        events = play(context, connector, max_calls=2)
    assert events[-1] == TurnFinished("as far as I got", "limited")
    assert [request.may_call_tools for request in connector.requests] == [True, True, False]
    assert connector.requests[2].tools == connector.requests[0].tools


@pytest.mark.trap("W8.1")
def test_the_last_results_are_kept_when_the_limit_asks_for_an_answer() -> None:
    context = make_context()
    with ScriptedConnector(call(("c1", "double", '{"number":4}')), say("8")) as connector:
        play(context, connector, max_calls=1)
    *_, answered, last = connector.requests[1].input
    assert answered["content"] == [{"type": "tool_result", "tool_use_id": "c1", "content": "8"}]
    assert last["content"] == [{"type": "input_text", "text": WRAP_UP}]
    assert [block["tool_use_id"] for block in results(context)] == ["c1"]
    assert WRAP_UP not in json.dumps(context.get_conversation())
    assert not unanswered(context)


@pytest.mark.trap("W8.2")
def test_an_answer_at_the_last_allowed_call_is_the_answer() -> None:
    context = make_context()
    with ScriptedConnector(call(("c1", "double", '{"number":1}')), say("two")) as connector:
        events = play(context, connector, max_calls=2)
    assert events[-1] == TurnFinished("two")
    assert [event.text for event in events if isinstance(event, TextStreamed)] == ["two"]
    assert len(connector.requests) == 2


def test_calls_made_although_the_limit_was_reached_are_answered_with_a_note() -> None:
    context = make_context()
    again = call(("c2", "double", '{"number":1}'), text="one more")
    events = play(context, ScriptedConnector(call(("c1", "double", '{"number":1}')), again), max_calls=1)
    assert events[-2:] == [ResultsStored(), TurnFinished("one more", "limited")]
    assert results(context)[-1]["content"] == LIMIT_RESULT


def test_a_model_that_never_answers_meets_the_limit() -> None:
    context = make_context()
    again = call(("c", "double", '{"number":1}'))
    with pytest.raises(TooManyCalls, match="2 times"):
        play(context, ScriptedConnector(again, again, again), max_calls=2)
    assert not unanswered(context)


def test_a_model_that_is_stuck_with_the_same_failing_call_is_asked_to_answer_without_tools() -> None:
    context = make_context()
    again = [call((f"c{place}", "fail", "{}")) for place in range(MOST_EQUAL_FAILURES)]
    with ScriptedConnector(*again, say("It is out of paper.")) as connector:
        events = play(context, connector)
    assert events[-1] == TurnFinished("It is out of paper.", "limited")
    assert connector.requests[-1].may_call_tools is False
    assert (
        connector.requests[-1].input[-1]["content"][0]["text"].startswith("The same call has failed 10 times")
    )
    assert not unanswered(context)


def test_a_model_that_stays_stuck_ends_the_turn_with_the_reason() -> None:
    again = [call((f"c{place}", "fail", "{}")) for place in range(MOST_EQUAL_FAILURES + 1)]
    with pytest.raises(
        SameFailure, match=r"10 times, and each time it failed: out of paper\. Change"
    ) as stuck:
        play(make_context(), ScriptedConnector(*again))
    assert stuck.value.limit == 10


def test_failures_between_which_something_else_happens_are_no_loop() -> None:
    fail, other = ("c", "fail", "{}"), ("d", "double", '{"number":1}')
    replies = [call(fail, *([other] * (place % 7 == 6))) for place in range(3 * MOST_EQUAL_FAILURES)]
    with ScriptedConnector(*replies, say("done")) as connector:
        assert play(make_context(), connector)[-1] == TurnFinished("done")


def test_silence_at_the_limit_is_an_empty_answer() -> None:
    again = call(("c", "double", '{"number":1}'))
    events = play(make_context(), ScriptedConnector(again, say(""), say(""), say(" ")), max_calls=1)
    assert events[-1] == TurnFinished(" ", "empty")


def test_an_answer_that_breaks_off_is_an_error_and_changes_nothing() -> None:
    context = make_context()
    with pytest.raises(ConnectorError, match="broke off"):
        play(context, Sending(TextDelta("half an ans")))
    assert not context.get_conversation()
    assert len(context.get_current_input()) == 1


def test_an_error_of_the_provider_reaches_the_caller_and_the_hook() -> None:
    seen: list[ErrorReport] = []
    context = make_context(agent_id="ada", lifecycle_hooks={"onError": seen.append})
    with pytest.raises(ConnectorError, match="overloaded") as raised:
        play(context, ScriptedConnector(ConnectorError("overloaded")))
    assert seen == [ErrorReport("ada", raised.value)]


def test_a_stop_is_no_error() -> None:
    seen: list[ErrorReport] = []
    context = make_context(lifecycle_hooks={"on_error": seen.append})
    with pytest.raises(TurnStopped):
        play(context, ScriptedConnector(), check_stop=stop_after(0))
    assert not seen


def test_an_empty_answer_is_asked_for_again_and_leaves_no_trace() -> None:
    context, time = make_context(), StoppedTime()
    with ScriptedConnector(say(""), say(" \n"), say("at last")) as connector:
        events = play(context, connector, pace=time.pace(poll_s=10))
    assert [event.wait_s for event in events if isinstance(event, ReplyDiscarded)] == [1.5, 2.5]
    assert time.slept == [1.5, 2.5]
    assert [event.number for event in events if isinstance(event, CallStarted)] == [1, 2, 3]
    assert connector.requests[0].input == connector.requests[2].input
    assert len(context.get_conversation()) == 2


def test_three_empty_answers_end_the_turn() -> None:
    context = make_context()
    with ScriptedConnector(say(""), say(""), say("")) as connector:
        events = play(context, connector)
    assert events[-1] == TurnFinished("", "empty")
    assert len(connector.requests) == 3
    assert not context.get_current_input()


def test_calls_of_one_reply_that_share_an_id_each_get_their_result() -> None:
    calls = call(
        ("a", "double", '{"number": 1}'), ("a", "double", '{"number": 2}'), ("a-2", "double", '{"number": 3}')
    )
    with ScriptedConnector(calls, say("done")) as connector:
        play(make_context(), connector)
    blocks = [block for item in connector.requests[1].input for block in item["content"]]
    asked = {block["id"]: block["arguments"] for block in blocks if block["type"] == "tool_use"}
    assert asked == {"a": '{"number": 1}', "a-2": '{"number": 2}', "a-2-2": '{"number": 3}'}
    given = {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}
    assert given == {"a": "2", "a-2": "4", "a-2-2": "6"}


def test_an_answer_that_a_filter_withheld_is_not_asked_for_again() -> None:
    connector = Sending(Done([], finish_reason="content_filter"))
    assert play(make_context(), connector)[-1] == TurnFinished("", "empty")
    assert len(connector.requests) == 1


def test_an_empty_answer_known_to_be_final_is_not_asked_for_again() -> None:
    connector = Sending(Done([], is_final=True))
    assert play(make_context(), connector)[-1] == TurnFinished("", "empty")
    assert len(connector.requests) == 1


def test_a_stop_ends_the_wait_before_the_next_try() -> None:
    time = StoppedTime()
    with pytest.raises(TurnStopped):
        play(make_context(), ScriptedConnector(say("")), pace=time.pace(), check_stop=stop_after(2))
    assert len(time.slept) == 2


def test_an_answer_cut_off_by_the_provider_says_so() -> None:
    cut = Done(say("and the winner"), finish_reason="length")
    assert play(make_context(), Sending(cut))[-1] == TurnFinished("and the winner", "cut_off")


def test_everything_that_streams_in_is_passed_on_except_waiting() -> None:
    sent, retrying = RequestSent(b"{}"), Retrying("overloaded", 1.0)
    started, arguments = ToolCallStarted("c", "double"), ToolArgumentsDelta("c", "{}")
    done = only("hm")
    events = play(
        make_context(),
        Sending(sent, retrying, Waiting(), ThinkingDelta("a\x00"), started, arguments, TextDelta("hm"), done),
    )
    streamed = [retrying, ThinkingStreamed("a\ufffd"), started, arguments, TextStreamed("hm")]
    assert events == [CallStarted(1), sent, *streamed, ReplyStored(done), TurnFinished("hm")]


def test_what_the_provider_counted_calibrates_the_context() -> None:
    context = make_context()
    play(context, Sending(Done(say("ok"), Usage(input_tokens=5000))))
    assert context.calibration.ratio > 1


def test_a_wrong_count_of_the_provider_spoils_no_answer() -> None:
    context = make_context()
    events = play(context, Sending(Done(say("ok"), Usage(input_tokens=-1))))
    assert events[-1] == TurnFinished("ok")
    assert context.calibration.ratio == 1.0


def test_the_request_can_be_noted_right_before_it_is_made() -> None:
    noted: list[object] = []
    connector = ScriptedConnector(say("ok"))
    play(make_context(), connector, before_request=noted.append, settings={"temperature": 0.2})
    assert noted == connector.requests
    assert connector.requests[0].settings == {"temperature": 0.2}


@pytest.mark.trap("W8.5")
def test_what_is_said_while_tools_run_joins_their_results() -> None:
    context = make_context()
    inbox = iter([[], ["and in euros?"]])
    with ScriptedConnector(call(("c1", "double", '{"number":3}')), say("6, 5.50 in euros")) as connector:
        play(context, connector, inbox=lambda: next(inbox, []))
    *_, answered, said = connector.requests[1].input
    assert answered["content"][0]["content"] == "6"
    assert said["content"][0]["text"] == "and in euros?"


def test_what_is_said_while_the_model_answers_is_answered_too() -> None:
    context = make_context()
    inbox = iter([[], ["one more thing"], []])
    with ScriptedConnector(say("first"), say("second")) as connector:
        events = play(context, connector, inbox=lambda: next(inbox, []))
    assert [event for event in events if isinstance(event, TurnFinished)] == [TurnFinished("second")]
    roles = [item["role"] for item in connector.requests[1].input]
    assert roles == ["developer", "user", "assistant", "user"]


def test_at_the_limit_what_is_said_waits_for_the_next_turn() -> None:
    asked: list[int] = []

    def inbox() -> list[str]:
        asked.append(1)
        return []

    play(make_context(), ScriptedConnector(say("done")), inbox=inbox, max_calls=1)
    assert len(asked) == 1


@pytest.mark.trap("W8.14")
def test_after_a_failure_the_same_input_can_be_answered() -> None:
    context = make_context("what is twice four?")
    replies = (call(("c1", "double", '{"number":4}')), ConnectorError("connection lost"), say("8"))
    with ScriptedConnector(*replies) as connector:
        with pytest.raises(ConnectorError):
            play(context, connector)
        assert not unanswered(context)
        assert play(context, connector)[-1] == TurnFinished("8")
    assert [block["content"] for block in results(context)] == ["8"]


@pytest.mark.trap("W8.4")
def test_a_consumer_that_leaves_after_any_event_leaves_no_call_unanswered() -> None:
    reply = call(("c1", "double", '{"number":1}'), ("c2", "double", '{"number":2}'))
    for events_read in range(1, 11):
        context = make_context()
        stream = make_loop(context, ScriptedConnector(reply, say("done"))).run()
        for _ in range(events_read):
            next(stream)
        stream.close()
        assert not unanswered(context), events_read


def test_leaving_a_turn_whose_context_is_gone_is_quiet() -> None:
    context = make_context()
    stream = make_loop(context, ScriptedConnector(call(("c1", "double", "{}")))).run()
    assert isinstance([next(stream) for _ in range(3)][-1], ReplyStored)
    context.destroy()
    stream.close()


def test_input_that_is_too_large_is_refused_before_the_model_is_asked() -> None:
    context = make_context("word " * 9000, max_context_tokens=12_000)
    connector = ScriptedConnector()
    with pytest.raises(InputTooLarge):
        play(context, connector)
    assert not connector.requests
