"""The validator of Anthropic bodies refuses what the API refuses, and says where and why."""

from typing import Any

import pytest

from agents.connectors.validate import faults_of
from tests.agents.connectors.sound_bodies import ANTHROPIC, PIXEL, Break, broken, drop, insert, put, swap

RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "c1", "content": "again"}
CALL: dict[str, Any] = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
USER: dict[str, Any] = {"role": "user", "content": "Hey"}

BREAKS: list[tuple[str, Break, str, str]] = [
    ("no messages", drop("messages"), "messages", "at least one message"),
    ("empty messages", put("messages", []), "messages", "at least one message"),
    ("a message that is a text", put("messages", 4, "hi"), "messages[4]", "must be an object"),
    ("a system role", put("messages", 0, "role", "system"), "messages[0].role", "must be one of user"),
    ("a message without role", drop("messages", 0, "role"), "messages[0]", "`role` is required"),
    ("a message without content", drop("messages", 4, "content"), "messages[4]", "`content` is required"),
    ("a blank message", put("messages", 4, "content", "  "), "messages[4].content", "more than white space"),
    ("a message of no blocks", put("messages", 4, "content", []), "messages[4].content", "empty list"),
    ("a message with an id", put("messages", 4, "id", "x"), "messages[4].id", "no field"),
    ("the assistant first", drop("messages", 0), "messages[0].role", "first message is the user's"),
    ("the user twice", insert("messages", 4, USER), "messages[5].role", "must alternate"),
    (
        "the assistant twice",
        insert("messages", 4, {"role": "assistant", "content": "x"}),
        "messages[4].role",
        "must alternate",
    ),
    (
        "a blank text",
        put("messages", 0, "content", 0, "text", " \n"),
        "content[0].text",
        "more than white space",
    ),
    ("an empty text", put("messages", 0, "content", 0, "text", ""), "content[0].text", "not be empty"),
    (
        "an unknown block",
        put("messages", 0, "content", 0, "type", "video"),
        "content[0].type",
        "must be one of",
    ),
    (
        "a call of the user",
        put("messages", 4, "content", [CALL]),
        "messages[4].content[0].type",
        "must be one of",
    ),
    (
        "an image of the assistant",
        insert("messages", 1, "content", 0, ANTHROPIC["messages"][0]["content"][1]),
        "messages[1].content[0].type",
        "must be one of",
    ),
    (
        "an image without source",
        drop("messages", 0, "content", 1, "source"),
        "content[1]",
        "`source` is required",
    ),
    (
        "an image source of a text",
        put("messages", 0, "content", 1, "source", "x"),
        "content[1].source",
        "base64, url or file",
    ),
    (
        "an image of an odd type",
        put("messages", 0, "content", 1, "source", "media_type", "image/bmp"),
        "media_type",
        "must be one of",
    ),
    (
        "an image that is not base64",
        put("messages", 0, "content", 1, "source", "data", "%%%"),
        "source.data",
        "not base64",
    ),
    (
        "an image without data",
        put("messages", 0, "content", 1, "source", "data", ""),
        "source.data",
        "no data",
    ),
    (
        "an image in a data URL",
        put("messages", 0, "content", 2, "source", "url", f"data:image/png;base64,{PIXEL}"),
        "source.url",
        "http(s)",
    ),
    (
        "a file with a blank id",
        put("messages", 0, "content", 3, "source", "file_id", " "),
        "source.file_id",
        "white space",
    ),
    (
        "thinking of the user",
        insert("messages", 0, "content", 0, ANTHROPIC["messages"][1]["content"][0]),
        "messages[0].content[0].type",
        "must be one of",
    ),
    (
        "thinking without signature",
        drop("messages", 1, "content", 0, "signature"),
        "content[0]",
        "`signature` is required",
    ),
    (
        "thinking with an empty signature",
        put("messages", 1, "content", 0, "signature", ""),
        "signature",
        "not be empty",
    ),
    (
        "redacted thinking without data",
        drop("messages", 1, "content", 1, "data"),
        "content[1]",
        "`data` is required",
    ),
    (
        "thinking at the end of a message",
        put("messages", 3, "content", [ANTHROPIC["messages"][1]["content"][0]]),
        "messages[3]",
        "last block",
    ),
    ("a call without id", drop("messages", 1, "content", 2, "id"), "content[2]", "`id` is required"),
    (
        "a call id with a colon",
        put("messages", 1, "content", 2, "id", "c:1"),
        "content[2].id",
        "made of letters",
    ),
    (
        "a call with JSON text",
        put("messages", 1, "content", 2, "input", "{}"),
        "content[2].input",
        "must be an object",
    ),
    (
        "a call name of 129 letters",
        put("messages", 1, "content", 2, "name", "a" * 129),
        "content[2].name",
        "1 to 128",
    ),
    (
        "a call id used before",
        put("messages", 3, "content", [CALL]),
        "messages[3]",
        "used by an earlier call",
    ),
    (
        "two calls with one id",
        put("messages", 1, "content", 3, "id", "c1"),
        "messages[1]",
        "used by an earlier call",
    ),
    ("a result missing", drop("messages", 2, "content", 0), "messages[2]", "no results of the calls ['c2']"),
    ("a call missing", drop("messages", 1, "content", 3), "messages[2].content[0]", "no open call"),
    ("a result twice", insert("messages", 2, "content", 2, RESULT), "messages[2].content[2]", "no open call"),
    (
        "a result after a text",
        swap("messages", 2, "content", 1, 2),
        "messages[2].content[2]",
        "before everything else",
    ),
    (
        "a result one message later",
        put("messages", 4, "content", [RESULT]),
        "messages[4].content[0]",
        "no open call",
    ),
    (
        "calls at the end",
        put("messages", ANTHROPIC["messages"][:2]),
        "messages",
        "at the end have no results",
    ),
    (
        "a result without id",
        drop("messages", 2, "content", 0, "tool_use_id"),
        "content[0]",
        "`tool_use_id` is required",
    ),
    (
        "a result with a blank text",
        put("messages", 2, "content", 1, "content", " "),
        "content[1].content",
        "white space",
    ),
    (
        "a result of an object",
        put("messages", 2, "content", 1, "content", {"a": 1}),
        "content[1].content",
        "text or a list",
    ),
    (
        "a result with a call in it",
        put("messages", 2, "content", 1, "content", [CALL]),
        "content[1].content[0].type",
        "must be one of text",
    ),
    (
        "a failure that is a text",
        put("messages", 2, "content", 0, "is_error", "yes"),
        "is_error",
        "true or false",
    ),
    ("a blank system text", put("system", " "), "system", "white space"),
    ("an empty system", put("system", []), "system", "empty list"),
    ("an image as system", put("system", 0, "type", "image"), "system[0].type", "must be one of text"),
    (
        "half a surrogate pair",
        put("messages", 4, "content", "\ud83d"),
        "body.messages[4].content",
        "surrogate",
    ),
    ("no tool in tools", put("tools", []), "tools", "at least one tool"),
    ("a tool without schema", drop("tools", 0, "input_schema"), "tools[0]", "`input_schema` is required"),
    (
        "a tool wrapped for Chat",
        put("tools", 0, {"type": "function", "function": {}}),
        "tools[0]",
        "`name` is required",
    ),
]


def test_a_sound_body_has_no_faults() -> None:
    assert faults_of(ANTHROPIC, "anthropic") == []
    assert faults_of(broken(ANTHROPIC, put("system", "Be brief."), drop("messages", 4)), "anthropic") == []


@pytest.mark.parametrize(
    ("damage", "place", "rule"), [each[1:] for each in BREAKS], ids=[each[0] for each in BREAKS]
)
def test_it_refuses(damage: Break, place: str, rule: str) -> None:
    faults = faults_of(broken(ANTHROPIC, damage), "anthropic")
    assert any(place in fault.place and rule in fault.rule for fault in faults), faults


@pytest.mark.parametrize("content", ["A pixel. ", [{"type": "text", "text": "A pixel.\n"}]])
def test_a_last_assistant_text_must_not_end_with_white_space(content: object) -> None:
    body = broken(ANTHROPIC, drop("messages", 4), put("messages", 3, "content", content))
    assert [str(each) for each in faults_of(body, "anthropic")] == [
        "messages[3]: the last assistant text must not end with white space"
    ]


def test_what_is_no_body_at_all_is_refused() -> None:
    assert [str(fault) for fault in faults_of(None, "anthropic")] == ["body: must be an object, not NoneType"]
