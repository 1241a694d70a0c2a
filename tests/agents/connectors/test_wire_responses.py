from typing import Any

import pytest

from agents.connectors.wire import WireError, from_responses, to_responses
from agents.context.messages import InputItem
from tests.agents.connectors.strict_wire_types import check_responses
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
    body = to_responses(items)
    check_responses(body)
    parts: list[dict[str, Any]] = body["input"]
    return parts


def text(role: str, words: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}


def test_a_whole_conversation_is_written() -> None:
    assert sent(*FULL) == [
        text("developer", "Be brief."),
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": PNG_URL, "detail": "auto"},
                {"type": "input_image", "image_url": PHOTO_URL, "detail": "auto"},
            ],
        },
        {"type": "message", "role": "assistant", "content": "I look twice."},
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "store_set",
            "arguments": '{"store":"notes","key":"a","value":[1,2.5,null]}',
        },
        {"type": "function_call", "call_id": "call_2", "name": "now", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"success":true}'},
        {
            "type": "function_call_output",
            "call_id": "call_2",
            "output": "Error: The clock stands still.\n\nlate",
        },
        {"type": "message", "role": "assistant", "content": "It is a dot."},
        text("user", "Thank you."),
    ]


def test_only_text_and_calls_of_an_assistant_are_written() -> None:
    odd = message("assistant", {"type": "input_text", "text": "a"}, image(PNG_URL))
    assert sent(odd) == [{"type": "message", "role": "assistant", "content": "a"}]


def test_tools_become_functions_that_are_not_strict() -> None:
    body = to_responses([user("hi")], TOOLS)
    check_responses(body)
    assert body["tools"][0] == {"type": "function", **TOOLS[0], "strict": False}
    assert "tools" not in to_responses([user("hi")])


def test_images_of_results_stand_in_the_output() -> None:
    picture = {"base64": PNG, "mediaType": "image/png"}
    asked = message("assistant", call("a"), call("b"))
    answered = message("user", result("a", "seen", __images=[picture]), result("b", "", __images=[picture]))
    shown = {"type": "input_image", "image_url": PNG_URL}
    assert [each["output"] for each in sent(asked, answered)[2:]] == [
        [{"type": "input_text", "text": "seen"}, shown],
        [shown],
    ]


def test_files_and_details_are_passed_on() -> None:
    (written,) = sent(
        message("user", image(PHOTO_URL, detail="low"), {"type": "input_file", "file_id": "f1"})
    )
    assert written["content"] == [
        {"type": "input_image", "image_url": PHOTO_URL, "detail": "low"},
        {"type": "input_file", "file_id": "f1"},
    ]


def test_reasoning_goes_back_in_its_place() -> None:
    reasons = [thinking("hm", "secret", "openai", id="rs_1"), thinking("", "more", "openai", id="rs_2")]
    written = sent(message("assistant", reasons[0], call("a"), reasons[1], call("b")))
    assert [each["type"] for each in written] == ["reasoning", "function_call"] * 2
    assert written[0] == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "secret",
    }
    assert written[2]["summary"] == []


@pytest.mark.parametrize(
    "block",
    [
        thinking("hm", "sig", "anthropic", id="rs_1"),
        {"type": "thinking", "thinking": "hm", "signature": "sig", "id": "rs_1"},
        {"type": "thinking", "thinking": "hm", "provider": "openai", "id": "rs_1"},
        thinking("hm", "sig", "openai"),
    ],
)
def test_thinking_of_others_and_without_signature_is_left_out(block: dict[str, Any]) -> None:
    assert sent(message("assistant", block, {"type": "output_text", "text": "a"})) == [
        {"type": "message", "role": "assistant", "content": "a"}
    ]


def test_opaque_items_go_back_to_their_provider_only() -> None:
    opaque: list[Any] = [
        {"type": "compaction", "id": "c1", "encrypted_content": "x", "provider": "openai", "account": "a"},
        {"type": "compaction", "id": "c2", "encrypted_content": "y"},
        {"type": "compaction", "id": "c3", "encrypted_content": "x", "provider": "anthropic"},
        {"type": "compaction", "id": "c4"},
        {"type": "reasoning", "id": "r1", "encrypted_content": "z"},
    ]
    assert sent(*opaque, assistant("so")) == [
        {"type": "compaction", "id": "c1", "encrypted_content": "x"},
        {"type": "compaction", "id": "c2", "encrypted_content": "y"},
        {"summary": [], "type": "reasoning", "id": "r1", "encrypted_content": "z"},
        {"type": "message", "role": "assistant", "content": "so"},
    ]


def test_an_id_of_another_provider_is_made_acceptable_on_both_sides() -> None:
    asked, answered = sent(message("assistant", call("a:0")), message("user", result("a:0")))
    assert asked["call_id"] == answered["call_id"] != "a:0"


def test_a_conversation_comes_back_equal_except_for_what_the_api_cannot_say() -> None:
    expected = contents(FULL)
    expected[3][1][1] = result("call_2", "Error: The clock stands still.\n\nlate")
    assert contents(from_responses(to_responses(FULL)["input"])) == expected


def test_reasoning_images_and_details_come_back_equal() -> None:
    items = [
        message("user", image(PHOTO_URL, detail="low"), {"type": "input_file", "file_id": "f1"}),
        message("assistant", thinking("hm", "secret", "openai", id="rs_1"), call("a")),
        message("user", result("a", "seen", __images=[{"base64": PNG, "mediaType": "image/png"}])),
    ]
    assert contents(from_responses(to_responses(items)["input"])) == contents(items)


def test_opaque_items_come_back_in_their_place() -> None:
    compaction = {"type": "compaction", "id": "c1", "encrypted_content": "x", "provider": "openai"}
    items: list[Any] = [user("a"), compaction, {**compaction, "id": "c2"}, assistant("b")]
    read = from_responses(to_responses(items)["input"])
    assert [item["type"] for item in read] == ["message", "compaction", "compaction", "message"]
    assert read[1:3] == items[1:3]


def test_a_compaction_without_id_gets_one() -> None:
    read = from_responses([{"type": "compaction", "encrypted_content": "x"}])
    assert read[0]["id"] == "cmp_0"


def test_the_output_of_a_reply_becomes_one_message() -> None:
    output: list[dict[str, Any]] = [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "status": None,
        },
        {
            "type": "message",
            "id": "msg_abc",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "Let me see.", "annotations": []},
                {"type": "refusal", "refusal": "No."},
                {"type": "output_text", "text": ""},
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "a",
            "name": "now",
            "arguments": "{}",
            "status": "completed",
        },
    ]
    ((role, blocks),) = contents(from_responses(output))
    assert role == "assistant"
    assert blocks == [
        {"type": "thinking", "thinking": "hm", "id": "rs_1", "provider": "openai", "persistInHistory": False},
        {"type": "output_text", "text": "Let me see."},
        {"type": "output_text", "text": "No."},
        call("a"),
    ]


def test_reasoning_with_a_signature_is_kept_in_the_history() -> None:
    ((_, (block,)),) = contents(
        from_responses([{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "secret"}])
    )
    assert block == thinking("", "secret", "openai", id="rs_1")


def test_an_input_of_one_text_is_a_user_message() -> None:
    assert contents(from_responses("hi")) == contents([user("hi")])


def test_short_messages_are_read() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_image", "file_id": "f1", "detail": "auto"}]},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "Yes."},
    ]
    assert contents(from_responses(messages)) == [
        *contents([developer("Be brief.")]),
        ("user", [{"type": "input_file", "file_id": "f1"}]),
        *contents([assistant("Yes.")]),
    ]


def test_users_who_speak_twice_are_two_messages() -> None:
    assert len(from_responses([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}])) == 2


@pytest.mark.parametrize(
    "foreign",
    [
        {"type": "web_search_call", "id": "a"},
        {"type": "function_call", "call_id": "a", "name": "f"},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": {}},
        {"type": "function_call_output", "call_id": "a"},
        {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_file", "file_id": "f"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_audio"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_file", "file_data": "a"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_audio"}]},
        {"type": "reasoning", "summary": []},
        {"content": "a"},
    ],
)
def test_what_has_no_counterpart_is_refused(foreign: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        from_responses([foreign])
