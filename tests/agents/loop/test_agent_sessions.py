from pathlib import Path
from typing import Any, cast

import pytest

from agents import Agent, AgentContext
from agents.connectors.base import ConnectorError
from agents.connectors.scripted import ScriptedConnector, call, say
from agents.context import FileContextStorage
from agents.context.errors import ExecutionActive, InvalidOption, StorageMissing
from agents.loop.sessions import SessionOptions
from tests.agents.loop.cast import StoppedTime, double, unanswered


def storage(root: Path) -> FileContextStorage:
    return FileContextStorage(agent_id="ada", root=root)


def make_agent(root: Path, *replies: Any, session: dict[str, Any] | None = None, **options: Any) -> Agent:
    return Agent.create(
        model="gpt-4.1",
        connector=ScriptedConnector(*replies),
        session=cast("SessionOptions", {"storage": storage(root)} | (session or {})),
        **options,
    )


def test_a_saved_session_is_loaded_by_another_agent(tmp_path: Path) -> None:
    agent = make_agent(tmp_path, say("Hello Ana"))
    agent.run("I am Ana")
    session_id = agent.save_session(metadata={"title": "Ana"})
    assert agent.session_id == session_id
    assert agent.session_exists(session_id)
    other = make_agent(tmp_path, say("Ana"))
    assert other.session_id is None
    assert other.load_session(session_id)
    assert not other.load_session("ghost")
    assert other.run("Who am I?").turns == 2


def test_a_session_of_that_id_is_loaded_with_the_agent(tmp_path: Path) -> None:
    agent = make_agent(tmp_path, say("Hello"), session={"id": "s1"})
    assert agent.session_id == "s1"
    agent.run("Hi")
    assert agent.save_session() == "s1"
    assert make_agent(tmp_path, session={"id": "s1"}).context.get_conversation_length() == 2


def test_explicit_instructions_win_over_the_saved_prompt(tmp_path: Path) -> None:
    make_agent(tmp_path, instructions="Be brief.").save_session("s1")
    assert make_agent(tmp_path, session={"id": "s1"}).context.system_prompt == "Be brief."
    told = make_agent(tmp_path, session={"id": "s1"}, instructions="Be kind.")
    assert told.context.system_prompt == "Be kind."


def test_nothing_is_saved_by_itself_unless_wanted_and_named(tmp_path: Path) -> None:
    for session in ({"id": "s1"}, {"auto_save": True}):
        make_agent(tmp_path, say("Hello"), session=session).run("Hi")
    assert storage(tmp_path).list() == []


def test_every_run_is_saved_by_itself_once_the_session_has_an_id(tmp_path: Path) -> None:
    agent = make_agent(tmp_path, say("Hello"), say("Again"), session={"auto_save": True})
    agent.run("Hi")
    agent.save_session("s1")
    agent.run("Hi again")
    assert make_agent(tmp_path, session={"id": "s1"}).context.get_conversation_length() == 4


def test_a_failed_run_is_saved_too_and_can_be_continued(tmp_path: Path) -> None:
    session = {"id": "s1", "auto_save": True}
    with pytest.raises(ConnectorError):
        make_agent(tmp_path, ConnectorError("overloaded"), session=session).run("Hi")
    assert make_agent(tmp_path, say("Hello"), session=session).run().text == "Hello"


def test_a_long_run_is_saved_in_between(tmp_path: Path) -> None:
    time = StoppedTime()
    seen: list[int] = []

    def look(_: object) -> list[Any]:
        seen.append(len(storage(tmp_path).list()))
        time.now_s += 20
        return call((f"c{len(seen)}", "double", '{"number":1}'))

    agent = make_agent(
        tmp_path,
        *([look] * 4),
        say("done"),
        session={"id": "s1", "auto_save": True},
        pace=time.pace(),
        tools=[double],
    )
    agent.run("go")
    assert seen == [0, 0, 1, 1]
    assert not unanswered(agent.context)


def test_a_storage_that_fails_does_not_cost_the_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    agent = make_agent(tmp_path, say("Hello"), session={"id": "s1", "auto_save": True})
    (tmp_path / "agents").write_text("in the way")
    assert agent.run("Hi").text == "Hello"
    assert "Saving the session failed" in caplog.messages


def test_a_session_is_not_loaded_into_a_run(tmp_path: Path) -> None:
    agent = make_agent(tmp_path, say("Hello"))
    events = agent.stream("Hi")
    next(events)
    with pytest.raises(ExecutionActive):
        agent.load_session("s1")
    events.close()


def test_a_session_can_be_deleted(tmp_path: Path) -> None:
    agent = make_agent(tmp_path)
    agent.save_session("s1")
    assert agent.delete_session()
    assert not agent.session_exists("s1")


def test_without_storage_nothing_can_be_saved() -> None:
    with pytest.raises(StorageMissing):
        Agent.create(model="gpt-4.1").save_session()


def test_the_storage_of_a_shared_context_serves_its_agents(tmp_path: Path) -> None:
    kept = storage(tmp_path)
    context = AgentContext.create(model="gpt-4.1", storage=kept)
    agent = Agent.create(model="gpt-4.1", context=context, session={"id": "s1", "storage": kept})
    assert agent.save_session() == "s1"
    with pytest.raises(ValueError, match="The storage belongs to the context"):
        Agent.create(model="gpt-4.1", context=context, session={"storage": storage(tmp_path)})


def test_an_empty_text_is_no_session_of_an_agent(tmp_path: Path) -> None:
    agent = make_agent(tmp_path)
    agent.save_session("mine")
    for use in (agent.save_session, agent.load_session, agent.session_exists, agent.delete_session):
        with pytest.raises(InvalidOption, match="session_id is a text that is not empty"):
            use("")
    assert agent.session_exists("mine")
    with pytest.raises(InvalidOption):
        make_agent(tmp_path, session={"id": ""})
