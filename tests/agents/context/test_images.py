from typing import Any

import pytest

from agents.context.errors import InvalidItem
from agents.context.images import fault_of_result, fault_of_url
from agents.context.messages import tool_results_message, user_message
from tests.agents.context.cast import context_of

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


@pytest.mark.parametrize("detail", ["ultra", 3, None])
def test_an_unknown_detail_is_refused(detail: object) -> None:
    with pytest.raises(InvalidItem, match="one of auto, low, high"):
        context_of().add_user_message([image(PNG, detail=detail)])


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
