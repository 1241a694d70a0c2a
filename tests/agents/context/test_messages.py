from typing import Any, cast

import pytest

from agents.context import ToolCallState
from agents.context.errors import InvalidItem
from agents.context.messages import (
    ToolOutcome,
    assistant_message,
    tool_results_message,
    user_message,
)
from agents.context.wire_form import check_item

TEXT = {"type": "input_text", "text": "hi"}
USE = {"type": "tool_use", "id": "c1", "name": "look", "arguments": "{}"}


def assistant_of(*content: Any) -> list[dict[str, Any]]:
    return [{"type": "message", "role": "assistant", "content": list(content)}]


def made(output: Any) -> Any:
    return assistant_message("m", output)[0]


def result_of(**outcome: Any) -> Any:
    outcome = {"tool_use_id": "c1", "content": "ok"} | outcome
    return tool_results_message("m", [cast("ToolOutcome", outcome)])["content"][0]


def test_a_text_becomes_one_block() -> None:
    assert user_message("m", "hi") == {"type": "message", "id": "m", "role": "user", "content": [TEXT]}


def test_images_and_files_stand_beside_the_text() -> None:
    blocks: list[dict[str, Any]] = [
        TEXT,
        {"type": "input_image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
        {"type": "input_file", "file_id": "f1"},
    ]
    assert user_message("m", blocks)["content"] == blocks


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "non-empty"),
        (None, "text or a list of blocks"),
        ({"type": "input_text"}, "text or a list of blocks"),
        ([{"type": "video"}], "Unknown block 'video'"),
        (["text"], "Unknown block None"),
        ([{"type": "input_text"}], "`text` as str"),
        ([{"type": "input_text", "text": 3}], "`text` as str"),
        ([{"type": "input_image_url", "image_url": "x"}], "`image_url` as dict"),
        ([{"type": "input_image_url", "image_url": {}}], "`image_url.url`"),
        ([{"type": "tool_result", "tool_use_id": "c", "content": {}}], "`content` as str"),
        ("a\x00b", "cannot be stored"),
        ("\ud800", "cannot be stored"),
    ],
)
def test_a_user_message_of_another_form_is_refused_with_a_remedy(content: Any, words: str) -> None:
    with pytest.raises(InvalidItem) as caught:
        user_message("m", content)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("text", "dict, not str"),
        ({"type": "message"}, "`id`"),
        ({"type": "call", "id": "m"}, "type `message`"),
        ({"type": "message", "id": "m", "role": "system", "content": [TEXT]}, "roles user, assistant"),
        ({"type": "message", "id": "m", "role": "user", "content": "hi"}, "list of blocks"),
        ({"type": "reasoning", "id": "r", "encrypted_content": float("nan")}, "cannot be stored"),
    ],
)
def test_an_item_of_another_form_is_refused(item: object, words: str) -> None:
    with pytest.raises(InvalidItem) as caught:
        check_item(item)
    assert words in str(caught.value)


def test_what_only_a_provider_can_read_is_passed_as_it_is() -> None:
    item = {"type": "compaction", "id": "c", "encrypted_content": "x"}
    assert check_item(item) is item


@pytest.mark.parametrize("kind", ["text", "input_text", "output_text"])
def test_text_of_any_kind_becomes_output_text(kind: str) -> None:
    message = made(assistant_of({"type": kind, "text": "yes", "annotations": []}))
    assert message["role"] == "assistant"
    assert message["content"] == [{"type": "output_text", "text": "yes", "annotations": []}]


def test_a_bare_text_and_an_object_with_output_are_responses_too() -> None:
    class Response:
        output = assistant_of({"type": "output_text", "text": "yes"})

    class Short:
        output = "yes"

    expected = [{"type": "output_text", "text": "yes"}]
    for output in ("yes", Response(), Short(), [{"type": "message", "content": "yes"}]):
        assert made(output)["content"] == expected


@pytest.mark.parametrize("output", [7, None, object()])
def test_a_response_of_another_form_is_refused(output: object) -> None:
    with pytest.raises(InvalidItem, match="assistant response"):
        assistant_message("m", output)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ([None], "items of an assistant response are dicts"),
        (["text"], "items of an assistant response are dicts"),
        ([{}], "dicts with a `type`"),
        ([{"role": "assistant", "content": "said"}], "dicts with a `type`"),
        ([{"type": "message", "role": "user", "content": "said"}], "have the role assistant"),
        ([{"type": "message", "content": [None]}], "text or a list of blocks"),
        ([{"type": "message", "content": 7}], "text or a list of blocks"),
        ([{"type": "message", "content": {"type": "text"}}], "text or a list of blocks"),
        ([{"type": "message", "content": [{"type": "tool_use", "arguments": {"n": 2**60}}]}], "arguments"),
    ],
)
def test_a_malformed_part_of_a_response_is_refused(output: Any, words: str) -> None:
    with pytest.raises(InvalidItem, match=words):
        assistant_message("m", output)


def test_all_message_items_of_a_response_become_one_message_in_order() -> None:
    output = [
        *assistant_of({"type": "output_text", "text": "first"}),
        {"type": "reasoning", "id": "r"},
        {"type": "compaction", "id": "c"},
        *assistant_of(USE, {"type": "output_text", "text": "last"}),
    ]
    assert [block["type"] for block in made(output)["content"]] == ["output_text", "tool_use", "output_text"]


def test_thinking_is_told_and_kept_only_where_it_must_return() -> None:
    lost = {"type": "thinking", "thinking": "hm", "persistInHistory": False}
    kept = {"type": "thinking", "thinking": "aha", "signature": "s", "persistInHistory": True}
    message, thinking = assistant_message("m", assistant_of(lost, kept, USE))
    assert thinking == "hm\naha"
    assert message is not None
    assert message["content"] == [kept, USE]


def test_thinking_that_leads_to_nothing_is_told_and_not_kept() -> None:
    last = {"type": "thinking", "thinking": "and then?", "persistInHistory": True}
    item, told = assistant_message(
        "m", [{"type": "message", "content": [{"type": "text", "text": "a"}, last]}]
    )
    assert item is not None
    assert item["content"] == [{"type": "output_text", "text": "a"}]
    assert told == "and then?"


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "tool_result", "tool_use_id": "c7", "content": "x"}, "'tool_result' for call c7"),
        ({"type": "server_tool_use", "id": "s"}, "'server_tool_use'"),
        ({"type": ["odd"]}, "['odd']"),
        ({"text": "no type"}, "None"),
        ({"type": "input_file", "file_id": "f"}, "'input_file'"),
    ],
)
def test_a_block_that_is_not_the_assistants_is_left_out_with_a_warning(
    block: dict[str, Any], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    content = [block, {"type": "output_text", "text": "a"}]
    item, _ = assistant_message("m", [{"type": "message", "content": content}])
    assert item is not None
    assert item["content"] == [{"type": "output_text", "text": "a"}]
    assert f"A block of type {words} is left out" in caplog.text


def test_nothing_to_keep_is_no_message() -> None:
    for output in (
        "",
        [],
        assistant_of(),
        assistant_of({"type": "output_text", "text": ""}),
        [{"type": "reasoning"}],
    ):
        assert assistant_message("m", output) == (None, None)
    assert assistant_message("m", assistant_of({"type": "thinking", "thinking": "hm"})) == (None, "hm")
    signed = {"type": "thinking", "thinking": "hm", "signature": "s", "persistInHistory": True}
    assert assistant_message("m", assistant_of(signed)) == (None, "hm"), "no reply, and refused as one"


def test_arguments_that_are_no_text_are_written_as_json() -> None:
    as_object = {"type": "tool_use", "id": "c", "name": "look", "arguments": {"city": "Köln"}}
    as_input = {"type": "tool_use", "id": "c", "name": "look", "input": {"city": "Köln"}}
    for block in (as_object, as_input):
        assert made(assistant_of(block))["content"][0]["arguments"] == '{"city":"Köln"}'
    assert (
        made(assistant_of({"type": "tool_use", "id": "c", "name": "look"}))["content"][0]["arguments"] == "{}"
    )


def test_arguments_as_text_stay_exactly_as_the_model_wrote_them() -> None:
    block = USE | {"arguments": '{"a" : 1.0,, }', "thoughtSignature": "t"}
    assert made(assistant_of(block))["content"] == [block]


def test_text_of_a_provider_is_repaired() -> None:
    message = made(assistant_of({"type": "output_text", "text": "a\x00b\ud83d\ude00"}))
    assert message["content"][0]["text"] == "a�b😀"


def test_a_malformed_block_of_a_provider_is_refused() -> None:
    with pytest.raises(InvalidItem, match="tool_use needs `name`"):
        made(assistant_of({"type": "tool_use", "id": "c", "arguments": "{}"}))


def test_each_result_becomes_a_block_of_one_user_message() -> None:
    message = tool_results_message(
        "m", [{"tool_use_id": "a", "content": "1"}, {"tool_use_id": "b", "content": {"x": [1, None]}}]
    )
    assert message["role"] == "user"
    assert message["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "tool_result", "tool_use_id": "b", "content": '{"x":[1,null]}'},
    ]


def test_images_of_a_result_move_beside_the_text() -> None:
    image = {"base64": "AAAA", "mediaType": "image/png"}
    block = result_of(content={"title": "shot", "base64": "AAAA", "__images": [image]})
    assert block["content"] == '{"title":"shot"}'
    assert block["__images"] == [image]


@pytest.mark.parametrize("images", [[], "none", None])
def test_an_images_field_without_images_is_content(images: Any) -> None:
    block = result_of(content={"__images": images, "base64": "x"})
    assert "__images" not in block
    assert '"base64":"x"' in block["content"]


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        ({}, None),
        ({"error": None}, None),
        ({"error": "disk full"}, "disk full"),
        ({"state": ToolCallState.COMPLETED}, None),
        ({"state": "failed"}, "The tool failed."),
        ({"state": ToolCallState.TIMEOUT}, "The tool gave no answer in time."),
        ({"state": ToolCallState.FAILED, "error": "disk full"}, "disk full"),
    ],
)
def test_a_failed_result_always_has_an_error(outcome: dict[str, Any], error: str | None) -> None:
    assert result_of(**outcome).get("error") == error


def test_results_are_repaired() -> None:
    block = result_of(content="a\x00", error="b\x00")
    assert (block["content"], block["error"]) == ("a�", "b�")


@pytest.mark.parametrize("content", [float("inf"), object(), 2**60])
def test_a_result_that_json_cannot_hold_is_refused(content: object) -> None:
    with pytest.raises(InvalidItem, match="tool result"):
        result_of(content=content)


def test_an_error_that_is_no_text_becomes_one() -> None:
    assert result_of(error=OSError("disk"))["error"] == "disk"


def test_a_result_without_id_is_refused() -> None:
    with pytest.raises(InvalidItem, match="tool_use_id"):
        tool_results_message("m", [cast("ToolOutcome", {"content": "x"})])


def test_a_result_needs_the_id_of_its_call() -> None:
    with pytest.raises(InvalidItem, match="tool_use_id"):
        result_of(tool_use_id=3)
