import json
from pathlib import Path
from typing import Any

import pytest

from agents.context import AgentContext, FileContextStorage
from agents.context.errors import InvalidOption, InvalidState, SessionIdMissing, StorageMissing
from tests.agents.context.cast import NotePad, StoppedClock, context_of, texts_of, user


def stored_context(root: Path, **options: Any) -> AgentContext:
    return context_of(
        storage=FileContextStorage(agent_id="agent", root=root, clock=StoppedClock()), **options
    )


def session_file(root: Path, session_id: str) -> Path:
    return root / "agents" / "agent" / "sessions" / f"{session_id}.json"


def test_a_saved_session_is_loaded_into_another_context(tmp_path: Path) -> None:
    context = stored_context(tmp_path, features={})
    context.add_user_message("Hello")
    context.add_assistant_response("Hi")
    context.memory.store("k", "d", "v")
    assert context.save("session-001", {"title": "My Session"}) == "session-001"
    assert context.session_id == "session-001"
    other = stored_context(tmp_path, features={})
    assert other.load("session-001")
    assert other.session_id == "session-001"
    assert texts_of(other.get_conversation()) == ["Hello", "Hi"]
    assert other.memory.retrieve("k") == "v"


def test_a_session_saved_without_id_gets_one_and_keeps_it(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    session_id = context.save()
    assert session_id.startswith("1769798400000_")
    assert context.save() == session_id
    assert context.session_exists(session_id)


def test_an_unknown_session_is_not_loaded_and_nothing_changes(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    context.add_user_message("here")
    assert not context.load("ghost")
    assert context.session_id is None
    assert texts_of(context.get_current_input()) == ["here"]


def test_metadata_is_listed_and_stays_through_later_saves(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    context.save("s", {"title": "My Session"})
    context.save()
    context.save(metadata={"tags": ["x"]})
    other = stored_context(tmp_path)
    other.load("s")
    other.save()
    assert other.storage is not None
    [listed] = other.storage.list()
    assert listed["metadata"] == {"title": "My Session", "tags": ["x"]}
    loaded = other.storage.load("s")
    assert loaded is not None
    assert loaded["state"]["metadata"]["title"] == "My Session"
    assert loaded["state"]["metadata"]["model"] == "gpt-4.1"


def test_a_session_is_deleted_by_id_or_as_the_current_one(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    context.save("other")
    context.save("mine")
    assert context.delete_session("other")
    assert context.session_id == "mine"
    assert context.delete_session()
    assert context.session_id is None
    with pytest.raises(SessionIdMissing, match="session id"):
        context.delete_session()


def test_without_storage_every_session_operation_says_so() -> None:
    context = context_of()
    for call in (
        context.save,
        lambda: context.load("s"),
        lambda: context.session_exists("s"),
        context.delete_session,
    ):
        with pytest.raises(StorageMissing, match="No storage"):
            call()


def test_the_history_is_written_from_the_first_save_on_and_complete(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    assert context.journal is not None
    context.add_user_message("one")
    assert context.journal.count("s") == 0
    context.save("s")
    assert context.journal.count("s") == 1
    context.add_assistant_response("two")
    context.add_user_message("three")
    entries = context.journal.read("s")
    assert [(each["type"], each["turnIndex"]) for each in entries] == [
        ("user", 1),
        ("assistant", 1),
        ("user", 2),
    ]


def test_the_history_keeps_only_the_wanted_types(tmp_path: Path) -> None:
    context = stored_context(tmp_path, journal_filter=["assistant"])
    context.add_user_message("one")
    context.add_assistant_response("two")
    context.save("s")
    assert context.journal is not None
    assert [each["type"] for each in context.journal.read("s")] == ["assistant"]


@pytest.mark.trap("W5.10")
def test_a_result_cut_for_the_prompt_is_whole_in_the_history(tmp_path: Path) -> None:
    context = stored_context(tmp_path, max_context_tokens=2_000, response_reserve=100)
    context.add_user_message("look")
    call = [
        {"type": "message", "content": [{"type": "tool_use", "id": "c", "name": "look", "arguments": "{}"}]}
    ]
    context.add_assistant_response(call)
    context.add_tool_results([{"tool_use_id": "c", "content": "word " * 9_200}])
    context.prepare()
    context.save("s")
    assert context.journal is not None
    item: Any = context.journal.read("s")[-1]["item"]
    assert item["content"][0]["content"] == "word " * 9_200
    assert len(str(context.get_current_input())) < 10_000


@pytest.mark.trap("W5.14")
def test_the_turn_counter_goes_on_after_a_load(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    context.add_user_message("one")
    context.add_assistant_response("x")
    context.add_user_message("two")
    context.save("s")
    other = stored_context(tmp_path)
    other.load("s")
    other.add_user_message("three")
    assert other.turn_index == 3
    assert other.journal is not None
    assert [each["turnIndex"] for each in other.journal.read("s")] == [1, 1, 2, 3]


@pytest.mark.trap("W5.14")
def test_the_turn_counter_of_an_older_state_comes_from_the_history(tmp_path: Path) -> None:
    context = stored_context(tmp_path)
    for text in ("one", "two", "three"):
        context.add_user_message(text)
        context.add_assistant_response("x")
    context.save("s")
    path = session_file(tmp_path, "s")
    stored = json.loads(path.read_text())
    del stored["state"]["turnIndex"]
    stored["state"]["conversation"] = stored["state"]["conversation"][-2:]
    path.write_text(json.dumps(stored))
    with path.with_name("s.history.jsonl").open("a") as file:
        file.write('{"turnIndex": ')
    other = stored_context(tmp_path)
    other.load("s")
    assert other.turn_index == 3
    path.with_name("s.history.jsonl").unlink()
    other.load("s")
    assert other.turn_index == 1


def test_entries_held_back_for_another_conversation_are_not_written_into_the_loaded_one(
    tmp_path: Path,
) -> None:
    stored_context(tmp_path).save("s")
    context = stored_context(tmp_path)
    context.add_user_message("belongs elsewhere")
    context.load("s")
    context.save()
    assert context.journal is not None
    assert context.journal.count("s") == 0


def test_a_storage_without_history_is_enough(tmp_path: Path) -> None:
    storage: Any = FileContextStorage(agent_id="agent", root=tmp_path)
    storage.journal = None
    context = context_of(storage=storage)
    context.add_user_message("one")
    context.save("s")
    path = session_file(tmp_path, "s")
    stored = json.loads(path.read_text())
    del stored["state"]["turnIndex"]
    path.write_text(json.dumps(stored))
    assert context.load("s")
    assert context.turn_index == 1


@pytest.mark.trap("W5.13")
def test_a_session_that_cannot_be_restored_changes_nothing(tmp_path: Path) -> None:
    writer = stored_context(tmp_path)
    writer.register_plugin(NotePad("x"))
    writer.save("s")
    path = session_file(tmp_path, "s")
    stored = json.loads(path.read_text())
    stored["state"]["conversation"] = [user("new")]
    stored["state"]["pluginStates"]["note_pad"] = 7
    path.write_text(json.dumps(stored))
    before = path.read_text()
    context = stored_context(tmp_path)
    context.register_plugin(NotePad("mine"))
    context.add_user_message("here")
    with pytest.raises(InvalidState):
        context.load("s")
    assert context.session_id is None
    assert texts_of(context.get_current_input()) == ["here"]
    assert context.get_plugin("note_pad").text == "mine"
    assert path.read_text() == before


def test_handlers_hear_of_saved_and_loaded_sessions(tmp_path: Path) -> None:
    heard: list[object] = []
    context = stored_context(tmp_path)
    context.on("session:saved", heard.append)
    context.on("session:loaded", heard.append)
    context.load("ghost")
    context.save("s")
    context.load("s")
    assert heard == [{"session_id": "s"}, {"session_id": "s"}]


@pytest.mark.parametrize("no_id", ["", 5, b"s"])
def test_what_is_no_id_is_refused_and_the_current_session_stays(tmp_path: Path, no_id: Any) -> None:
    context = stored_context(tmp_path)
    context.save("mine")
    stored = session_file(tmp_path, "mine").read_text()
    context.add_user_message("more")
    for use in (context.save, context.load, context.session_exists, context.delete_session):
        with pytest.raises(InvalidOption, match="session_id is a text that is not empty, not "):
            use(no_id)
    assert context.session_id == "mine"
    assert session_file(tmp_path, "mine").read_text() == stored
