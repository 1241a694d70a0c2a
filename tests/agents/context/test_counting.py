from typing import Any

import pytest

from agents.context.counting import MESSAGE_OVERHEAD, count_item
from agents.context.messages import InputItem
from agents.context.tokens import ApproximateTokenEstimator
from tests.agents.context.test_image_size import encoded, png

ESTIMATOR = ApproximateTokenEstimator()


def tokens(text: str) -> int:
    return ESTIMATOR.estimate_tokens(text)


def cost(*blocks: Any) -> int:
    item: InputItem = {"type": "message", "id": "m", "role": "user", "content": list(blocks)}
    return count_item(item, ESTIMATOR) - MESSAGE_OVERHEAD


def image(url: str, **more: str) -> dict[str, Any]:
    return {"type": "input_image_url", "image_url": {"url": url, **more}}


def test_a_message_costs_four_beside_its_blocks() -> None:
    item: InputItem = {"type": "message", "id": "m", "role": "user", "content": []}
    assert count_item(item, ESTIMATOR) == 4


def test_an_opaque_item_costs_fifty() -> None:
    assert count_item({"type": "compaction", "id": "c"}, ESTIMATOR) == 50


@pytest.mark.parametrize("kind", ["input_text", "output_text"])
def test_text_costs_its_tokens(kind: str) -> None:
    assert cost({"type": kind, "text": "x" * 1000}) == 286


def test_thinking_costs_its_tokens() -> None:
    assert cost({"type": "thinking", "thinking": "x" * 1000, "persistInHistory": True}) == 286


@pytest.mark.trap("W5.1")
def test_the_arguments_of_a_call_are_counted() -> None:
    arguments = '{"text":"' + "x" * 35_000 + '"}'
    use = {"type": "tool_use", "id": "c", "name": "write", "arguments": arguments}
    assert cost(use) == tokens("write") + tokens(arguments) > 10_000


@pytest.mark.trap("W5.2")
def test_the_error_of_a_result_is_counted() -> None:
    result = {"type": "tool_result", "tool_use_id": "c", "content": "some", "error": "e" * 700}
    assert cost(result) == tokens("some") + 200


@pytest.mark.trap("W5.2")
def test_a_file_is_counted() -> None:
    assert cost({"type": "input_file", "file_id": "file-0123456789"}) == tokens("file-0123456789") > 0


@pytest.mark.trap("W5.2")
@pytest.mark.parametrize(("width", "height", "expected"), [(1920, 1080, 2125), (256, 256, 255)])
def test_an_image_whose_size_is_known_costs_its_tiles(width: int, height: int, expected: int) -> None:
    assert cost(image(f"data:image/png;base64,{encoded(png(width, height))}")) == expected


def test_an_image_costs_85_in_low_detail_and_1000_when_unknown() -> None:
    assert cost(image("https://example.org/a.png", detail="low")) == 85
    assert cost(image("https://example.org/a.png", detail="high")) == 1000
    assert cost(image("https://example.org/a.png")) == 1000


def test_images_of_a_result_are_counted_by_size_where_known() -> None:
    data = encoded(png(256, 256))
    images: list[Any] = [
        {"base64": data, "mediaType": "image/png"},
        {"url": f"data:image/png;base64,{data}"},
        {"mediaType": "image/png"},
        "unknown",
    ]
    result = {"type": "tool_result", "tool_use_id": "c", "content": "", "__images": images}
    assert cost(result) == 255 + 255 + 1000 + 1000
