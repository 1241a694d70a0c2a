import base64
import struct
from typing import Any

import pytest

from agents.context.errors import InvalidItem
from agents.context.images import fault_of_result, fault_of_url
from agents.context.messages import tool_results_message, user_message
from tests.agents.context.cast import assistant, context_of, reply

PIXEL = "iVBORw0KGgo="
PNG = f"data:image/png;base64,{PIXEL}"


def image(url: Any, **more: Any) -> Any:
    return {"type": "input_image_url", "image_url": {"url": url, **more}}


@pytest.mark.parametrize(
    "url", ["https://example.org/a.png", "http://example.org", PNG, PNG.replace("png", "WEBP")]
)
def test_web_addresses_and_data_urls_are_taken(url: str) -> None:
    assert fault_of_url(url) is None
    assert user_message("u", [image(url, detail="high")])["content"]


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("file:///etc/passwd", "give an http"),
        ("ftp://example.org/a.png", "give an http"),
        ("/a.png", "give an http"),
        ("", "give an http"),
        (f"data:image/png,{PIXEL}", "give an http"),
        (f"data:image/svg+xml;base64,{PIXEL}", "convert image/svg\\+xml to one of them"),
        (f"data:;base64,{PIXEL}", "convert it to one of them"),
        ("data:image/png;base64,", "no data; encode"),
        ("data:image/png;base64,%%%", "not base64; encode"),
        ("data:image/png;base64,é", "not base64; encode"),
    ],
)
def test_an_image_that_no_provider_takes_is_refused_when_it_comes_in(url: str, remedy: str) -> None:
    context = context_of()
    with pytest.raises(InvalidItem, match=remedy):
        context.add_user_message([{"type": "input_text", "text": "Look"}, image(url)])
    with pytest.raises(InvalidItem, match=remedy):
        context.add_input_items([{"type": "message", "id": "u", "role": "user", "content": [image(url)]}])
    assert context.get_current_input() == context.get_conversation() == []


def test_a_detail_that_is_null_is_as_if_it_were_not_there() -> None:
    message = user_message("u", [image(PNG, detail=None)])
    assert message["content"] == [image(PNG)]


@pytest.mark.parametrize("detail", ["ultra", 3])
def test_an_unknown_detail_is_refused(detail: object) -> None:
    with pytest.raises(InvalidItem, match="one of auto, low, high"):
        context_of().add_user_message([image(PNG, detail=detail)])


def png_of(width: int, height: int) -> str:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    return base64.b64encode(head).decode()


def test_an_image_of_a_nonsense_size_is_left_out_of_a_result_and_refused_elsewhere() -> None:
    data = png_of(2**31 - 1, 2**31 - 1)
    context = context_of()
    context.add_user_message("look")
    context.add_assistant_response(reply("", {"c": "look"}))
    context.add_tool_results([{"tool_use_id": "c", "content": {"__images": [{"base64": data}]}}])
    context.prepare()
    held: Any = context.get_current_input()[0]
    assert "2,147,483,647 by 2,147,483,647 pixels; scale it down" in held["content"][0]["content"]
    with pytest.raises(InvalidItem, match="scale it down to 50,000,000 at most"):
        context.add_user_message([image(f"data:image/png;base64,{data}")])


def test_an_image_of_a_nonsense_size_in_a_saved_state_keeps_nobody_from_going_on() -> None:
    data = png_of(2**31 - 1, 2**31 - 1)
    block = {"type": "tool_result", "tool_use_id": "c", "content": "", "__images": [{"base64": data}]}
    item = {"type": "message", "id": "r", "role": "user", "content": [block]}
    context = context_of()
    context.restore_state({"conversation": [assistant("", ("c",))], "currentInput": [item]})
    assert context.prepare().budget.current_input_tokens == 4 + 85 + 16 * 170


def test_a_large_photograph_is_taken() -> None:
    assert fault_of_result({"base64": png_of(10_000, 5_000)}) is None
    assert fault_of_result({"base64": png_of(10_000, 5_001)}) is not None


def test_images_of_a_result_that_no_provider_takes_are_left_out_and_named() -> None:
    good = {"base64": PIXEL, "mediaType": "image/png"}
    images = [good, {"base64": "%"}, {"url": "file:///a"}, "a.png", {"url": "https://example.org/a.png"}]
    message = tool_results_message("m", [{"tool_use_id": "c", "content": {"n": 1, "__images": images}}])
    [block] = message["content"]
    assert block["__images"] == [good, images[-1]]  # type: ignore[typeddict-item]
    lines = str(block["content"]).splitlines()  # type: ignore[typeddict-item]
    assert lines[0] == '{"n":1}'
    assert [line.partition(":")[0] for line in lines[1:]] == ["[An image is left out"] * 3


def test_a_type_that_nobody_said_is_taken_for_png() -> None:
    assert fault_of_result({"base64": PIXEL}) is None
    assert fault_of_result({"base64": 7}) is not None
