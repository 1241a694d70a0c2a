from typing import Any

import pytest

from agents.context.errors import InvalidState
from tests.agents.context.cast import NotePad, context_of, say, texts_of, user


def test_states_of_plugins_and_tools_that_are_not_here_are_carried_on() -> None:
    context = context_of(tools=[say])
    stored: dict[str, Any] = {"unknown": {"x": [1]}}
    context.restore_state(
        {"conversation": [user("hi")], "pluginStates": stored, "toolsEnabled": {"say": False, "look": False}}
    )
    assert texts_of(context.get_conversation()) == ["hi"]
    stored["unknown"]["x"].append(2)
    state = context.get_state()
    assert state["pluginStates"] == {"unknown": {"x": [1]}}
    assert state["toolsEnabled"] == {"say": False, "look": False}
    state["pluginStates"].clear()
    context.clear_conversation()
    assert context.get_state()["pluginStates"] == {"unknown": {"x": [1]}}


def test_notes_survive_a_context_without_working_memory() -> None:
    with_notes = context_of(features={})
    with_notes.memory.store("k", "d", "v")
    without = context_of(features={"working_memory": False})
    without.restore_state(with_notes.get_state())
    again = context_of(features={})
    again.restore_state(without.get_state())
    assert again.memory.retrieve("k") == "v"


def test_what_is_carried_is_replaced_by_the_next_restore_that_succeeds() -> None:
    context = context_of()
    context.restore_state({"conversation": [], "pluginStates": {"unknown": 1}})
    with pytest.raises(InvalidState):
        context.restore_state({"conversation": [{"type": "message"}], "pluginStates": {"other": 2}})
    assert context.get_state()["pluginStates"] == {"unknown": 1}
    context.restore_state({"conversation": []})
    assert context.get_state()["pluginStates"] == {}


def test_a_plugin_registered_after_a_restore_keeps_its_own_state_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    context = context_of()
    context.restore_state({"conversation": [], "pluginStates": {"note_pad": {"text": "stored"}}})
    context.register_plugin(NotePad("mine"))
    assert "Register a plugin before its state is restored" in caplog.text
    assert context.get_state()["pluginStates"] == {"note_pad": {"text": "mine"}}


@pytest.mark.parametrize(
    "part", [{"pluginStates": {"unknown": float("nan")}}, {"toolsEnabled": {"a\x00": True}}]
)
def test_what_could_not_be_saved_again_is_not_restored(part: dict[str, object]) -> None:
    context = context_of()
    before = context.get_state()
    with pytest.raises(InvalidState, match="of a plugin or tool not here cannot be kept"):
        context.restore_state({"conversation": [], **part})
    assert context.get_state() == before
