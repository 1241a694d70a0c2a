import json
import threading
from typing import Any

import pytest

from agents import Agent, AgentContext, tool
from agents.connectors.base import (
    ConnectorError,
    Done,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
    Usage,
)
from agents.connectors.scripted import call, say
from agents.context.errors import ExecutionActive, InputTooLarge, InvalidItem, InvalidOption
from agents.loop.events import TextStreamed, ThinkingStreamed, TurnFinished
from agents.loop.hooks import Skip
from agents.loop.limits import LimitReached, Limits
from agents.loop.options import KINDS, AgentOptions
from agents.loop.tool_calls import ToolFailed
from tests.agents.loop.cast import Sending, double, fail, make_agent, requests, results, unanswered

# Creation


def test_an_agent_always_has_a_context_and_shares_its_tools() -> None:
    agent = make_agent()
    assert agent.has_context()
    assert agent.tools is agent.context.tools
    assert agent.model == agent.context.model == "gpt-4.1"
    assert {"double", "store_set"} <= set(agent.tools.list())


def test_names_and_instructions_reach_the_context() -> None:
    agent = make_agent(name="ada", user_id="u1", instructions="Be brief.")
    context = agent.context
    assert (agent.name, context.agent_id, context.user_id) == ("ada", "ada", "u1")
    assert context.system_prompt == "Be brief."


def test_a_nameless_agent_is_called_like_its_context() -> None:
    agent = make_agent()
    assert agent.name == agent.context.agent_id


def test_the_context_can_be_described_by_its_keywords() -> None:
    agent = make_agent(
        name="ada",
        instructions="Be brief.",
        context={
            "model": "gpt-4o",
            "agent_id": "a1",
            "system_prompt": "Be long.",
            "tools": [fail],
            "features": {"workingMemory": False},
        },
        tools=(double,),
    )
    context = agent.context
    assert (agent.name, context.agent_id) == ("ada", "a1")
    assert (context.model, context.max_context_tokens) == ("gpt-4o", 128_000)
    assert context.system_prompt == "Be brief."
    assert not context.features.working_memory
    assert {"fail", "double"} <= set(agent.tools.list())


@pytest.mark.parametrize(
    ("options", "fault", "says"),
    [
        ({}, TypeError, "needs `model`"),
        ({"model": "gpt-4.1", "colour": 1}, TypeError, "does not know colour"),
        (
            {"model": "gpt-4.1", "max_iterations": 0},
            ValueError,
            "max_iterations is a whole number of at least 1",
        ),
        ({"model": 5}, ValueError, "model is the name of a model, such as openai:gpt-4.1, not 5"),
        ({"model": "gpt-4.1", "connector": 3}, ValueError, "connector is the name of a provider, or"),
        ({"model": "gpt-4.1", "tools": "fail"}, ValueError, "tools is a list of tools, not 'fail'"),
        ({"model": "gpt-4.1", "context": 3}, ValueError, "context is an AgentContext, or keywords of one"),
        ({"model": "gpt-4.1", "lifecycle_hooks": [print]}, ValueError, "lifecycle_hooks is a mapping"),
        ({"model": "gpt-4.1", "tool_failure_mode": "panic"}, ValueError, "one of continue, fail"),
        ({"model": "gpt-4.1", "limits": 3}, ValueError, "limits is Limits, or a mapping of them, not 3"),
        ({"model": "gpt-4.1", "limits": {"money": 1}}, ValueError, "There is no limit money; there are max_"),
        ({"model": "gpt-4.1", "limits": {"max_tokens": "9"}}, ValueError, "max_tokens is a whole number of"),
        ({"model": "gpt-4.1", "pace": 0.5}, ValueError, "pace is a Pace, not 0.5"),
        ({"model": "gpt-4.1", "lifecycle_hooks": {"lunch": print}}, ValueError, "Unknown hook 'lunch'"),
    ],
)
def test_wrong_keywords_are_refused(options: Any, fault: type[Exception], says: str) -> None:
    with pytest.raises(fault, match=says):
        Agent.create(**options)


def test_every_keyword_has_its_kind() -> None:
    assert KINDS.keys() == AgentOptions.__annotations__.keys()


def test_creation_needs_no_key_and_the_first_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    agent = Agent.create(connector="openai", model="gpt-4.1")
    assert agent.model == "openai:gpt-4.1"
    assert agent.context.max_context_tokens == 1_047_576
    with pytest.raises(ConnectorError, match="OPENAI_API_KEY"):
        agent.run("Hi")


# Running


def test_a_run_gives_the_answer_and_what_it_took() -> None:
    agent = make_agent(connector=Sending(Done(say("Hello"), Usage(100, 5, cached_tokens=40))))
    response = agent.run("Hi")
    assert (response.text, response.status, response.turns) == ("Hello", "completed", 1)
    assert response.output == say("Hello")
    assert response.usage == Usage(100, 5, cached_tokens=40)
    assert agent.run("Again").turns == 2


def test_a_stream_begins_when_it_is_read_and_ends_with_the_answer() -> None:
    reply: list[ModelEvent] = [ThinkingDelta("Let me see"), TextDelta("4"), TextDelta("2"), Done(say("42"))]
    agent = make_agent(connector=Sending(*reply))
    stream = agent.stream("What is the answer?")
    assert not agent.context.get_current_input()
    events = list(stream)
    assert [e.text for e in events if isinstance(e, TextStreamed)] == ["4", "2"]
    assert [e.text for e in events if isinstance(e, ThinkingStreamed)] == ["Let me see"]
    assert events[-1] == TurnFinished("42")


def play(agent: Agent, *, is_streaming: bool) -> None:
    if is_streaming:
        list(agent.stream("go"))
    else:
        agent.run("go")


@pytest.mark.trap("W8.3")
@pytest.mark.parametrize("is_streaming", [False, True])
def test_hooks_limits_and_injection_hold_for_run_and_stream_alike(is_streaming: bool) -> None:
    double_call = call(("c1", "double", '{"number":2}'))
    skipping = make_agent(
        double_call, say("ok"), lifecycle_hooks={"beforeToolExecution": lambda _: Skip("no")}
    )
    play(skipping, is_streaming=is_streaming)
    assert results(skipping.context)[0]["error"] == "no"

    limited = make_agent(double_call, double_call, limits={"max_tool_calls": 1})
    with pytest.raises(LimitReached):
        play(limited, is_streaming=is_streaming)

    changing = make_agent(say("ok"))
    board = changing.context.get_plugin("in_context_memory")
    changing.set_lifecycle_hooks({"before_context_prepare": lambda _: board.set("mode", "Mode", "quick")})
    play(changing, is_streaming=is_streaming)
    assert "quick" in json.dumps(requests(changing)[0].input[0])

    def speak(_: object) -> None:
        spoken.inject("and twice that?")

    spoken = make_agent(double_call, say("4, 8"), lifecycle_hooks={"after_tool_execution": speak})
    play(spoken, is_streaming=is_streaming)
    assert "and twice that?" in json.dumps(requests(spoken)[1].input[-1])


@pytest.mark.trap("W8.6")
def test_a_result_that_arrives_late_joins_the_pending_results() -> None:
    arrived = threading.Event()

    @tool
    def order() -> str:
        """Order something whose result comes later."""

        def deliver() -> None:
            agent.inject("Order 7 has arrived.")
            arrived.set()

        threading.Thread(target=deliver).start()
        assert arrived.wait(10)
        return "ordered"

    agent = make_agent(call(("c1", "order", "{}")), say("It is here."), tools=(order,))
    assert agent.run("Order it").text == "It is here."
    *_, answered, late = requests(agent)[1].input
    assert answered["content"][0]["content"] == "ordered"
    assert late["content"][0]["text"] == "Order 7 has arrived."


def test_what_is_injected_into_an_idle_agent_comes_before_the_next_input() -> None:
    agent = make_agent(say("ok"))
    agent.inject("It is Sunday.")
    agent.run("What day is it?")
    said = [item["content"][0]["text"] for item in requests(agent)[0].input[1:]]
    assert said == ["It is Sunday.", "What day is it?"]


@pytest.mark.trap("W8.8")
def test_instructions_are_sent_once() -> None:
    agent = make_agent(say("ok"), instructions="You are a careful librarian.")
    agent.run("Hi")
    (request,) = requests(agent)
    sent = json.dumps([list(request.input), list(request.tools), dict(request.settings)])
    assert sent.count("You are a careful librarian.") == 1


@pytest.mark.trap("W8.9")
def test_other_tools_leave_those_of_stores_and_plugins_alone() -> None:
    agent = make_agent(tools=(double,))
    before = set(agent.tools.list())
    agent.set_tools([fail])
    assert set(agent.tools.list()) == before - {"double"} | {"fail"}


@pytest.mark.trap("W8.10")
def test_an_agent_runs_only_while_it_runs() -> None:
    seen: list[bool] = []

    @tool
    def look() -> str:
        """Look whether the agent runs."""
        seen.append(agent.is_running)
        return "seen"

    agent = make_agent(call(("c1", "look", "{}")), say("ok"), ConnectorError("lost"), tools=(look,))
    assert not agent.is_running
    agent.run("go")
    assert seen == [True]
    assert not agent.is_running
    with pytest.raises(ConnectorError):
        agent.run("again")
    assert not agent.is_running


@pytest.mark.trap("W8.11")
def test_two_runs_on_one_context_never_mix() -> None:
    context = AgentContext.create(model="gpt-4.1")
    one, other = make_agent(say("one"), context=context), make_agent(say("other"), context=context)
    stream = one.stream("first")
    next(stream)
    with pytest.raises(ExecutionActive):
        other.run("second")
    with pytest.raises(ExecutionActive):
        one.run("third")
    assert list(stream)[-1] == TurnFinished("one")
    assert other.run("second").text == "other"
    assert len(context.get_conversation()) == 4


@pytest.mark.trap("W8.13")
def test_another_model_brings_its_window_and_is_asked_from_the_next_run_on() -> None:
    agent = make_agent(say("one"), say("two"))
    agent.run("Hi")
    agent.set_model("gpt-4o")
    assert (agent.model, agent.context.max_context_tokens) == ("gpt-4o", 128_000)
    agent.run("Again")
    assert [request.model for request in requests(agent)] == ["gpt-4.1", "gpt-4o"]


def test_another_model_stays_with_the_named_provider_unless_it_names_one() -> None:
    agent = Agent.create(connector="openai-responses", model="gpt-4.1")
    agent.set_model("gpt-4o")
    assert agent.model == "openai-responses:gpt-4o"
    agent.set_model("anthropic:claude-sonnet-4-5")
    assert agent.model == "anthropic:claude-sonnet-4-5"
    agent.set_model("gpt-4.1", "openai")
    assert agent.model == "openai:gpt-4.1"


# Failing


@pytest.mark.trap("W8.14")
def test_a_failed_run_is_repeated_by_running_without_input() -> None:
    agent = make_agent(call(("c1", "double", '{"number":4}')), ConnectorError("overloaded"), say("8"))
    with pytest.raises(ConnectorError):
        agent.run("What is twice four?")
    assert not unanswered(agent.context)
    response = agent.run()
    assert (response.text, response.turns) == ("8", 1)


@pytest.mark.trap("W8.14")
def test_tidying_up_that_fails_does_not_cost_the_answer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    agent = make_agent(say("The answer"))

    def break_down() -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(agent.context, "consolidate", break_down)
    assert agent.run("Hi").text == "The answer"
    assert "Consolidation failed" in caplog.messages


@pytest.mark.trap("W8.14")
def test_input_that_is_too_large_does_not_stand_in_the_way_of_the_next() -> None:
    agent = make_agent(say("Hello"), context={"max_context_tokens": 12_000})
    with pytest.raises(InputTooLarge):
        agent.run("word " * 9_000)
    assert agent.run("Hi").text == "Hello"
    assert len(agent.context.get_conversation()) == 2


def test_a_run_needs_something_to_answer() -> None:
    with pytest.raises(ValueError, match="give the agent an input"):
        make_agent().run()


def test_a_failing_tool_can_end_the_run() -> None:
    agent = make_agent(call(("c1", "fail", "{}")), say("never mind"), tool_failure_mode="fail")
    with pytest.raises(ToolFailed):
        agent.run("go")
    assert agent.run().text == "never mind"


def test_limits_and_settings_are_passed_on() -> None:
    replies = (call(("c1", "double", '{"number":1}')), say("as far as I got"))
    agent = make_agent(
        *replies, max_iterations=1, limits=Limits(max_tool_calls=1), settings={"temperature": 0.1}
    )
    assert agent.run("go").status == "limited"
    assert requests(agent)[0].settings == {"temperature": 0.1}


def test_a_tool_that_needs_approval_asks_the_host() -> None:
    @tool(permission="ask")
    def delete() -> str:
        """Delete everything."""
        return "deleted"

    allowed = make_agent(call(("c1", "delete", "{}")), say("done"), tools=(delete,), approve=lambda _: None)
    allowed.run("go")
    assert results(allowed.context)[0]["content"] == "deleted"
    unasked = make_agent(call(("c1", "delete", "{}")), say("done"), tools=(delete,))
    unasked.run("go")
    assert "needs a person's approval" in results(unasked.context)[0]["error"]


@pytest.mark.parametrize("text", ["", "  ", "a\x00b"])
def test_what_cannot_be_said_is_refused_where_it_is_injected(text: str) -> None:
    agent = make_agent(say("Hello."))
    with pytest.raises(InvalidItem):
        agent.inject(text)
    assert agent.run("hi").text == "Hello."


def test_other_tools_and_another_model_are_checked_before_anything_changes() -> None:
    agent = make_agent(say("well"))
    with pytest.raises(InvalidOption, match="tools is"):
        agent.set_tools(5)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="model is"):
        agent.set_model(5)  # type: ignore[arg-type]
    assert agent.tools.has("double")
    assert agent.run("go").text == "well"


@pytest.mark.parametrize("output", [5, None, ["text"]])
def test_a_connector_whose_answer_is_none_ends_the_run_with_a_clear_error(output: Any) -> None:
    agent = make_agent(connector=Sending(Done(output)))
    with pytest.raises(ConnectorError, match="no list of output items"):
        agent.run("go")
    assert agent.context.get_current_input()


def test_a_connector_that_streams_nothing_readable_ends_the_run_with_a_clear_error() -> None:
    class Odd:
        def stream(self, request: object) -> Any:
            return 5

    with pytest.raises(ConnectorError, match="streams int, not events"):
        make_agent(connector=Odd()).run("go")
