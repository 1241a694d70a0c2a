"""The validators together: their errors, their independence, and what they say of our own bodies."""

import ast
from pathlib import Path

import pytest
from hypothesis import given

from agents.connectors import rules, validate
from agents.connectors.validate import InvalidBody, WireFormat, check_body, faults_of
from agents.connectors.wire import to_anthropic, to_chat, to_responses
from agents.context.messages import InputItem
from tests.agents.connectors.sound_bodies import ANTHROPIC, CHAT, RESPONSES, Body, broken, put
from tests.agents.connectors.test_wire_properties import CONVERSATIONS, THOROUGH
from tests.agents.connectors.wire_cast import TOOLS, user

SOUND: dict[WireFormat, Body] = {"chat": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC}


@pytest.mark.parametrize("wire_format", SOUND)
def test_a_sound_body_passes(wire_format: WireFormat) -> None:
    check_body(SOUND[wire_format], wire_format)


def test_the_error_names_format_places_and_rules() -> None:
    with pytest.raises(
        InvalidBody, match=r"breaks the chat format: messages\[6\].content: must not be"
    ) as caught:
        check_body(broken(CHAT, put("messages", 6, "content", "")), "chat")
    assert caught.value.wire_format == "chat"
    assert [fault.place for fault in caught.value.faults] == ["messages[6].content"]


def test_many_faults_are_counted_not_listed() -> None:
    with pytest.raises(InvalidBody, match="; and 4 more") as caught:
        check_body({"messages": [7] * 9}, "chat")
    assert len(caught.value.faults) == 9


def test_a_very_deep_body_is_no_danger() -> None:
    deep: list[object] = []
    for _ in range(50_000):
        deep = [deep]
    body = broken(CHAT, put("tools", 0, "function", "parameters", "examples", deep))
    assert faults_of(body, "chat") == []


def test_the_rules_do_not_know_the_engine_that_they_check() -> None:
    folder = Path(rules.__file__).parent
    for path in [*folder.glob("*.py"), Path(validate.__file__)]:
        imported = [
            node.module or ""
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom)
        ]
        assert not [
            name for name in imported if name.startswith(("agents.context", "agents.connectors.wire"))
        ]


@THOROUGH
@given(items=CONVERSATIONS)
def test_whatever_we_write_passes(items: list[InputItem]) -> None:
    asked = [*items, user("Go on.")]
    check_body(to_chat(asked, TOOLS), "chat")
    check_body(to_responses(asked, TOOLS), "responses")
    check_body(to_anthropic(asked, TOOLS), "anthropic")


def test_system_and_tools_are_optional() -> None:
    hello = {"messages": [{"role": "user", "content": "Hello"}]}
    assert faults_of(hello, "chat") == faults_of(hello, "anthropic") == []


def test_a_format_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="wire_format is one of chat, responses, anthropic"):
        faults_of({}, "smoke signals")  # type: ignore[arg-type]
