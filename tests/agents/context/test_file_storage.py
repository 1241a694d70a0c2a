import json
import threading
from pathlib import Path
from typing import Any

import pytest

from agents.context import FileContextStorage, file_storage
from agents.context.errors import InvalidOption, NewerState, StorageUnusable
from agents.context.storage import ContextState
from tests.agents.context.cast import StoppedClock, user


def state_of(text: str = "hi", **more: Any) -> ContextState:
    base: Any = {"conversation": [user(text)], "pluginStates": {}, "metadata": {}}
    state: ContextState = base | more
    return state


def storage_of(root: Path, agent_id: str = "my-agent") -> tuple[FileContextStorage, StoppedClock]:
    clock = StoppedClock()
    return FileContextStorage(agent_id=agent_id, root=root, clock=clock), clock


def path_of(root: Path, session_id: str = "s") -> Path:
    return root / "agents" / "my-agent" / "sessions" / f"{session_id}.json"


def test_a_session_is_one_file_of_its_agent(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("session-001", state_of(), {"title": "My Session"})
    assert json.loads(path_of(tmp_path, "session-001").read_text()) == {
        "version": 1,
        "sessionId": "session-001",
        "createdAt": "2026-01-30T18:40:00.000Z",
        "lastSavedAt": "2026-01-30T18:40:00.000Z",
        "state": {"conversation": [user("hi")], "pluginStates": {}, "metadata": {}},
        "metadata": {"title": "My Session"},
    }


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    assert storage.load("s") is None
    assert not storage.exists("s")
    storage.save("s", state_of("Grüße 😀"))
    assert storage.exists("s")
    loaded = storage.load("s")
    assert loaded is not None
    assert loaded["state"] == state_of("Grüße 😀")
    assert loaded["metadata"] == {}


def test_the_time_of_creation_stays(tmp_path: Path) -> None:
    storage, clock = storage_of(tmp_path)
    storage.save("s", state_of())
    clock.advance(61_007)
    storage.save("s", state_of("again"))
    loaded = storage.load("s")
    assert loaded is not None
    assert (loaded["createdAt"], loaded["lastSavedAt"]) == (
        "2026-01-30T18:40:00.000Z",
        "2026-01-30T18:41:01.007Z",
    )


def test_the_home_folder_is_the_default_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXTSITE_HOME", str(tmp_path))
    FileContextStorage(agent_id="my-agent").save("s", state_of())
    assert path_of(tmp_path).exists()


def test_agents_do_not_see_each_others_sessions(tmp_path: Path) -> None:
    mine, _ = storage_of(tmp_path, "one")
    other, _ = storage_of(tmp_path, "../one")
    mine.save("s", state_of())
    assert not other.exists("s")
    assert other.list() == []
    other.save("../../s", state_of())
    assert len(list(tmp_path.rglob("*.json"))) == 2
    assert list(tmp_path.parent.glob("*.json")) == []


def test_deleting_takes_the_history_along(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of())
    storage.journal.append("s", [{"timestamp": 1, "type": "user", "item": user("hi"), "turnIndex": 1}])
    assert storage.delete("s")
    assert not storage.delete("s")
    assert storage.load("s") is None
    assert storage.journal.count("s") == 0


def test_sessions_are_listed_last_saved_first_with_their_metadata(tmp_path: Path) -> None:
    storage, clock = storage_of(tmp_path)
    for number in range(3):
        storage.save(f"s{number}", state_of(), {"title": f"T{number}"})
        clock.advance(1_000)
    storage.save("s0", state_of(), {"title": "again"})
    listed = storage.list()
    assert [each["sessionId"] for each in listed] == ["s0", "s2", "s1"]
    assert [each["metadata"]["title"] for each in listed] == ["again", "T2", "T1"]
    assert [each["sessionId"] for each in storage.list({"limit": 1, "offset": 1})] == ["s2"]


def test_an_empty_folder_lists_nothing_and_stays_absent(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    assert storage.list() == []
    assert list(tmp_path.iterdir()) == []


def test_the_index_saves_reading_what_has_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s1", state_of())
    storage.save("s2", state_of())
    storage.list()
    read: list[str] = []
    original = storage._read

    def reading(path: Path) -> Any:
        read.append(path.name)
        return original(path)

    monkeypatch.setattr(storage, "_read", reading)
    storage.list()
    assert read == []
    path_of(tmp_path, "s1").write_text(path_of(tmp_path, "s1").read_text() + " ")
    storage.list()
    assert read == ["s1.json"]
    read.clear()
    storage.rebuild_index()
    assert sorted(read) == ["s1.json", "s2.json"]


def test_a_session_deleted_meanwhile_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s1", state_of())
    gone = path_of(tmp_path, "gone")
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([gone, path_of(tmp_path, "s1")]))
    assert [each["sessionId"] for each in storage.list()] == ["s1"]


@pytest.mark.trap("W5.16")
@pytest.mark.parametrize("index", ["{broken", "[]", '{"files": 3}', '{"files": {"s.json": 1}}', ""])
def test_a_broken_index_disturbs_neither_saving_nor_listing(tmp_path: Path, index: str) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of())
    path_of(tmp_path, "_index").write_text(index)
    storage.save("t", state_of())
    assert {each["sessionId"] for each in storage.list()} == {"s", "t"}


@pytest.mark.trap("W5.16")
def test_saves_at_the_same_time_leave_one_whole_session(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    failures: list[BaseException] = []

    def save(number: int) -> None:
        try:
            for _ in range(10):
                storage.save("s", state_of(str(number) * 1_000))
                storage.list()
        except OSError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    assert storage.load("s") is not None
    assert [each["sessionId"] for each in storage.list()] == ["s"]
    assert sorted(each.name for each in path_of(tmp_path).parent.iterdir()) == ["_index.json", "s.json"]


def test_a_session_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of())
    newer = json.loads(path_of(tmp_path).read_text()) | {"version": 2}
    path_of(tmp_path).write_text(json.dumps(newer))
    for use in (storage.load, lambda name: storage.save(name, state_of())):
        with pytest.raises(NewerState, match="version 2; this version reads up to 1"):
            use("s")
    assert json.loads(path_of(tmp_path).read_text()) == newer


def test_a_session_of_the_typescript_library_is_read(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    wrapper = {
        "version": 1,
        "sessionId": "s",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "lastSavedAt": "2026-01-02T00:00:00.000Z",
        "state": {
            "conversation": [user("hi")],
            "pluginStates": {"working_memory": {"version": 1, "entries": [{"key": "k"}]}},
            "metadata": {"savedAt": 1, "agentId": "my-agent", "model": "gpt-4.1", "title": "My Session"},
        },
    }
    path_of(tmp_path).parent.mkdir(parents=True)
    path_of(tmp_path).write_text(json.dumps(wrapper))
    loaded = storage.load("s")
    assert loaded is not None
    assert loaded["metadata"] == {}
    [listed] = storage.list()
    assert (listed["messageCount"], listed["memoryEntryCount"]) == (1, 1)
    assert listed["metadata"] == {"title": "My Session"}


def test_a_value_as_deep_as_values_may_be_is_saved(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of(pluginStates={"in_context_memory": {"entries": [{"value": deep}]}}))
    assert storage.load("s") is not None


def test_a_list_needs_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of())

    def refuse(path: Path, text: str) -> None:
        raise StorageUnusable(path.parent, "Read-only file system")

    monkeypatch.setattr(file_storage, "write_atomically", refuse)
    assert [each["sessionId"] for each in storage.list()] == ["s"]


def test_a_folder_in_the_place_of_a_session_is_none(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    path_of(tmp_path, "odd").mkdir(parents=True)
    assert not storage.exists("odd")
    assert storage.load("odd") is None
    assert not storage.delete("odd")
    with pytest.raises(StorageUnusable):
        storage.save("odd", state_of())


def test_what_cannot_be_deleted_or_written_is_said_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StorageUnusable, match=r"Permission denied\. Make it a folder"):
        storage.delete("s")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(StorageUnusable, match="Permission denied"):
        storage.journal.append("s", [])


def test_a_clock_that_gives_no_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="What the clock gives is a whole number of milliseconds"):
        FileContextStorage(agent_id="my-agent", root=tmp_path, clock=lambda: 10**18)
