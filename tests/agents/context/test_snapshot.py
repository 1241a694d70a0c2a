import json
from typing import Any

import pytest

from agents.context import Tool
from tests.agents.context.cast import BARE, Broken, CountingEstimator, NotePad, Shelf, context_of, reply
from tests.agents.context.test_image_size import encoded, png


def snapshot_of(**options: Any) -> Any:
    context = context_of(**options)
    context.register_plugin(NotePad("noted", "Write little."))
    context.add_user_message("hi")
    return context.get_snapshot()


def test_a_snapshot_tells_who_and_how_much() -> None:
    context = context_of(system_prompt="You help.", tools=[Tool("look", print, "Look.", {"type": "object"})])
    context.add_user_message("hi")
    context.add_assistant_response(reply("looking", {"c": "look", "d": "look"}))
    context.tools.disable("look")
    snapshot: Any = context.get_snapshot()
    assert snapshot["available"] is True
    assert (snapshot["agentId"], snapshot["model"], snapshot["strategy"]) == (
        "agent",
        "gpt-4.1",
        "algorithmic",
    )
    assert snapshot["features"]["working_memory"] is False
    assert snapshot["budget"] == context.calculate_budget().as_dict()
    assert (snapshot["messagesCount"], snapshot["toolCallsCount"]) == (2, 2)
    assert snapshot["systemPrompt"] == "You help."
    assert snapshot["tools"] == [
        {"name": "look", "description": "Look.", "enabled": False, "callCount": 0, "namespace": "default"}
    ]


def test_a_plugin_is_shown_with_sizes_and_contents() -> None:
    [plugin] = snapshot_of()["plugins"]
    assert plugin["tokenSize"] > 0
    assert plugin["instructionsTokenSize"] == 4
    del plugin["tokenSize"], plugin["instructionsTokenSize"]
    assert plugin == {
        "name": "note_pad",
        "displayName": "Note Pad",
        "enabled": True,
        "compactable": False,
        "contents": {"text": "noted"},
        "formattedContent": "noted",
    }


def test_built_in_names_are_shown_in_words() -> None:
    snapshot = snapshot_of(features=BARE | {"in_context_memory": True})
    assert [each["displayName"] for each in snapshot["plugins"]] == ["In Context Memory", "Note Pad"]


def test_a_plugin_that_fails_is_shown_empty(caplog: pytest.LogCaptureFixture) -> None:
    context = context_of()
    context.register_plugin(Broken())
    snapshot: Any = context.get_snapshot()
    [plugin] = snapshot["plugins"]
    assert (plugin["contents"], plugin["formattedContent"], plugin["compactable"]) == (None, None, False)
    assert (plugin["tokenSize"], plugin["instructionsTokenSize"]) == (0, 0)
    assert caplog.records


def test_a_snapshot_is_safe_json_whatever_plugins_hold() -> None:
    class Odd(NotePad):
        def get_contents(self) -> object:
            return {"set": {1}, "map": {"a": (1, 2)}, "other": object(), "nan": float("nan")}

    context = context_of()
    context.register_plugin(Odd())
    text = json.dumps(context.get_snapshot(), allow_nan=False)
    assert '"set": [1], "map": {"a": [1, 2]}' in text


def test_a_destroyed_context_has_an_empty_snapshot_and_view() -> None:
    context = context_of(system_prompt="x")
    context.destroy()
    snapshot = context.get_snapshot()
    assert snapshot["available"] is False
    assert snapshot["plugins"] == snapshot["tools"] == []
    assert snapshot["budget"] is snapshot["systemPrompt"] is None
    assert context.get_view_context() == {
        "available": False,
        "components": [],
        "totalTokens": 0,
        "rawContext": "",
    }


def test_a_view_shows_every_piece_under_its_name() -> None:
    context = context_of(system_prompt="You help.")
    image = {"type": "input_image_url", "image_url": {"url": f"data:image/png;base64,{encoded(png(8, 8))}"}}
    link = {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png"}}
    context.load_conversation([({"type": "compaction", "id": "c"}, None)])
    context.add_user_message(
        [{"type": "input_text", "text": "hi"}, image, link, {"type": "input_file", "file_id": "f"}]
    )
    thinking = {"type": "thinking", "thinking": "hm", "persistInHistory": True}
    use = {"type": "tool_use", "id": "c1", "name": "look", "arguments": '{"a":1}'}
    context.add_assistant_response(
        [{"type": "message", "content": [thinking, {"type": "output_text", "text": "yes"}, use]}]
    )
    context.add_tool_results([{"tool_use_id": "c1", "content": "some", "error": "late"}])
    view: Any = context.get_view_context()
    shown = [(each["name"], each["content"]) for each in view["components"]]
    assert shown[0][0] == "System Message"
    assert shown[1:] == [
        ("Compaction Block", "[opaque]"),
        ("User Message", "hi"),
        ("Image Input", "[image data]"),
        ("Image Input", "https://example.org/a.png"),
        ("File Input", "f"),
        ("Thinking", "hm"),
        ("Assistant Message", "yes"),
        ("Tool Call: look", '{"a":1}'),
        ("Tool Result: c1", "some\nError: late"),
    ]
    assert "--- User Message ---\nhi\n\n--- Image Input ---\n" in view["rawContext"]


@pytest.mark.parametrize("placement", ["mission", "tail"])
def test_the_tokens_of_a_view_are_those_of_the_budget(placement: Any) -> None:
    context = context_of(system_prompt="You help.", volatile_placement=placement)
    context.register_plugin(Shelf())
    context.add_user_message("hi")
    context.add_assistant_response("hello there")
    context.add_user_message("more")
    view: Any = context.get_view_context()
    budget = context.calculate_budget()
    assert view["totalTokens"] == budget.content_used
    assert view["totalTokens"] == sum(each["tokenEstimate"] for each in view["components"])
    assert view["components"][0]["name"] == "System Message"


def test_with_tail_placement_the_view_ends_with_what_changes() -> None:
    context = context_of(volatile_placement="tail", system_prompt="You help.")
    context.add_user_message("hi")
    view: Any = context.get_view_context()
    assert [each["name"] for each in view["components"]] == [
        "System Message",
        "User Message",
        "System Message",
    ]
    bare = context_of(volatile_placement="tail")
    bare.add_user_message("hi")
    only_tail: Any = bare.get_view_context()
    assert [each["name"] for each in only_tail["components"]] == ["User Message", "System Message"]


@pytest.mark.trap("W5.8")
def test_looking_changes_nothing() -> None:
    estimator = CountingEstimator()
    context = context_of(
        estimator=estimator, lifecycle_hooks={"before_context_prepare": lambda _: seen.append("hook")}
    )
    seen: list[Any] = []
    for event in ("budget:updated", "context:prepared", "input:oversized", "message:added"):
        context.on(event, seen.append)
    pad = NotePad("noted")
    context.register_plugin(pad)
    context.add_user_message("hi")
    thought = [{"type": "message", "content": [{"type": "thinking", "thinking": "hm"}]}]
    context.add_assistant_response(thought)
    context.add_user_message("x" * 10_000)
    seen.clear()
    state = context.get_state()
    for _ in range(2):
        context.get_view_context()
        context.get_snapshot()
    assert seen == []
    assert context.last_thinking == "hm"
    assert context.last_preparation is None
    assert context.get_state() == state


def test_sections_are_those_of_the_next_prompt_and_none_after_the_end() -> None:
    context = context_of(system_prompt="You help.")
    context.register_plugin(NotePad("noted", "Write little."))
    context.add_user_message("hi")
    sections = context.get_sections()
    assert [each.kind for each in sections] == ["system_prompt", "plugin_instructions", "plugin", "date"]
    assert sections == context.prepare().sections
    context.destroy()
    assert context.get_sections() == ()
