"""What one item costs in tokens: every field that is sent is counted (spec 5.7, R12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.context.image_size import size_of_base64, size_of_url

if TYPE_CHECKING:
    from agents.context.json_values import JSON
    from agents.context.messages import Block, ImageURL, InputItem, ToolResult
    from agents.context.tokens import TokenEstimator

MESSAGE_OVERHEAD = 4
_OPAQUE_TOKENS = 50


def count_item(item: InputItem, estimator: TokenEstimator) -> int:
    """Return the tokens of a message with all its blocks; 50 for what only a provider can read."""
    if item["type"] != "message":
        return _OPAQUE_TOKENS
    content = item["content"]
    if len(content) == 1:
        return MESSAGE_OVERHEAD + count_block(content[0], estimator)
    return MESSAGE_OVERHEAD + sum(count_block(block, estimator) for block in content)


def count_block(block: Block, estimator: TokenEstimator) -> int:
    """Return the tokens of one block without the overhead of its message."""
    match block["type"]:
        case "input_text" | "output_text":
            return estimator.estimate_tokens(block["text"])
        case "thinking":
            return estimator.estimate_tokens(block["thinking"])
        case "tool_use":
            return estimator.estimate_tokens(block["name"]) + estimator.estimate_tokens(block["arguments"])
        case "tool_result":
            return _count_result(block, estimator)
        case "input_image_url":
            return _count_image(block["image_url"], estimator)
        case _:
            return estimator.estimate_tokens(block["file_id"])


def _count_result(block: ToolResult, estimator: TokenEstimator) -> int:
    texts = (block["content"], block.get("error", ""))
    images = block.get("__images", [])
    return sum(map(estimator.estimate_tokens, texts)) + sum(_count_data(each, estimator) for each in images)


def _count_image(image: ImageURL, estimator: TokenEstimator) -> int:
    width, height = size_of_url(image["url"]) or (None, None)
    return estimator.estimate_image_tokens(width, height, image.get("detail"))


def _count_data(image: JSON, estimator: TokenEstimator) -> int:
    """Return the tokens of an image of a tool result: ``{base64, mediaType}`` or ``{url}``."""
    if not isinstance(image, dict):
        return estimator.estimate_image_tokens()
    data = image.get("base64")
    size = size_of_base64(data) if isinstance(data, str) else size_of_url(str(image.get("url", "")))
    width, height = size or (None, None)
    return estimator.estimate_image_tokens(width, height)
