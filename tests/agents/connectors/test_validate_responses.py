"""The validator of Responses bodies refuses what the API refuses, and says where and why."""

from typing import Any

import pytest

from agents.connectors.validate import faults_of
from tests.agents.connectors.sound_bodies import RESPONSES, Break, broken, drop, insert, put, swap

OUTPUT: dict[str, Any] = {"type": "function_call_output", "call_id": "c1", "output": "again"}
USER: dict[str, Any] = {"role": "user", "content": "Hey"}

BREAKS: list[tuple[str, Break, str, str]] = [
    ("no input", drop("input"), "input", "at least one item"),
    ("empty input", put("input", []), "input", "at least one item"),
    ("a blank text as input", put("input", "  "), "input", "more than white space"),
    ("an item that is a text", put("input", 2, "hi"), "input[2]", "is an object"),
    ("an unknown item", put("input", 2, "type", "web"), "input[2].type", "must be one of"),
    ("an item of a listed type", put("input", 2, "type", ["message"]), "input[2].type", "must be one of"),
    ("an unknown role", put("input", 2, "role", "tool"), "input[2].role", "must be one of"),
    ("a message without role", drop("input", 2, "role"), "input[2]", "`role` is required"),
    ("a message without content", drop("input", 2, "content"), "input[2]", "`content` is required"),
    ("an empty message", put("input", 11, "content", ""), "input[11].content", "not be empty"),
    ("a message of no parts", put("input", 2, "content", []), "input[2].content", "empty list"),
    ("an unknown field", put("input", 2, "name", "x"), "input[2].name", "no field"),
    (
        "output text of a user",
        put("input", 2, "content", 0, "type", "output_text"),
        "content[0].type",
        "input_text",
    ),
    (
        "input text of the assistant",
        put("input", 9, "content", 0, "type", "input_text"),
        "content[0].type",
        "output_text",
    ),
    ("an empty text", put("input", 2, "content", 0, "text", ""), "input[2].content[0].text", "not be empty"),
    (
        "a text of a number",
        put("input", 2, "content", 0, "text", 3),
        "input[2].content[0].text",
        "must be a text",
    ),
    (
        "an image without address",
        drop("input", 2, "content", 1, "image_url"),
        "content[1].image_url",
        "by a text",
    ),
    ("an image on a disk", put("input", 2, "content", 1, "image_url", "/a.png"), "image_url", "http(s)"),
    (
        "an image in an object",
        put("input", 2, "content", 1, "image_url", {"url": "x"}),
        "image_url",
        "by a text",
    ),
    ("an odd detail", put("input", 2, "content", 1, "detail", "max"), "detail", "must be one of auto"),
    (
        "an image with an empty file id",
        put("input", 2, "content", 2, "file_id", ""),
        "file_id",
        "not be empty",
    ),
    ("a file without id", drop("input", 2, "content", 3, "file_id"), "content[3]", "needs `file_id`"),
    ("an empty refusal", put("input", 10, "content", 0, "refusal", ""), "refusal", "not be empty"),
    ("a call without id", drop("input", 5, "call_id"), "input[5]", "`call_id` is required"),
    ("a call id with a dot", put("input", 5, "call_id", "c.1"), "input[5].call_id", "made of letters"),
    ("a call id that is too long", put("input", 5, "call_id", "c" * 65), "input[5].call_id", "at most 64"),
    ("a call without name", drop("input", 5, "name"), "input[5]", "`name` is required"),
    ("a call name with a dot", put("input", 5, "name", "re.ad"), "input[5].name", "tool's name"),
    ("arguments that are an object", put("input", 5, "arguments", {}), "input[5].arguments", "JSON text"),
    ("arguments cut off", put("input", 5, "arguments", "{"), "input[5].arguments", "must be JSON"),
    ("arguments that are a number", put("input", 5, "arguments", "7"), "input[5].arguments", "of an object"),
    ("an output missing", drop("input", 8), "input", "have no outputs"),
    ("a call missing", drop("input", 5), "input[7]", "no open call"),
    ("an output twice", insert("input", 9, OUTPUT), "input[9]", "no open call"),
    ("an output before its call", swap("input", 6, 7), "input[6]", "no open call"),
    ("two open calls with one id", put("input", 6, "call_id", "c1"), "input[6]", "two open calls"),
    ("somebody between call and output", insert("input", 7, USER), "input[7]", "before the outputs"),
    ("an output without text", drop("input", 7, "output"), "input[7]", "`output` is required"),
    ("an output of an object", put("input", 7, "output", {"a": 1}), "input[7].output", "text or a list"),
    ("an output of no parts", put("input", 7, "output", []), "input[7].output", "empty list"),
    ("reasoning without id", drop("input", 3, "id"), "input[3]", "`id` is required"),
    ("reasoning with an empty id", put("input", 3, "id", ""), "input[3].id", "not be empty"),
    ("reasoning without summary", drop("input", 3, "summary"), "input[3]", "`summary` is required"),
    (
        "reasoning with a text as summary",
        put("input", 3, "summary", "hm"),
        "input[3].summary",
        "list of parts",
    ),
    (
        "reasoning with empty content",
        put("input", 3, "encrypted_content", ""),
        "encrypted_content",
        "not be empty",
    ),
    ("reasoning that leads nowhere", put("input", [USER, RESPONSES["input"][4]]), "input[1]", "led to"),
    ("reasoning before a user", insert("input", 5, USER), "input[4]", "led to"),
    (
        "a compaction without content",
        drop("input", 0, "encrypted_content"),
        "input[0]",
        "`encrypted_content`",
    ),
    (
        "an empty compaction",
        put("input", 0, "encrypted_content", ""),
        "input[0].encrypted_content",
        "not be empty",
    ),
    ("half a surrogate pair", put("input", 11, "content", "\udc00"), "body.input[11].content", "surrogate"),
    (
        "a tuple of bytes",
        put("input", 2, "content", (b"a",)),
        "body.input[2].content[0]",
        "JSON has no bytes",
    ),
    ("no tool in tools", put("tools", []), "tools", "at least one tool"),
    ("a tool without name", drop("tools", 0, "name"), "tools[0]", "`name` is required"),
    ("a tool of an odd type", put("tools", 0, "type", "mcp"), "tools[0].type", "must be one of function"),
    ("a strictness of a text", put("tools", 0, "strict", "yes"), "tools[0].strict", "true or false"),
    ("a schema of a text", put("tools", 0, "parameters", "x"), "tools[0].parameters", "JSON schema"),
]


def test_a_sound_body_has_no_faults() -> None:
    assert faults_of(RESPONSES, "responses") == []
    assert faults_of({"input": "Hello"}, "responses") == []


@pytest.mark.parametrize(
    ("damage", "place", "rule"), [each[1:] for each in BREAKS], ids=[each[0] for each in BREAKS]
)
def test_it_refuses(damage: Break, place: str, rule: str) -> None:
    faults = faults_of(broken(RESPONSES, damage), "responses")
    assert any(place in fault.place and rule in fault.rule for fault in faults), faults


def test_what_is_no_body_at_all_is_refused() -> None:
    assert [str(fault) for fault in faults_of("hi", "responses")] == ["body: must be an object, not str"]
