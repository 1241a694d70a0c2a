from collections.abc import Sequence
from typing import Any

import pytest

from agents.context import PluginRegistry, Tool, tool
from agents.context.errors import AlreadyRegistered, InvalidOption, PluginStateFailed
from agents.context.plugin_set import display_name
from memory.plugins.notes import WorkingMemory
from memory.plugins.whiteboard import InContextMemory
from tests.agents.context.cast import BARE, Broken, NotePad, Shelf, context_of


class Toolbelt(NotePad):
    """A plugin with a tool of its own."""

    name = "toolbelt"

    def __init__(self, label: str = "saw") -> None:
        super().__init__()
        self.label = label

    def get_tools(self) -> Sequence[Tool]:
        @tool(name=self.label)
        def cut() -> str:
            return f"{self.label} cuts"

        return [cut]


def system_text(context: Any) -> str:
    text: str = context.prepare().input[0]["content"][0]["text"]
    return text


def test_a_plugin_is_found_by_its_name() -> None:
    context, pad = context_of(), NotePad("hello")
    assert context.get_plugin("note_pad") is None
    assert not context.has_plugin("note_pad")
    context.register_plugin(pad)
    assert context.get_plugin("note_pad") is pad
    assert context.has_plugin("note_pad")
    assert context.get_plugins() == [pad]


def test_a_second_plugin_of_the_same_name_is_refused() -> None:
    context = context_of()
    context.register_plugin(NotePad())
    with pytest.raises(AlreadyRegistered, match='Plugin "note_pad" is already registered'):
        context.register_plugin(NotePad())


def test_the_tools_of_a_plugin_come_with_it() -> None:
    context = context_of()
    context.register_plugin(Toolbelt())
    assert context.tools.execute("saw", {}) == "saw cuts"


def test_an_explicit_plugin_takes_the_place_of_an_untouched_built_in() -> None:
    context = context_of(features={})
    own = InContextMemory(max_entries=3)
    context.register_plugin(own)
    assert context.get_plugin("in_context_memory") is own
    context.tools.execute("store_set", {"store": "whiteboard", "key": "k", "description": "d", "value": 1})
    assert own.get("k") == 1
    assert [each.name for each in context.get_plugins()] == ["in_context_memory", "working_memory"]


def test_an_explicit_store_replaces_notes_as_well() -> None:
    context = context_of(features={})
    own = WorkingMemory()
    context.register_plugin(own)
    assert context.memory is own


def test_a_built_in_that_is_in_use_is_not_replaced() -> None:
    context = context_of(features={})
    context.get_plugin("in_context_memory").set("k", "d", 1)
    with pytest.raises(AlreadyRegistered):
        context.register_plugin(InContextMemory())
    assert context.get_plugin("in_context_memory").get("k") == 1


def test_an_explicit_plugin_is_not_replaced_by_another() -> None:
    context = context_of(features={})
    context.register_plugin(InContextMemory())
    with pytest.raises(AlreadyRegistered):
        context.register_plugin(InContextMemory())


def test_a_replaced_plugin_is_destroyed_and_its_tools_and_store_go_with_it() -> None:
    context = context_of()
    old = Toolbelt("saw")
    context._plugins.register(old, is_automatic=True)
    context.register_plugin(Toolbelt("plane"))
    assert old.destroyed == 1
    assert not context.tools.has("saw")
    assert context.tools.has("plane")
    context._plugins.register(Shelf("first"), is_automatic=True)
    context.register_plugin(Shelf("second"))
    assert context._plugins.stores.ids() == ("second",)


def test_titles_are_display_names_or_names_in_words() -> None:
    context, shelf = context_of(), Shelf("white board")
    shelf.get_content = lambda: "filled"  # type: ignore[method-assign]
    for each in (shelf, NotePad("noted")):
        context.register_plugin(each)
    text = system_text(context)
    assert "# White Board\n\nfilled" in text
    assert "# Note Pad\n\nnoted" in text
    assert display_name("in_context_memory") == "In Context Memory"


def test_content_and_instructions_stand_under_the_title() -> None:
    context = context_of()
    context.register_plugin(NotePad("remember the milk", "Write little."))
    context.add_user_message("hi")
    text = system_text(context)
    assert "# Plugin Instructions\n\n## Note Pad\n\nWrite little." in text
    assert "# Note Pad\n\nremember the milk" in text


@pytest.mark.trap("W5.19")
def test_a_plugin_that_fails_is_logged_and_the_prompt_is_made_without_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    context = context_of()
    context.register_plugin(Broken())
    context.register_plugin(NotePad("still here"))
    context.add_user_message("hi")
    text = system_text(context)
    assert "still here" in text
    assert "Broken" not in text
    assert {each.message for each in caplog.records if each.name == "agents.context.isolation"} == {
        "Instructions of plugin broken failed",
        "Content of plugin broken failed",
    }


def test_content_may_come_from_a_coroutine() -> None:
    class Later(NotePad):
        async def get_content(self) -> str:  # type: ignore[override]
            return "fetched"

    context = context_of()
    context.register_plugin(Later())
    context.add_user_message("hi")
    assert "# Note Pad\n\nfetched" in system_text(context)


def test_plugins_hear_before_a_prompt_is_prepared(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[object] = []

    class Listening(NotePad):
        def on_before_prepare(self, snapshot: object) -> None:
            heard.append(snapshot)
            raise RuntimeError("after hearing")

    context = context_of()
    context.register_plugin(Listening())
    context.add_user_message("hi")
    context.prepare()
    assert heard == [{"messages": [], "current_input": context.get_current_input()}]
    assert "on_before_prepare of plugin note_pad failed" in caplog.text


def test_destroying_a_context_destroys_its_plugins_except_those_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    context, mine, shared = context_of(), NotePad(), Toolbelt()
    context.register_plugin(mine)
    context.register_plugin(shared, skip_destroy=True)
    context.register_plugin(Broken())
    context.destroy()
    assert (mine.destroyed, shared.destroyed) == (1, 0)
    assert "Destroying plugin broken failed" in caplog.text


def test_what_is_no_text_is_left_out_and_named(caplog: pytest.LogCaptureFixture) -> None:
    context = context_of()
    odd: Any = NotePad()
    context.register_plugin(odd)
    odd.text, odd.instructions = ["a list"], 7
    text = system_text(context)
    assert context.get_snapshot()["plugins"]
    assert "a list" not in text
    assert "Note Pad" not in text
    assert "Content of plugin note_pad left out: not text but list" in caplog.messages
    assert "Instructions of plugin note_pad left out: not text but int" in caplog.messages


class Secretive(NotePad):
    """A plugin that cannot give its state."""

    def get_state(self) -> object:
        raise OSError("disk")


def test_a_plugin_that_cannot_give_its_state_is_named_when_the_context_is_made() -> None:
    PluginRegistry.register("secretive", lambda config, scope: Secretive())
    try:
        with pytest.raises(PluginStateFailed, match="Mend its get_state"):
            context_of(features=BARE | {"secretive": True})
    finally:
        PluginRegistry.remove("secretive")


@pytest.mark.parametrize("plugin", [None, "notes", object()])
def test_what_is_no_plugin_is_refused(plugin: Any) -> None:
    context = context_of()
    with pytest.raises(InvalidOption, match=f"derive {type(plugin).__name__} from BasePlugin"):
        context.register_plugin(plugin)
    assert context.get_plugins() == []
