import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agents.connectors.validate import WireFormat, faults_of
from agents.connectors.wire import (
    from_anthropic,
    from_chat,
    from_responses,
    to_anthropic,
    to_chat,
    to_responses,
)
from agents.connectors.wire.parts import (
    NothingToSend,
    WireError,
    arguments_text,
    numbered,
    part_text,
    reading,
    repaired,
    result_image,
    result_image_urls,
    result_text,
    results_first,
    safe_id,
    safe_name,
    sendable,
    split_data_url,
    texts_of,
    unique_calls,
)
from agents.context import AgentContext
from agents.context.messages import InputItem
from tests.agents.connectors.wire_cast import (
    FULL,
    PHOTO_URL,
    PNG,
    PNG_URL,
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

FORMATS: list[tuple[Callable[[Sequence[InputItem]], dict[str, Any]], WireFormat]] = [
    (to_chat, "chat"),
    (to_responses, "responses"),
    (to_anthropic, "anthropic"),
]


def test_a_sound_conversation_keeps_its_order() -> None:
    assert list(results_first(FULL)) == FULL


def test_results_move_up_to_their_calls() -> None:
    asked = message("assistant", call("a"), call("b"))
    late = message("user", {"type": "input_text", "text": "and this"}, result("b"), item_id="late")
    items = [asked, user("hurry"), message("user", result("a"), item_id="first"), late, assistant("done")]
    assert contents(list(results_first(items))) == [
        ("assistant", [call("a"), call("b")]),
        ("user", [result("a"), result("b")]),
        ("user", [{"type": "input_text", "text": "hurry"}]),
        ("user", [{"type": "input_text", "text": "and this"}]),
        ("assistant", [{"type": "output_text", "text": "done"}]),
    ]


def test_a_system_message_at_the_end_stays_behind_the_results() -> None:
    items = [message("assistant", call("a")), developer("tail"), message("user", result("a"))]
    assert [role for role, _ in contents(list(results_first(items)))] == ["assistant", "user", "developer"]


STRAYS: list[tuple[str, dict[str, Any]]] = [
    ("developer", image(PHOTO_URL)),
    ("developer", result("a")),
    ("assistant", result("a")),
    ("assistant", image(PHOTO_URL)),
    ("user", call("b")),
    ("user", thinking("hm", "sig", "anthropic")),
    ("user", {"type": "input_text", "text": ""}),
    ("user", {"type": "input_file", "file_id": ""}),
    ("assistant", {"type": "output_text", "text": ""}),
]


@pytest.mark.parametrize(("role", "block"), STRAYS)
def test_what_may_not_stand_in_its_role_is_left_out_of_every_format(role: str, block: dict[str, Any]) -> None:
    word = {"type": "output_text" if role == "assistant" else "input_text", "text": "word"}
    around = [user("hi"), message("assistant", call("a")), message("user", result("a"))]
    given = [*around, message(role, word, block), message(role, block), user("so?")]
    kept = [*around, message(role, word), user("so?")]
    assert sendable(given) == kept
    for write, wire_format in FORMATS:
        assert write(given) == write(kept)
        assert not faults_of(write(given), wire_format)


def test_nothing_is_changed_where_all_is_in_its_place() -> None:
    assert all(sent is given for sent, given in zip(sendable(FULL), FULL, strict=True))


THOUGHT = thinking("hm", "sig", "anthropic")
SECRET = thinking("hm", "sig", "openai", id="rs_1")
REASONING: Any = {"type": "reasoning", "id": "rs_2", "encrypted_content": "x"}
COMPACTION: Any = {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}


@pytest.mark.parametrize("thought", [THOUGHT, SECRET])
def test_thinking_that_led_to_nothing_is_left_out_of_every_format(thought: dict[str, Any]) -> None:
    text = {"type": "output_text", "text": "a"}
    given = [
        user("hi"),
        message("assistant", thought, text, thought),
        user("so?"),
        message("assistant", thought),
    ]
    kept = [user("hi"), message("assistant", thought, text), user("so?")]
    assert sendable(given) == kept
    for write, wire_format in FORMATS:
        assert write(given) == write(kept)
        assert not faults_of(write(given), wire_format)


def test_reasoning_stays_where_the_assistant_goes_on() -> None:
    items = [user("hi"), REASONING, REASONING, message("assistant", THOUGHT), assistant("so")]
    assert sendable(items) == items
    assert to_chat(items) == to_chat([user("hi"), assistant("so")])
    assert sendable([user("hi"), REASONING, COMPACTION, assistant("so")]) == [
        user("hi"),
        COMPACTION,
        assistant("so"),
    ]
    assert sendable([user("hi"), REASONING, user("so?")]) == [user("hi"), user("so?")]


@pytest.mark.parametrize("signature", ["", None])
def test_thinking_with_an_empty_signature_is_left_out(signature: object) -> None:
    items = []
    for block in (THOUGHT, SECRET):
        items += [user("hi"), message("assistant", {**block, "signature": signature}, call("a"))]
        items += [message("user", result("a"))]
    plain = [user("hi"), message("assistant", call("a")), message("user", result("a"))] * 2
    for write, _ in FORMATS:
        assert write(items) == write(plain)


@pytest.mark.parametrize(
    "items", [[], [developer("Be brief.")], [developer("a"), message("user", call("a"))]]
)
def test_a_prompt_without_a_message_is_refused_with_a_remedy(items: list[Any]) -> None:
    for write, _ in FORMATS:
        with pytest.raises(NothingToSend, match="Say something first, with add_user_message"):
            write(items)


def test_only_its_provider_takes_a_compaction_for_a_message() -> None:
    assert to_responses([COMPACTION])["input"]
    for write in (to_chat, to_anthropic):
        with pytest.raises(NothingToSend):
            write([COMPACTION])


def test_a_context_without_messages_can_still_be_inspected() -> None:
    prepared = AgentContext.create(model="gpt-4.1", system_prompt="Be brief.").prepare()
    assert prepared.budget.total_used > 0
    with pytest.raises(NothingToSend):
        to_chat(prepared.input)


def test_opaque_items_keep_their_place() -> None:
    opaque: Any = {"type": "compaction", "id": "c", "encrypted_content": "x"}
    items = [user("a"), opaque, user("b")]
    assert list(results_first(items)) == items


def test_the_given_items_are_not_changed() -> None:
    items = [message("assistant", call("a")), user("hurry"), message("user", result("a"))]
    before = contents(items)
    list(results_first(items))
    assert contents(items) == before


def test_an_id_that_everybody_accepts_is_kept() -> None:
    assert safe_id("call_oIHazX6yQrB8hUwl4cRilFKj", 40) == "call_oIHazX6yQrB8hUwl4cRilFKj"
    assert safe_id("x" * 40, 40) == "x" * 40


@pytest.mark.parametrize("call_id", ["functions.now:0", "", "x" * 41, "ä", "a b", "\ud800"])
def test_any_other_id_becomes_the_same_digest_every_time(call_id: str) -> None:
    safe = safe_id(call_id, 40)
    assert safe == safe_id(call_id, 40)
    assert safe != call_id
    assert safe == safe_id(safe, 40)


def test_different_ids_stay_different() -> None:
    assert safe_id("a:0", 40) != safe_id("a:1", 40)


@pytest.mark.parametrize("name", ["store_set", "mcp__server-1__Tool", "x" * 64, "9"])
def test_a_name_that_everybody_accepts_is_kept(name: str) -> None:
    assert safe_name(name) == name


@pytest.mark.parametrize("name", ["", "functions.now", "two words", "x" * 65, "größe", "a\n", "\ud800", "9."])
def test_any_other_name_becomes_one_that_everybody_accepts(name: str) -> None:
    safe = safe_name(name)
    assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", safe)
    assert safe == safe_name(name) == safe_name(safe)


def test_what_can_be_read_of_a_name_is_kept_and_different_names_stay_different() -> None:
    assert safe_name("functions.now").startswith("tool_functions_now_")
    assert safe_name("functions.now") != safe_name("functions:now")


@pytest.mark.parametrize("name", ["", "functions.now", "x" * 400, "\ud800"])
def test_every_provider_takes_a_history_with_a_name_that_a_model_invented(name: str) -> None:
    items = [user("When?"), message("assistant", call("a", name)), message("user", result("a")), user("So?")]
    assert not faults_of(to_chat(items), "chat")
    assert not faults_of(to_responses(items), "responses")
    assert not faults_of(to_anthropic(items), "anthropic")


def test_an_error_stands_before_the_text() -> None:
    assert result_text(result("a", "12:00")) == "12:00"  # type: ignore[arg-type]
    assert result_text(result("a", "12:00", error="late")) == "Error: late\n\n12:00"  # type: ignore[arg-type]
    assert result_text(result("a", "", error="late")) == "Error: late"  # type: ignore[arg-type]


def test_images_of_a_result_become_addresses() -> None:
    images = [
        {"base64": PNG, "mediaType": "image/png"},
        {"base64": "abc"},
        {"url": PHOTO_URL},
        {"base64": ""},
        "not an image",
    ]
    assert result_image_urls(result("a", __images=images)) == [  # type: ignore[arg-type]
        PNG_URL,
        "data:image/png;base64,abc",
        PHOTO_URL,
    ]
    assert result_image_urls(result("a")) == []  # type: ignore[arg-type]


def test_images_come_back_in_the_form_of_a_result() -> None:
    assert result_image(PNG_URL) == {"base64": PNG, "mediaType": "image/png"}
    assert result_image(PHOTO_URL) == {"url": PHOTO_URL}


def test_a_data_url_is_split() -> None:
    assert split_data_url("data:Image/SVG+xml;base64,PHN2Zz4=") == ("image/svg+xml", "PHN2Zz4=")
    assert split_data_url("data:text/plain,hello") is None
    assert split_data_url(PHOTO_URL) is None


def test_broken_text_is_repaired_on_the_way_in() -> None:
    given = [{"role": "user", "content": "a\x00b\ud800"}]
    assert repaired(given) == [{"role": "user", "content": "a\ufffdb\ufffd"}]
    assert given[0]["content"] == "a\x00b\ud800"


def test_messages_are_numbered_and_empty_ones_left_out() -> None:
    block = {"type": "input_text", "text": "a"}
    assert numbered([("user", [block]), ("assistant", []), ("user", [block])]) == [
        {"type": "message", "id": "msg_0", "role": "user", "content": [block]},
        {"type": "message", "id": "msg_1", "role": "user", "content": [block]},
    ]


def test_a_block_the_context_would_refuse_is_an_error() -> None:
    with pytest.raises(WireError, match="tool_use"):
        numbered([("assistant", [{"type": "tool_use", "id": "a", "name": "f", "arguments": {}}])])


def test_texts_of_a_content() -> None:
    assert texts_of(None, "text") == []
    assert texts_of("a", "text") == ["a"]
    parts = [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}]
    assert texts_of(parts, "text", "refusal") == ["a", "no"]


def test_a_part_without_counterpart_is_named() -> None:
    with pytest.raises(WireError, match="input_audio"):
        part_text({"type": "input_audio"}, "text")


@pytest.mark.parametrize("fault", [KeyError("content"), TypeError("no"), AttributeError("no")])
def test_the_faults_of_a_malformed_message_name_its_place(fault: Exception) -> None:
    with pytest.raises(WireError, match="Message 3 is malformed"), reading(3):
        raise fault


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("{}", "{}"),
        ("", "{}"),
        ("  ", "{}"),
        ('{"a": ', '{"invalid_json":"{\\"a\\": "}'),
        ("[1]", '{"invalid_json":"[1]"}'),
        ("null", '{"invalid_json":"null"}'),
        ('{"a": 1e999}', '{"invalid_json":"{\\"a\\": 1e999}"}'),
        ('{"invalid_json": 12345678901234567890}', '{"invalid_json": 12345678901234567890}'),
        ('{"a": "\\ud800\\u0000"}', '{"a": "\\ud800\\u0000"}'),
    ],
)
def test_arguments_are_sent_as_written_or_as_an_object(written: str, sent: str) -> None:
    assert arguments_text(written) == sent


def test_calls_that_are_numbered_anew_get_ids_of_their_own() -> None:
    items = [
        message("assistant", call("call_0", "now")),
        message("user", result("call_0", "1")),
        message("assistant", call("call_0", "now"), call("call_1", "now")),
        message("user", result("call_0", "2"), result("call_1", "3")),
        user("thanks"),
        message("assistant", call("call_0", "now")),
        message("user", result("call_0", "4")),
    ]
    ids = [
        block.get("id") or block.get("tool_use_id")
        for item in unique_calls(items)
        if item["type"] == "message"
        for block in item["content"]
        if block["type"] != "input_text"
    ]
    assert ids == [
        *("call_0", "call_0", "call_0-2", "call_1", "call_0-2", "call_1", "call_0-3", "call_0-3"),
    ]
    assert faults_of(to_anthropic([user("hi"), *items]), "anthropic") == []


@pytest.mark.parametrize("read", [from_chat, from_responses, from_anthropic])
@pytest.mark.parametrize("messages", [None, 5, {"role": "user"}])
def test_what_is_no_list_of_messages_is_refused(read: Any, messages: Any) -> None:
    with pytest.raises(WireError, match="The messages are a list"):
        read(messages)


@pytest.mark.parametrize("read", [from_chat, from_responses, from_anthropic])
def test_what_is_no_message_is_refused_with_its_place(read: Any) -> None:
    with pytest.raises(WireError, match="Message 0 is malformed"):
        read([5])
