"""The validator of Chat bodies refuses what the API refuses, and says where and why."""

from typing import Any

import pytest

from agents.connectors.validate import faults_of
from tests.agents.connectors.sound_bodies import CHAT, Break, broken, drop, insert, put, swap

TOOL: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "again"}
NAN = float("nan")

BREAKS: list[tuple[str, Break, str, str]] = [
    ("no messages", drop("messages"), "messages", "at least one message"),
    ("empty messages", put("messages", []), "messages", "at least one message"),
    ("a message that is a text", put("messages", 0, "hi"), "messages[0]", "is an object"),
    ("an unknown role", put("messages", 0, "role", "function"), "messages[0].role", "must be one of"),
    ("a role that is a list", put("messages", 0, "role", ["user"]), "messages[0].role", "must be one of"),
    ("no content", drop("messages", 6, "content"), "messages[6]", "`content` is required"),
    ("empty content", put("messages", 6, "content", ""), "messages[6].content", "not be empty"),
    (
        "an empty list of parts",
        put("messages", 6, "content", []),
        "messages[6].content",
        "not be an empty list",
    ),
    ("content that is a number", put("messages", 6, "content", 7), "messages[6].content", "text or a list"),
    ("an unknown field", put("messages", 6, "id", "x"), "messages[6].id", "no field"),
    (
        "an unknown part",
        put("messages", 1, "content", 0, "type", "video"),
        "messages[1].content[0].type",
        "one of",
    ),
    (
        "a part that is a text",
        put("messages", 1, "content", 0, "x"),
        "messages[1].content[0]",
        "part is an object",
    ),
    (
        "an empty text part",
        put("messages", 1, "content", 0, "text", ""),
        "messages[1].content[0].text",
        "not be empty",
    ),
    (
        "a text part without text",
        drop("messages", 1, "content", 0, "text"),
        "messages[1].content[0]",
        "`text`",
    ),
    (
        "an image in a system message",
        put("messages", 0, "content", [{"type": "image_url"}]),
        "messages[0]",
        "one of text",
    ),
    (
        "an image without address",
        drop("messages", 1, "content", 1, "image_url", "url"),
        "messages[1].content[1]",
        "`url`",
    ),
    (
        "an image that is a text",
        put("messages", 1, "content", 1, "image_url", "x"),
        "messages[1].content[1]",
        "an object",
    ),
    (
        "an image on a disk",
        put("messages", 1, "content", 1, "image_url", "url", "file:///a"),
        "image_url.url",
        "http(s)",
    ),
    (
        "an image address of bytes",
        put("messages", 1, "content", 1, "image_url", "url", 7),
        "image_url.url",
        "by a text",
    ),
    (
        "an image of an odd type",
        put("messages", 1, "content", 1, "image_url", "url", "data:image/bmp;base64,AAAA"),
        "image_url.url",
        "must be one of image/jpeg",
    ),
    (
        "an image that is not base64",
        put("messages", 1, "content", 1, "image_url", "url", "data:image/png;base64,%%"),
        "image_url.url",
        "not base64",
    ),
    (
        "an image without data",
        put("messages", 1, "content", 1, "image_url", "url", "data:image/png;base64,"),
        "image_url.url",
        "no data",
    ),
    (
        "an image without base64 mark",
        put("messages", 1, "content", 1, "image_url", "url", "data:image/png,AAAA"),
        "image_url.url",
        "says ;base64",
    ),
    (
        "an odd detail",
        put("messages", 1, "content", 1, "image_url", "detail", "huge"),
        "detail",
        "must be one of auto",
    ),
    (
        "a file without id",
        put("messages", 1, "content", 3, "file", {}),
        "messages[1].content[3].file",
        "file_id",
    ),
    (
        "a file that is a text",
        put("messages", 1, "content", 3, "file", "f"),
        "messages[1].content[3].file",
        "an object",
    ),
    ("an empty refusal", put("messages", 5, "content", 0, "refusal", ""), "refusal", "not be empty"),
    (
        "an assistant message of nothing",
        put("messages", 5, {"role": "assistant"}),
        "messages[5]",
        "`content` or `tool_calls`",
    ),
    ("an empty assistant text", put("messages", 5, "content", ""), "messages[5].content", "not be empty"),
    (
        "an empty list of calls",
        put("messages", 5, "tool_calls", []),
        "messages[5].tool_calls",
        "at least one call",
    ),
    (
        "calls that are none",
        put("messages", 5, "tool_calls", None),
        "messages[5].tool_calls",
        "at least one call",
    ),
    ("a call that is a text", put("messages", 2, "tool_calls", 0, "c1"), "tool_calls[0]", "an object"),
    ("a call without id", drop("messages", 2, "tool_calls", 0, "id"), "tool_calls[0]", "`id`"),
    (
        "a call id with a colon",
        put("messages", 2, "tool_calls", 0, "id", "c:1"),
        "tool_calls[0].id",
        "made of letters",
    ),
    (
        "a call id that is too long",
        put("messages", 2, "tool_calls", 0, "id", "c" * 41),
        "tool_calls[0].id",
        "at most 40",
    ),
    (
        "a call of an odd type",
        put("messages", 2, "tool_calls", 0, "type", "custom"),
        "tool_calls[0].type",
        "function",
    ),
    (
        "a call without function",
        put("messages", 2, "tool_calls", 0, "function", None),
        "function",
        "an object",
    ),
    (
        "a tool name with a space",
        put("messages", 2, "tool_calls", 0, "function", "name", "re ad"),
        "name",
        "tool's name",
    ),
    (
        "an empty tool name",
        put("messages", 2, "tool_calls", 0, "function", "name", ""),
        "name",
        "tool's name",
    ),
    (
        "arguments that are an object",
        put("messages", 2, "tool_calls", 0, "function", "arguments", {}),
        "arguments",
        "JSON text",
    ),
    (
        "arguments cut off",
        put("messages", 2, "tool_calls", 0, "function", "arguments", '{"path":"a'),
        "arguments",
        "must be JSON",
    ),
    (
        "arguments that are a list",
        put("messages", 2, "tool_calls", 0, "function", "arguments", "[1]"),
        "arguments",
        "of an object",
    ),
    (
        "empty arguments",
        put("messages", 2, "tool_calls", 0, "function", "arguments", ""),
        "arguments",
        "must be JSON",
    ),
    (
        "two calls with one id",
        put("messages", 2, "tool_calls", 1, "id", "c1"),
        "messages[2].tool_calls",
        "same id",
    ),
    ("a result missing", drop("messages", 3), "messages[4]", "before the results of the calls ['c2']"),
    ("a call missing", drop("messages", 2, "tool_calls", 1), "messages[3]", "no open call"),
    ("a result twice", insert("messages", 5, TOOL), "messages[5]", "no open call"),
    ("a result without a call", insert("messages", 7, TOOL), "messages[7]", "no open call"),
    ("a result before its call", swap("messages", 2, 3), "messages[2]", "no open call"),
    (
        "somebody between call and result",
        insert("messages", 3, {"role": "user", "content": "Hey"}),
        "messages[3]",
        "before the results",
    ),
    ("a call at the end", put("messages", [CHAT["messages"][2]]), "messages", "at the end have no results"),
    ("a result without id", drop("messages", 3, "tool_call_id"), "messages[3]", "made of letters"),
    ("a result without content", drop("messages", 3, "content"), "messages[3]", "`content` is required"),
    (
        "a result that is an object",
        put("messages", 3, "content", {"a": 1}),
        "messages[3].content",
        "text or a list",
    ),
    (
        "half a surrogate pair",
        put("messages", 6, "content", "a\ud800"),
        "body.messages[6].content",
        "surrogate",
    ),
    ("a NUL", put("messages", 6, "content", "a\0"), "body.messages[6].content", "NUL"),
    ("bytes", put("messages", 6, "content", b"a"), "body.messages[6].content", "JSON has no bytes"),
    (
        "a number without end",
        put("tools", 0, "function", "parameters", "minimum", NAN),
        "parameters.minimum",
        "finite",
    ),
    (
        "a number beyond 2^53",
        put("tools", 0, "function", "parameters", "minimum", 2**60),
        "parameters.minimum",
        "2^53",
    ),
    (
        "a field name that is a number",
        put("tools", 0, "function", "parameters", "properties", {1: {}}),
        "properties",
        "name is a text",
    ),
    ("no tool in tools", put("tools", []), "tools", "at least one tool"),
    ("a tool that is a name", put("tools", 0, "read"), "tools[0]", "is an object"),
    ("a tool of an odd type", put("tools", 0, "type", "custom"), "tools[0].type", "must be function"),
    ("a tool without function", put("tools", 0, "function", 3), "tools[0].function", "must be an object"),
    (
        "two tools of one name",
        lambda body: body["tools"].append(body["tools"][0]),
        "tools[1]",
        "two tools are named",
    ),
    (
        "a tool name of bytes",
        put("tools", 0, "function", "name", None),
        "tools[0].function.name",
        "tool's name",
    ),
    (
        "a tool description of a list",
        put("tools", 0, "function", "description", []),
        "description",
        "must be a text",
    ),
    ("a tool without schema", drop("tools", 0, "function", "parameters"), "parameters", "JSON schema"),
    (
        "a schema of an array",
        put("tools", 0, "function", "parameters", "type", "array"),
        "parameters",
        "type object",
    ),
    (
        "properties in a list",
        put("tools", 0, "function", "parameters", "properties", []),
        "properties",
        "an object",
    ),
]


def test_a_sound_body_has_no_faults() -> None:
    assert faults_of(CHAT, "chat") == []


@pytest.mark.parametrize(
    ("damage", "place", "rule"), [each[1:] for each in BREAKS], ids=[each[0] for each in BREAKS]
)
def test_it_refuses(damage: Break, place: str, rule: str) -> None:
    faults = faults_of(broken(CHAT, damage), "chat")
    assert any(place in fault.place and rule in fault.rule for fault in faults), faults


def test_what_is_no_body_at_all_is_refused() -> None:
    assert [str(fault) for fault in faults_of([], "chat")] == ["body: must be an object, not list"]


def test_an_assistant_may_only_refuse() -> None:
    body = broken(CHAT, put("messages", 5, {"role": "assistant", "refusal": "No."}))
    assert faults_of(body, "chat") == []
