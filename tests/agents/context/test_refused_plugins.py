"""Plugins that cannot be used are refused as a whole; what goes wrong later is contained."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.context import AgentContext
from agents.context.compaction.briefing import summarize_components
from agents.context.errors import InvalidOption
from agents.context.json_values import InvalidJSON
from agents.context.stores import STORE_TOOLS, schema_of
from tests.agents.context.cast import NotePad, Shelf, context_of, reply, say
from tests.agents.context.compaction.cast import sized, words

FIELD = {"description": "what it is"}


def refused(context: AgentContext, plugin: Any, match: str) -> None:
    """Check that the plugin is refused, nothing of it was added, and a sound one is taken afterwards."""
    before = context.get_plugins(), context.tools.list(), context._plugins.stores.ids()
    with pytest.raises((InvalidOption, InvalidJSON), match=match):
        context.register_plugin(plugin)
    assert (context.get_plugins(), context.tools.list(), context._plugins.stores.ids()) == before
    context.add_user_message("hi")
    context.prepare()
    sound = Shelf()
    context.register_plugin(sound)
    assert context.get_plugin("shelf") is sound
    assert set(STORE_TOOLS) <= set(context.tools.list())


@pytest.mark.parametrize(
    ("change", "words_of_it"),
    [
        ({"usageHint": None}, "The store schema: usageHint is a text, not None"),
        ({"displayName": None}, "displayName is a text that is not empty, not None"),
        ({"storeId": ""}, "storeId is a text that is not empty, not ''"),
        ({"description": 5}, "description is a text, not 5"),
        ({"setDataFields": None}, "setDataFields is a text or a mapping, not None"),
        ({"setDataFields": {"a": "text"}}, r"setDataFields\.a is a mapping, not 'text'"),
        ({"setDataFields": {"a": 5}}, r"setDataFields\.a is a mapping, not 5"),
        ({"setDataFields": {"a": {}}}, r"setDataFields\.a: description is a text, not None"),
        ({"setDataFields": {"a": FIELD | {"type": None}}}, "type is one of string, .* or a list of them"),
        ({"setDataFields": {"a": FIELD | {"type": ["string", "txt"]}}}, "type is one of"),
        ({"setDataFields": {"a": FIELD | {"required": 1}}}, "required is True or False, not 1"),
        ({"setDataFields": {"a": FIELD | {"enum": []}}}, "enum is a list, each of it a text"),
        ({"setDataFields": {5: FIELD}}, "5"),
        ({"actions": 5}, "actions is a mapping, not 5"),
        ({"actions": None}, "actions is a mapping, not None"),
        ({"actions": {"go": "there"}}, r"actions\.go is a mapping"),
        ({"actions": {"go": FIELD | {"destructive": "yes"}}}, "destructive is True or False"),
        ({"siblingHints": ["notes"]}, "siblingHints is a mapping"),
        ({"siblingHints": {"notes": 5}}, r"siblingHints\.notes of the store schema is a text"),
        ({"usageHint": object()}, "made of texts, flags, lists and dicts"),
    ],
)
def test_a_store_with_a_bad_schema_is_refused(change: dict[str, Any], words_of_it: str) -> None:
    refused(context_of(), Shelf(**change), words_of_it)


@pytest.mark.parametrize("schema", [{}, None, "notes"])
def test_a_schema_that_is_none_is_refused(schema: Any) -> None:
    shelf = Shelf()
    shelf.get_store_schema = lambda: schema  # type: ignore[method-assign]
    refused(context_of(), shelf, "The store schema")


def test_a_schema_may_describe_its_fields_in_a_text_and_use_every_part() -> None:
    field = FIELD | {"type": ["string", "null"], "required": False, "enum": ["a", "b"]}
    actions = {"burn": FIELD | {"destructive": True}}
    hints = {"notes": "Large things go there."}
    context = context_of()
    context.register_plugin(Shelf(setDataFields={"a": field}, actions=actions, siblingHints=hints))
    plain = Shelf("plain", setDataFields="text: what it says")
    plain.name = "plain"
    context.register_plugin(plain)
    assert schema_of(plain)["setDataFields"] == "text: what it says"
    assert "text: what it says" in str(context.prepare().tools)


def failing(*_: object) -> Any:
    raise RuntimeError("not today")


@pytest.mark.parametrize(
    ("method", "answer", "match"),
    [
        (
            "get_store_schema",
            failing,
            r'get_store_schema of plugin "shelf" failed: RuntimeError \(not today\)',
        ),
        ("get_tools", failing, r'get_tools of plugin "shelf" failed: RuntimeError \(not today\)\. Mend it'),
        ("get_tools", lambda: None, "get_tools .* failed: TypeError"),
        ("get_tools", lambda: 5, "get_tools .* failed: TypeError"),
        ("get_tools", lambda: [say, 5], "A tool is a function or a Tool, not int"),
        ("get_tools", lambda: "say", "A tool is a function or a Tool, not str"),
        ("adopt_estimator", failing, "adopt_estimator .* failed: RuntimeError"),
        ("get_instructions", lambda: 5, "What get_instructions of shelf gives is a text, or None, not 5"),
    ],
)
def test_a_plugin_that_cannot_say_what_it_brings_is_refused(
    method: str, answer: Callable[..., object], match: str
) -> None:
    shelf = Shelf()
    setattr(shelf, method, answer)
    refused(context_of(), shelf, match)


@pytest.mark.parametrize(
    ("attribute", "value", "match"),
    [
        ("name", 5, "name of NotePad is a text that is not empty, not 5"),
        ("name", None, "name of NotePad is a text that is not empty, not None"),
        ("name", "", "name of NotePad is a text that is not empty"),
        ("name", "a\x00", "name of NotePad"),
        ("compaction_priority", None, "compaction_priority of NotePad is a whole number, not None"),
        ("compaction_priority", "x", "compaction_priority of NotePad is a whole number, not 'x'"),
    ],
)
def test_a_plugin_whose_name_or_priority_is_none_is_refused(attribute: str, value: Any, match: str) -> None:
    pad = NotePad()
    setattr(pad, attribute, value)
    refused(context_of(), pad, match)


def test_a_class_is_no_plugin() -> None:
    refused(context_of(), NotePad, r"not a class; register NotePad\(\)")


def test_a_refused_plugin_is_taken_once_it_is_mended() -> None:
    context, shelf = context_of(), Shelf()
    shelf.get_tools = failing  # type: ignore[method-assign]
    with pytest.raises(InvalidOption):
        context.register_plugin(shelf)
    shelf.get_tools = lambda: [say]  # type: ignore[method-assign, list-item]
    context.register_plugin(shelf)
    assert context.tools.execute("say", {"text": "hi"}) == "hi"


@pytest.mark.parametrize(
    "later", [failing, lambda: None, dict, lambda: {"storeId": object()}, lambda: {"storeId": "shelf"}]
)
def test_a_store_that_cannot_describe_itself_any_more_is_left_out(
    later: Any, caplog: pytest.LogCaptureFixture
) -> None:
    context, shelf, other = context_of(), Shelf(), Shelf("other")
    other.name = "other"
    shelf.get_content = lambda: "filled"  # type: ignore[method-assign]
    for each in (shelf, other):
        context.register_plugin(each)
    context.add_user_message("hi")
    shelf.get_store_schema = later  # type: ignore[method-assign]
    text = str(context.prepare().input[0])
    assert '"other" (Other)' in text
    assert '"shelf" (Shelf)' not in text
    assert "# Shelf\\n\\nfilled" in text
    assert "Describing store shelf failed" in caplog.text
    assert context.calculate_budget().total_used > 0
    assert context.get_snapshot()["available"]
    assert context.get_view_context()["available"]
    assert context.get_sections()
    assert context.tools_tokens > 0
    arguments: Any = {"store": "shelf", "key": "k", "data": {"value": 1}}
    answer: Any = context.tools.execute("store_set", arguments)
    assert answer["success"] is False


def filled_beyond_the_gate(*plugins: Any) -> AgentContext:
    context = sized(10_000)
    for each in plugins:
        context.register_plugin(each)
    for _ in range(12):
        context.add_user_message(words(400))
        context.add_assistant_response(reply(words(400)))
    context.add_user_message("hi")
    return context


def test_room_is_made_while_a_store_cannot_describe_itself() -> None:
    shelf = Shelf()
    shelf.is_compactable = lambda: True  # type: ignore[method-assign]
    context = filled_beyond_the_gate(shelf)
    shelf.get_store_schema = failing  # type: ignore[method-assign]
    assert context.prepare().compacted


@pytest.mark.parametrize("priority", [None, "x"])
def test_room_is_made_when_a_priority_became_something_else(priority: Any) -> None:
    pad = NotePad("noted")
    context = filled_beyond_the_gate(pad)
    pad.compaction_priority = priority
    assert context.prepare().compacted
    assert [each.priority for each in summarize_components([pad])] == [10]


def test_a_snapshot_leaves_out_what_is_no_text(caplog: pytest.LogCaptureFixture) -> None:
    context, pad = context_of(tools=[say]), NotePad()
    context.register_plugin(pad)
    pad.instructions = 5  # type: ignore[assignment]
    tool = context.tools.get("say")
    assert tool is not None
    tool.description_source = failing
    shown: Any = context.get_snapshot()
    assert shown["plugins"][0]["instructionsTokenSize"] == 0
    assert shown["tools"][0]["description"] is None
    assert "Instructions of plugin note_pad left out: not text but int" in caplog.messages
