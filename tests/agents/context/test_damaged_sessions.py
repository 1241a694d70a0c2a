import json
from pathlib import Path
from typing import Any

import pytest

from agents.context import FileContextStorage
from agents.context.errors import SessionUnreadable
from tests.agents.context.cast import context_of
from tests.agents.context.test_file_storage import path_of, state_of, storage_of

SESSION: dict[str, Any] = {"sessionId": "s", "createdAt": "", "lastSavedAt": "", "state": {}}
CHANGES: list[dict[str, Any]] = [
    {"sessionId": 1},
    {"version": "x"},
    {"metadata": None},
    {"state": {"conversation": 5}},
    {"state": {"pluginStates": []}},
    {"state": {"metadata": "x"}},
]
DAMAGED = ["", "{broken", "[]", "3", "[" * 100_000, '{"sessionId": "s"}']
DAMAGED += [json.dumps(SESSION | change) for change in CHANGES]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_session_is_told_from_a_missing_one_and_never_replaced(
    tmp_path: Path, content: str
) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("good", state_of())
    path_of(tmp_path).write_text(content)
    with pytest.raises(SessionUnreadable, match=r"s\.json cannot be read: .*delete_session") as refused:
        storage.load("s")
    assert refused.value.path == path_of(tmp_path)
    assert storage.exists("s")
    with pytest.raises(SessionUnreadable):
        storage.save("s", state_of("new"))
    assert path_of(tmp_path).read_text() == content
    assert storage.delete("s")
    storage.save("s", state_of("new"))
    assert storage.load("s") is not None


@pytest.mark.parametrize("content", DAMAGED)
def test_the_list_leaves_a_damaged_session_out_with_a_warning(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("good", state_of())
    path_of(tmp_path).write_text(content)
    assert [each["sessionId"] for each in storage.list()] == ["good"]
    assert "s.json cannot be read" in caplog.text
    path_of(tmp_path, "_index").write_text("[" * 100_000)
    assert [each["sessionId"] for each in storage.list()] == ["good"]


def test_a_file_without_permission_is_not_read_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, _ = storage_of(tmp_path)
    storage.save("s", state_of())

    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(SessionUnreadable, match="Permission denied"):
        storage.load("s")


def test_a_folder_in_the_place_of_a_session_is_no_session(tmp_path: Path) -> None:
    storage, _ = storage_of(tmp_path)
    path_of(tmp_path).mkdir(parents=True)
    assert storage.load("s") is None
    assert storage.list() == []


def test_a_context_that_cannot_read_a_session_stays_as_it_is_and_does_not_save_over_it(
    tmp_path: Path,
) -> None:
    context = context_of(storage=FileContextStorage(agent_id="my-agent", root=tmp_path))
    context.save("s")
    path_of(tmp_path).write_text("{broken")
    other = context_of(storage=context.storage)
    other.add_user_message("here")
    for use in (other.load, other.save, context.save):
        with pytest.raises(SessionUnreadable):
            use("s")
    assert other.session_id is None
    assert len(other.get_current_input()) == 1
    assert path_of(tmp_path).read_text() == "{broken"
    assert other.delete_session("s")
    assert other.save("s") == "s"
