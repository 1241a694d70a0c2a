import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

from agents import Agent, AgentContext
from agents.connectors.base import Done, ModelEvent, ModelRequest, TextDelta
from agents.connectors.scripted import call, say
from agents.connectors.stream import BackgroundStream, Emit
from agents.loop.agent import AgentEvent
from agents.loop.events import ToolFinished, ToolStarted, TurnFinished
from tests.agents.loop.cast import make_agent, requests, unanswered


class Silent:
    """A provider that is asked and says nothing until it is let go."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        yield TextDelta("Well, ")
        self.asked.set()
        self.go.wait(10)
        yield Done(say("Well, no."))


def test_a_cancel_ends_the_run_while_the_model_is_silent() -> None:
    silent = Silent()
    agent = Agent.create(model="gpt-4.1", connector=silent)
    threading.Thread(target=lambda: (silent.asked.wait(10), agent.cancel())).start()
    response = agent.run("Hi")
    assert not silent.go.is_set()
    silent.go.set()
    assert (response.status, response.text, response.output) == ("cancelled", "Well, ", ())
    assert agent.run().text == "Well, no."


def test_a_cancel_cancels_the_request_of_a_provider_that_is_silent() -> None:
    asked, cancelled = threading.Event(), threading.Event()

    async def source(emit: Emit) -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    class Provider:
        def stream(self, request: ModelRequest) -> BackgroundStream:
            return BackgroundStream(source)

    agent = Agent.create(model="gpt-4.1", connector=Provider())
    threading.Thread(target=lambda: (asked.wait(10), agent.cancel())).start()
    assert agent.run("Hi").status == "cancelled"
    assert cancelled.wait(10)


def test_a_cancelled_stream_ends_with_what_there_is() -> None:
    agent = make_agent(call(("c1", "double", '{"number":1}'), text="One moment"), say("never"))
    events: list[AgentEvent] = []
    for event in agent.stream("go"):
        events.append(event)
        if isinstance(event, ToolStarted):
            agent.cancel()
    assert events[-1] == TurnFinished("One moment", "cancelled")
    assert [type(event) for event in events if isinstance(event, ToolFinished)] == [ToolFinished]
    assert not unanswered(agent.context)


def test_there_is_nothing_to_cancel_in_an_idle_agent() -> None:
    agent = make_agent(say("Hello"))
    assert not agent.cancel()
    assert agent.run("Hi").status == "completed"


def test_a_paused_agent_waits_between_its_steps() -> None:
    finished = threading.Event()
    agent = make_agent(call(("c1", "double", '{"number":1}')), say("2"))

    def work() -> None:
        for event in agent.stream("go"):
            if isinstance(event, ToolFinished):
                agent.pause()
                paused.set()
        finished.set()

    paused = threading.Event()
    threading.Thread(target=work).start()
    assert paused.wait(10)
    assert agent.is_paused
    assert agent.is_running
    assert len(requests(agent)) == 1
    agent.resume()
    assert finished.wait(10)
    assert len(requests(agent)) == 2


# Sharing


def test_a_shared_context_speaks_with_the_instructions_of_who_runs() -> None:
    context = AgentContext.create(model="gpt-4.1", system_prompt="You are shared.")
    one = make_agent(say("1"), context=context, instructions="You are one.")
    other = make_agent(say("2"), context=context)
    one.run("Hi")
    other.run("Hi")
    assert "You are one." in json.dumps(requests(one)[0].input[0])
    assert "You are shared." in json.dumps(requests(other)[0].input[0])


def test_hooks_of_agents_that_share_a_context_do_not_replace_each_other() -> None:
    seen: list[str] = []
    context = AgentContext.create(
        model="gpt-4.1", lifecycle_hooks={"before_context_prepare": lambda _: seen.append("context")}
    )
    one = make_agent(
        say("1"),
        context=context,
        lifecycle_hooks={"before_context_prepare": lambda _: seen.append("one")},
    )
    make_agent(context=context, lifecycle_hooks={"beforeContextPrepare": lambda _: seen.append("other")})
    one.run("Hi")
    assert seen == ["context", "one", "other"]
    one.set_lifecycle_hooks({"before_context_prepare": lambda _: seen.append("one again")})
    context.prepare()
    assert seen[3:] == ["context", "other", "one again"]


def test_a_shared_context_outlives_its_agents_without_their_hooks() -> None:
    seen: list[object] = []
    context = AgentContext.create(model="gpt-4.1")
    agent = make_agent(context=context, lifecycle_hooks={"before_context_prepare": seen.append})
    agent.destroy()
    assert not context.is_destroyed
    context.prepare()
    assert not seen


def test_an_agents_own_context_goes_with_it() -> None:
    agent = make_agent()
    agent.destroy()
    assert agent.context.is_destroyed


# Rolling over


def talk(agent: Agent, turns: int) -> None:
    for number in range(turns):
        agent.run(f"question {number}: {'why ' * 60}")


def test_the_agents_own_model_sums_up_without_tools_and_without_the_context() -> None:
    agent = make_agent(*(say(f"answer {n}") for n in range(4)), say("They asked why."))
    talk(agent, 4)
    result = agent.rollover_context(preserve_recent_turns=1, reason="hand-off")
    assert result.performed
    assert "They asked why." in json.dumps(agent.context.get_conversation()[0])
    asked = requests(agent)[-1]
    assert len(asked.input) == 1
    assert not asked.tools
    assert "question 0" in json.dumps(asked.input)


def test_a_summarizer_of_the_host_is_asked_instead() -> None:
    agent = make_agent(*(say(f"answer {n}") for n in range(4)))
    talk(agent, 4)
    reasons: list[str] = []

    async def summarize(request: Any) -> str:
        reasons.append(request.reason)
        return "Short."

    assert agent.rollover_context(preserve_recent_turns=1, reason="expiring", summarize=summarize).performed
    assert reasons == ["expiring"]
