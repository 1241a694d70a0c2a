import pytest

from agents.context.json_values import JSON
from memory.plugins import WorkingMemory
from memory.plugins.errors import Destroyed
from tests.agents.context.cast import context_of


def destroyed_notes() -> WorkingMemory:
    notes = WorkingMemory()
    notes.store("a", "d", 1)
    notes.destroy()
    notes.destroy()
    return notes


def test_after_destroy_everything_says_so() -> None:
    notes = destroyed_notes()
    for use in (
        lambda: notes.store("b", "d", 1),
        lambda: notes.read("a"),
        lambda: notes.retrieve("a"),
        lambda: notes.find("a"),
        lambda: notes.has("a"),
        lambda: notes.real_key("a"),
        lambda: notes.delete("a"),
        notes.query,
        notes.matching,
        notes.entries,
        notes.stale_keys,
        notes.clear,
        lambda: notes.evict(1),
        notes.cleanup_raw,
        lambda: notes.compact(1),
        lambda: notes.restore_state(notes.get_state()),
        lambda: notes.adopt([]),
        notes.copy,
    ):
        with pytest.raises(Destroyed, match="destroyed; create new ones"):
            use()


def test_after_destroy_a_context_is_told_of_no_notes() -> None:
    notes = destroyed_notes()
    assert notes.get_content() is None
    assert notes.get_state() == {"version": 1, "entries": []}
    assert notes.get_contents() == []
    assert (notes.count, notes.used_bytes, notes.is_compactable()) == (0, 0, False)


def test_after_destroy_every_answer_says_so() -> None:
    notes = destroyed_notes()
    answers = [
        notes.store_get(),
        notes.store_get("a"),
        notes.store_set("a", {"description": "d", "value": 1}),
        notes.store_delete("a"),
        notes.store_list(),
        *(notes.store_action(each, {"key": "a"}) for each in ("query", "read", "cleanup_raw", "clear")),
    ]
    assert all("destroyed" in str(answer["error"]) for answer in answers)
    assert not any(
        answer.get("success") or answer.get("deleted") or answer.get("found") for answer in answers
    )


@pytest.mark.parametrize("store", ["notes", "whiteboard"])
def test_the_tools_of_a_destroyed_context_store_nothing(store: str) -> None:
    context = context_of(features={})
    tools = context.tools
    context.destroy()
    arguments: dict[str, JSON] = {"store": store, "key": "z", "data": {"description": "d", "value": 1}}
    answer = tools.execute("store_set", arguments)
    assert isinstance(answer, dict)
    assert answer["success"] is False
    assert "destroyed" in str(answer["error"])
