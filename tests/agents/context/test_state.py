import copy
import json
import threading
from typing import Any

import pytest

from agents.context import AgentContext
from agents.context.errors import InvalidState, NewerState, PluginStateFailed
from tests.agents.context.cast import (
    NotePad,
    Shelf,
    assistant,
    context_of,
    results,
    say,
    talked,
    texts_of,
    user,
)
from tests.fuzz.compaction import MemoryStorage


def test_a_state_has_the_fields_of_the_specification() -> None:
    context = talked(system_prompt="You help.", user_id="u1", tools=[say])
    context.tools.disable("say")
    context.register_plugin(NotePad("noted"))
    context.agent_state = {"mood": "fine"}
    state = context.get_state()
    assert state == {
        "schemaVersion": 1,
        "conversation": context.get_conversation(),
        "currentInput": context.get_current_input(),
        "turnIndex": 1,
        "pluginStates": {"note_pad": {"text": "noted"}},
        "toolsEnabled": {"say": False},
        "systemPrompt": "You help.",
        "agentState": {"mood": "fine"},
        "metadata": {"savedAt": 1_769_798_400_000, "agentId": "agent", "userId": "u1", "model": "gpt-4.1"},
    }


def test_what_there_is_not_is_not_in_the_state() -> None:
    state = context_of().get_state()
    assert "systemPrompt" not in state
    assert "agentState" not in state


@pytest.mark.trap("W5.18")
def test_a_state_does_not_change_with_the_context_nor_the_context_with_it() -> None:
    context, shelf = talked(), Shelf()
    context.register_plugin(shelf)
    shelf.store_set("k", {"value": [1]})
    state = context.get_state()
    before = copy.deepcopy(state)
    shelf.entries["k"]["value"] = "changed"
    context.add_assistant_response("four")
    assert state == before
    state["conversation"].clear()
    assert context.get_conversation_length() == 4
    other = context_of()
    other.restore_state(before)
    before["conversation"][0]["content"][0]["text"] = "changed"  # type: ignore[typeddict-item]
    assert texts_of(other.get_conversation())[0] == "one"


def test_restoring_a_state_gives_the_same_state() -> None:
    context = talked(system_prompt="You help.", tools=[say])
    context.register_plugin(NotePad("noted"))
    context.tools.disable("say")
    context.agent_state = [1]
    state = json.loads(json.dumps(context.get_state()))
    other = context_of(tools=[say])
    other.register_plugin(NotePad())
    other.restore_state(state)
    assert other.get_state() == state
    assert other.prepare().input == context.prepare().input
    assert other.turn_index == 1


@pytest.mark.trap("W5.13")
def test_pending_input_of_the_old_conversation_goes_and_that_of_the_state_comes() -> None:
    other = context_of()
    other.add_user_message("left over")
    other.prepare()
    other.restore_state(talked().get_state())
    assert "left over" not in str(other.get_current_input())
    assert "three" in str(other.get_current_input())
    assert other.last_preparation is None
    assert other.last_thinking is None


@pytest.mark.trap("W5.13")
def test_a_configured_system_prompt_stays_when_the_state_has_none() -> None:
    context = context_of(system_prompt="configured")
    context.restore_state(talked().get_state())
    assert context.system_prompt == "configured"
    context.restore_state(talked(system_prompt="saved").get_state())
    assert context.system_prompt == "saved"


def test_restoring_replaces_and_never_merges() -> None:
    context, shelf = talked(), Shelf()
    context.register_plugin(shelf)
    shelf.store_set("old", {"value": 1})
    context.restore_state({"conversation": [], "pluginStates": {"shelf": {"entries": {"new": {"value": 2}}}}})
    assert list(shelf.entries) == ["new"]
    assert context.get_conversation() == context.get_current_input() == []


def test_a_built_in_that_the_state_does_not_know_becomes_as_new() -> None:
    context = context_of(features={})
    context.get_plugin("in_context_memory").set("stale", "d", 0)
    context.memory.store("stale", "d", 0)
    context.restore_state({"conversation": []})
    assert context.get_plugin("in_context_memory").list() == []
    assert context.get_state()["pluginStates"] == context_of(features={}).get_state()["pluginStates"]


def test_a_plugin_of_the_host_that_the_state_does_not_know_stays_and_is_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    context, pad = context_of(), NotePad("mine")
    context.register_plugin(pad)
    context.restore_state({"conversation": []})
    assert pad.text == "mine"
    assert "says nothing of plugin note_pad" in caplog.text


def test_the_state_of_a_hosts_plugin_is_not_asked_for_when_it_is_registered() -> None:
    class Heavy(NotePad):
        def get_state(self) -> object:
            raise AssertionError("megabytes")

    context_of().register_plugin(Heavy())


def test_items_of_other_libraries_get_ids_and_are_repaired() -> None:
    context = context_of()
    bare = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a\x00b"}]}
    context.restore_state({"conversation": [bare, bare], "currentInput": [bare]})
    assert [item["id"] for item in context.get_conversation()] == ["conversation_0", "conversation_1"]
    assert [item["id"] for item in context.get_current_input()] == ["currentInput_0"]
    assert texts_of(context.get_conversation()) == ["a�b", "a�b"]
    assert "id" not in bare


@pytest.mark.trap("W5.13")
def test_when_one_plugin_refuses_its_state_everything_is_as_before(caplog: pytest.LogCaptureFixture) -> None:
    context, shelf = talked(system_prompt="before"), Shelf()
    context.register_plugin(shelf)
    context.register_plugin(NotePad("before"))
    shelf.store_set("k", {"value": 1})
    before = context.get_state()
    bad: Any = {
        "conversation": [user("new")],
        "systemPrompt": "new",
        "pluginStates": {"shelf": {"entries": {}}, "note_pad": ["no dict"]},
    }
    with pytest.raises(InvalidState, match="Plugin note_pad refused its state: A note pad state is a dict"):
        context.restore_state(bad)
    assert context.get_state() == before
    assert "Restoring plugin note_pad failed" in caplog.text


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ([], "dict, not list"),
        ({}, "`conversation` of a state must be a list"),
        ({"conversation": {}}, "`conversation` of a state must be a list"),
        ({"conversation": [], "currentInput": 3}, "`currentInput` of a state must be a list"),
        ({"conversation": [], "pluginStates": []}, "`pluginStates` of a state must be a dict"),
        ({"conversation": [], "toolsEnabled": []}, "`toolsEnabled`"),
        ({"conversation": [], "turnIndex": "1"}, "`turnIndex`"),
        ({"conversation": [], "systemPrompt": 1}, "`systemPrompt`"),
        ({"conversation": [], "schemaVersion": "1"}, "`schemaVersion`"),
        ({"conversation": [{"type": "message"}]}, "`conversation` of the state holds an invalid item"),
        ({"conversation": [], "currentInput": ["hi"]}, "`currentInput` of the state holds an invalid item"),
    ],
)
def test_a_state_of_another_form_is_refused_and_nothing_changes(state: Any, words: str) -> None:
    context = talked()
    before = context.get_state()
    with pytest.raises(InvalidState) as caught:
        context.restore_state(state)
    assert words in str(caught.value)
    assert context.get_state() == before


def test_a_newer_schema_is_refused_with_both_versions() -> None:
    context = talked()
    with pytest.raises(NewerState, match="schema version 2; this version reads up to 1"):
        context.restore_state({"conversation": [], "schemaVersion": 2})
    assert context.get_conversation_length() == 2


def test_fields_that_are_null_count_as_absent() -> None:
    context = context_of(system_prompt="configured")
    state: dict[str, Any] = {
        "conversation": [user("hi")],
        "currentInput": None,
        "systemPrompt": None,
        "turnIndex": None,
    }
    context.restore_state(state)
    assert context.system_prompt == "configured"
    assert context.turn_index == 1


def test_turns_of_a_state_that_does_not_count_them_are_counted() -> None:
    context = context_of()
    items = [
        user("one"),
        assistant("", ("c",)),
        results("c"),
        assistant("x"),
        {"type": "compaction", "id": "o"},
        user("two"),
    ]
    context.restore_state({"conversation": items})
    assert context.turn_index == 2
    context.add_user_message("three")
    assert context.turn_index == 3


def test_tools_of_a_state_that_are_not_here_are_passed_over() -> None:
    context = context_of(tools=[say])
    context.restore_state({"conversation": [], "toolsEnabled": {"say": False, "ghost": True}})
    assert not context.tools.is_enabled("say")
    assert not context.tools.has("ghost")


def test_the_built_in_stores_travel_with_the_state() -> None:
    context = context_of(features={})
    context.get_plugin("in_context_memory").set("k", "d", {"x": 1.0})
    context.memory.store("n", "d", "note")
    other = context_of(features={})
    other.get_plugin("in_context_memory").set("stale", "d", 0)
    other.restore_state(json.loads(json.dumps(context.get_state())))
    assert other.get_plugin("in_context_memory").get("k") == {"x": 1.0}
    assert not other.get_plugin("in_context_memory").has("stale")
    assert other.memory.retrieve("n") == "note"


@pytest.mark.parametrize("name", ["conversation", "pluginStates"])
def test_what_a_state_needs_may_not_be_null(name: str) -> None:
    context = talked()
    with pytest.raises(InvalidState, match=f"`{name}` of a state must be"):
        context.restore_state({"conversation": [], "pluginStates": {}, name: None})
    assert context.get_conversation_length() == 2


def test_a_state_nested_too_deeply_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    context = talked()
    with pytest.raises(InvalidState, match="nested too deeply"):
        context.restore_state({"conversation": [], "agentState": deep})
    assert context.get_conversation_length() == 2


class Mute(NotePad):
    """A note pad that cannot say what is on it."""

    name = "mute"

    def get_state(self) -> object:
        raise KeyError("lost")


def test_no_state_is_better_than_one_without_a_plugin() -> None:
    context = talked(storage=MemoryStorage())
    context.register_plugin(Mute())
    for read in (context.get_state, context.save):
        with pytest.raises(PluginStateFailed, match=r'plugin "mute" is not available.*lost') as caught:
            read()
        assert caught.value.plugin == "mute"
    assert context.session_id is None


def test_a_state_that_cannot_be_copied_is_not_available() -> None:
    class Locked(NotePad):
        def get_state(self) -> object:
            return {"lock": threading.Lock()}

    context = talked()
    context.register_plugin(Locked())
    with pytest.raises(PluginStateFailed, match="note_pad"):
        context.get_state()


def test_nothing_is_restored_when_a_plugin_could_not_go_back() -> None:
    context, pad = talked(), NotePad("mine")
    context.register_plugin(pad)
    context.register_plugin(Mute())
    with pytest.raises(PluginStateFailed):
        context.restore_state(
            {"conversation": [], "pluginStates": {"note_pad": {"text": "new"}, "mute": {"text": "new"}}}
        )
    assert pad.text == "mine"
    assert context.get_conversation_length() == 2


@pytest.mark.parametrize("text", ["a\x00", "\ud800"])
def test_a_plugin_state_that_cannot_be_stored_is_refused_by_the_name_of_the_plugin(text: str) -> None:
    context = context_of(storage=MemoryStorage())
    context.register_plugin(NotePad(text))
    for call in (context.get_state, context.save):
        with pytest.raises(PluginStateFailed, match=r'"note_pad".*state\.text.*remove the character'):
            call()


def test_a_restored_context_knows_that_no_more_can_be_taken_out() -> None:
    context = full_context()
    context.prepare()
    heir = full_context()
    announced: list[dict[str, object]] = []
    heir.on("compaction:starting", announced.append)
    heir.restore_state(json.loads(json.dumps(context.get_state())))
    heir.prepare()
    assert announced == []
    assert heir.get_state()["exhausted"]


def test_what_came_after_a_full_prompt_is_a_reason_to_try_again() -> None:
    context = full_context()
    context.prepare()
    context.add_user_message("more")
    assert "exhausted" not in context.get_state()


def full_context() -> AgentContext:
    """Return a context that is over the gate by what must stay."""
    context = context_of(max_context_tokens=1_000, response_reserve=0, system_prompt="x" * 3_200)
    context.add_user_message("Go on.")
    return context
