from typing import Any

import pytest

from agents.connectors.wire import WireError, from_chat, to_chat
from agents.context.messages import InputItem
from tests.agents.connectors.strict_wire_types import check_chat
from tests.agents.connectors.wire_cast import (
    FULL,
    PHOTO_URL,
    PNG,
    PNG_URL,
    TOOLS,
    assistant,
    call,
    contents,
    developer,
    image,
    message,
    result,
    thinking,
    user,
)


def sent(*items: InputItem) -> list[dict[str, Any]]:
    body = to_chat(items)
    check_chat(body)
    messages: list[dict[str, Any]] = body["messages"]
    return messages


def test_a_whole_conversation_is_written() -> None:
    assert sent(*FULL) == [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": PNG_URL}},
                {"type": "image_url", "image_url": {"url": PHOTO_URL}},
            ],
        },
        {
            "role": "assistant",
            "content": "I look twice.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {
                        "name": "store_set",
                        "arguments": '{"store":"notes","key":"a","value":[1,2.5,null]}',
                    },
                },
                {"id": "call_2", "type": "function", "function": {"name": "now", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"success":true}'},
        {"role": "tool", "tool_call_id": "call_2", "content": "Error: The clock stands still.\n\nlate"},
        {"role": "assistant", "content": "It is a dot."},
        {"role": "user", "content": "Thank you."},
    ]


def test_tools_become_functions() -> None:
    body = to_chat([user("hi")], TOOLS)
    check_chat(body)
    assert body["tools"][1] == {"type": "function", "function": TOOLS[1]}
    assert "tools" not in to_chat([user("hi")])


def test_older_models_get_the_role_system() -> None:
    assert to_chat([developer("a"), user("b")], system_role="system")["messages"][0]["role"] == "system"


def test_calls_alone_have_no_content() -> None:
    (written,) = sent(message("assistant", call("a")))
    assert written["content"] is None


def test_several_texts_stay_apart() -> None:
    texts = [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]
    (written,) = sent(message("assistant", *texts))
    assert written["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]


def test_files_and_details_are_passed_on() -> None:
    (written,) = sent(
        message("user", image(PHOTO_URL, detail="low"), {"type": "input_file", "file_id": "f1"})
    )
    assert written["content"] == [
        {"type": "image_url", "image_url": {"url": PHOTO_URL, "detail": "low"}},
        {"type": "file", "file": {"file_id": "f1"}},
    ]


def test_thinking_and_opaque_items_are_left_out() -> None:
    only_thinking = message("assistant", thinking("hm", "sig", "anthropic"))
    opaque: Any = {"type": "compaction", "id": "c", "encrypted_content": "x"}
    assert sent(user("a"), only_thinking, opaque) == [{"role": "user", "content": "a"}]


def test_images_of_results_follow_all_results() -> None:
    picture = {"base64": PNG, "mediaType": "image/png"}
    written = sent(
        message("assistant", call("a"), call("b")),
        message("user", result("a", "", __images=[picture]), result("b")),
    )
    assert [each["role"] for each in written] == ["assistant", "tool", "tool", "user"]
    assert written[3]["content"] == [
        {"type": "text", "text": "Images of the result of call a:"},
        {"type": "image_url", "image_url": {"url": PNG_URL}},
    ]


def test_results_stand_directly_after_their_calls() -> None:
    written = sent(
        message("assistant", call("a"), call("b")), user("hurry"), message("user", result("b"), result("a"))
    )
    assert [each["role"] for each in written] == ["assistant", "tool", "tool", "user"]


def test_an_id_of_another_provider_is_made_acceptable_on_both_sides() -> None:
    written = sent(message("assistant", call("functions.now:0")), message("user", result("functions.now:0")))
    assert written[0]["tool_calls"][0]["id"] == written[1]["tool_call_id"]
    assert ":" not in written[1]["tool_call_id"]


def test_a_conversation_comes_back_equal_except_for_what_the_api_cannot_say() -> None:
    expected = contents(FULL)
    expected[3][1][1] = result("call_2", "Error: The clock stands still.\n\nlate")
    assert contents(from_chat(to_chat(FULL)["messages"])) == expected


def test_a_single_reply_becomes_output_items() -> None:
    reply = {
        "role": "assistant",
        "content": "Let me see.",
        "refusal": None,
        "reasoning_content": "hm",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "now", "arguments": "{}"}}],
    }
    assert from_chat([reply]) == [
        {
            "type": "message",
            "id": "msg_0",
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "persistInHistory": False},
                {"type": "output_text", "text": "Let me see."},
                {"type": "tool_use", "id": "a", "name": "now", "arguments": "{}"},
            ],
        }
    ]


def test_a_refusal_is_text() -> None:
    assert contents(from_chat([{"role": "assistant", "content": None, "refusal": "No."}])) == contents(
        [assistant("No.")]
    )


@pytest.mark.parametrize("role", ["system", "developer"])
def test_both_roles_of_a_system_message_are_read(role: str) -> None:
    parts = [{"type": "text", "text": "a"}]
    assert contents(from_chat([{"role": role, "content": parts}])) == contents([developer("a")])


def test_parts_of_a_user_message_are_read() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": PHOTO_URL, "detail": "high"}},
        {"type": "file", "file": {"file_id": "f1"}},
    ]
    read = from_chat([{"role": "user", "content": parts}])
    assert contents(read) == [
        (
            "user",
            [
                {"type": "input_text", "text": "a"},
                image(PHOTO_URL, detail="high"),
                {"type": "input_file", "file_id": "f1"},
            ],
        )
    ]


def test_results_of_one_batch_are_one_item_and_of_the_next_another() -> None:
    calls = [{"id": each, "type": "function", "function": {"name": "f", "arguments": "{}"}} for each in "abc"]
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": calls[:2]},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "1"}]},
        {"role": "tool", "tool_call_id": "b", "content": "2", "name": "f"},
        {"role": "assistant", "content": "", "tool_calls": calls[2:]},
        {"role": "tool", "tool_call_id": "c", "content": "3"},
    ]
    assert contents(from_chat(messages))[1::2] == [
        ("user", [result("a", "1"), result("b", "2")]),
        ("user", [result("c", "3")]),
    ]


def test_a_message_without_anything_is_left_out() -> None:
    assert from_chat([{"role": "assistant", "content": None}, {"role": "user", "content": None}]) == []


@pytest.mark.parametrize(
    "foreign",
    [
        {"role": "function", "name": "f", "content": "a"},
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
        {"role": "user", "content": [{"type": "file", "file": {"file_data": "a"}}]},
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "custom", "custom": {}}]},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]},
        {"role": "assistant", "tool_calls": [{"id": "a"}]},
        {"role": "tool", "content": "a"},
        {"content": "a"},
        {"role": "user", "content": 5},
        {"role": "user", "content": [None]},
    ],
)
def test_what_has_no_counterpart_is_refused(foreign: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        from_chat([foreign])
