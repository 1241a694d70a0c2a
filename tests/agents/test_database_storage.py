from typing import Any

import pytest
from django.db import DatabaseError

from agents import AgentContext
from agents.context.errors import NewerState
from agents.context.journal import JournalEntry
from agents.context.storage import ContextState
from agents.database_storage import DatabaseContextStorage
from agents.models import SavedContext, SavedHistoryLine

pytestmark = pytest.mark.django_db


def state(text: str = "hello") -> ContextState:
    item: Any = {
        "type": "message",
        "id": "1",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }
    notes: Any = {"version": 1, "entries": [{}, {}]}
    return {"conversation": [item], "pluginStates": {"working_memory": notes}, "metadata": {"model": "m"}}


def line(text: str, turn: int = 1) -> JournalEntry:
    item: Any = {"type": "message", "id": text, "role": "user", "content": []}
    return {"timestamp": turn, "type": "user", "item": item, "turnIndex": turn}


def storage_at(*times: int, agent_id: str = "agent") -> DatabaseContextStorage:
    left = iter(times)
    return DatabaseContextStorage(agent_id=agent_id, clock=lambda: next(left))


def test_a_context_saves_and_loads_with_its_plugins_and_title() -> None:
    storage = DatabaseContextStorage(agent_id="my-agent")
    ctx = AgentContext.create(model="gpt-4.1", agent_id="my-agent", storage=storage)
    ctx.add_user_message("Hello")
    ctx.get_plugin("in_context_memory").set("state", "State", {"step": 1})
    ctx.save("session-001", {"title": "My Session"})

    again = AgentContext.create(model="gpt-4.1", agent_id="my-agent", storage=storage)
    assert again.load("session-001")
    assert again.get_current_input() == ctx.get_current_input()
    assert again.get_plugin("in_context_memory").get("state") == {"step": 1}
    assert [s["metadata"]["title"] for s in storage.list()] == ["My Session"]
    assert storage.journal.count("session-001") == 1


def test_the_time_of_creation_stays_and_the_last_save_moves() -> None:
    storage = storage_at(1_000, 2_500)
    storage.save("s", state())
    storage.save("s", state("again"))
    stored = storage.load("s")
    assert stored
    assert stored["createdAt"] == "1970-01-01T00:00:01.000Z"
    assert stored["lastSavedAt"] == "1970-01-01T00:00:02.500Z"
    assert SavedContext.objects.count() == 1


def test_what_was_never_saved_is_not_there() -> None:
    storage = DatabaseContextStorage(agent_id="agent")
    assert storage.load("nothing") is None
    assert not storage.exists("nothing")
    assert not storage.delete("nothing")


def test_sessions_belong_to_their_agent() -> None:
    storage_at(0).save("s", state())
    other = storage_at(agent_id="other")
    assert not other.exists("s")
    assert list(other.list()) == []
    assert not other.delete("s")


def test_a_list_shows_counts_and_follows_the_query() -> None:
    storage = storage_at(1, 2, 3)
    for session_id, tag in (("a", "x"), ("b", "y"), ("c", "x")):
        storage.save(session_id, state(), {"tags": [tag]})
    newest = storage.list()[0]
    assert (newest["sessionId"], newest["messageCount"], newest["memoryEntryCount"]) == ("c", 1, 2)
    assert [s["sessionId"] for s in storage.list({"tags": ["x"], "limit": 1, "offset": 1})] == ["a"]


def test_deleting_a_session_takes_its_history_along() -> None:
    storage = storage_at(0)
    storage.save("s", state())
    storage.journal.append("s", [line("a")])
    storage.journal.append("other", [line("b")])
    assert storage.delete("s")
    assert not storage.exists("s")
    assert list(SavedHistoryLine.objects.values_list("session_id", flat=True)) == ["other"]


def test_a_state_of_a_newer_version_is_refused() -> None:
    storage = storage_at(0)
    storage.save("s", state())
    row = SavedContext.objects.get()
    row.stored = row.stored.replace('"version":1', '"version":2', 1)
    row.save()
    with pytest.raises(NewerState):
        storage.load("s")


def test_a_history_keeps_its_order_and_can_be_searched() -> None:
    journal = DatabaseContextStorage(agent_id="agent").journal
    journal.append("s", [line("a", 1), line("b", 2)])
    journal.append("s", [line("c", 3)])
    assert [entry["item"]["id"] for entry in journal.stream("s")] == ["a", "b", "c"]
    assert [entry["turnIndex"] for entry in journal.read("s", {"from_turn": 2, "limit": 1})] == [2]
    assert "agent" in journal.get_location("s")
    journal.clear("s")
    assert journal.count("s") == 0


def test_a_database_that_fails_is_an_os_error_and_adds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise DatabaseError("disk full")

    journal = DatabaseContextStorage(agent_id="agent").journal
    monkeypatch.setattr(SavedHistoryLine.objects, "bulk_create", broken)
    with pytest.raises(OSError, match="could not be written"):
        journal.append("s", [line("a")])
