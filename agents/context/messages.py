"""Messages in their wire form (spec 5.2) and how they are built from what callers hand over."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypeAlias, TypedDict, cast

from agents.context import json_values
from agents.context.blank import is_blank
from agents.context.errors import InvalidItem, words_of
from agents.context.images import DETAILS, fault_of_result, fault_of_url
from agents.context.roles import ALLOWED, check_blocks, without_idle_thinking
from agents.context.tools import ToolCallState
from agents.context.wire_form import OPAQUE_TYPES, check_item, check_storable

if TYPE_CHECKING:
    from agents.context.json_values import JSON

logger = logging.getLogger(__name__)

_BLANK = "A user message needs more than blank text."


class InputText(TypedDict):
    """Text of a user or of the system message."""

    type: Literal["input_text"]
    text: str


class OutputText(TypedDict):
    """Text of the assistant."""

    type: Literal["output_text"]
    text: str
    annotations: NotRequired[list[JSON]]


class ImageURL(TypedDict):
    """Address or data URL of an image; ``detail`` is low, high or auto."""

    url: str
    detail: NotRequired[str]


class InputImage(TypedDict):
    """An image beside the text."""

    type: Literal["input_image_url"]
    image_url: ImageURL


class InputFile(TypedDict):
    """A file that the provider already has."""

    type: Literal["input_file"]
    file_id: str


class ToolUse(TypedDict):
    """A call that the model asks for; ``arguments`` is JSON text exactly as the model wrote it."""

    type: Literal["tool_use"]
    id: str
    name: str
    arguments: str
    thoughtSignature: NotRequired[str]


# Spelled as a call, because a class would mangle the name with the two underscores.
ToolResult = TypedDict(
    "ToolResult",
    {
        "type": Literal["tool_result"],
        "tool_use_id": str,
        "content": str,
        "error": NotRequired[str],
        "__images": NotRequired[list["JSON"]],
    },
)
"""The answer to one call; ``error`` is there only when it failed."""


class Thinking(TypedDict):
    """Reasoning that a provider wants to see again."""

    type: Literal["thinking"]
    thinking: str
    signature: NotRequired[str]
    persistInHistory: NotRequired[bool]


Block: TypeAlias = InputText | OutputText | InputImage | InputFile | ToolUse | ToolResult | Thinking


class MessageItem(TypedDict):
    """One message."""

    type: Literal["message"]
    id: str
    role: Literal["user", "assistant", "developer"]
    content: list[Block]
    metadata: NotRequired[dict[str, JSON]]


class OpaqueItem(TypedDict, total=False):
    """Something that only the provider who made it can read."""

    type: Required[Literal["compaction", "reasoning"]]
    id: Required[str]
    encrypted_content: str
    provider: str
    account: str


InputItem: TypeAlias = MessageItem | OpaqueItem


class ToolOutcome(TypedDict, total=False):
    """One result as the caller of ``add_tool_results`` hands it over."""

    tool_use_id: Required[str]
    content: Required[object]
    error: str | None
    state: ToolCallState | str


_TEXT_TYPES = ("text", "input_text", "output_text")
_FAILED_STATES: dict[str, str] = {
    ToolCallState.FAILED: "The tool failed.",
    ToolCallState.TIMEOUT: "The tool gave no answer in time.",
}
IMAGES = "__images"


def user_message(item_id: str, content: str | Sequence[Mapping[str, Any]]) -> MessageItem:
    """Return a user message; a text becomes one block.

    Raises:
        InvalidItem: for content that is empty or only blank text, blocks that are unknown, empty or not the
            user's, images that no provider takes, and text that cannot be stored.
    """
    if isinstance(content, str):
        return _text_message(item_id, content)
    if not isinstance(content, Sequence):
        raise InvalidItem("A user message is a text or a list of blocks.")
    message = cast(
        "MessageItem",
        check_item({"type": "message", "id": item_id, "role": "user", "content": list(content)}),
    )
    if all(block["type"] == "input_text" and is_blank(block["text"]) for block in message["content"]):
        raise InvalidItem(_BLANK)
    check_given(message)
    return message


def _text_message(item_id: str, text: str) -> MessageItem:
    """Return a user message of one text: most are, and the text is all there is to check."""
    check_storable(text, "value.content[0].text")
    if is_blank(text):
        raise InvalidItem(_BLANK)
    block = InputText(type="input_text", text=text)
    return {"type": "message", "id": item_id, "role": "user", "content": [block]}


def check_given(item: InputItem) -> None:
    """Do nothing when every provider takes an item that a host hands over.

    Raises:
        InvalidItem: naming the fault and the remedy.
    """
    check_blocks(item)
    check_images(item)


def check_images(item: InputItem) -> None:
    """Do nothing when every provider takes the images of the item.

    Raises:
        InvalidItem: naming the fault and the remedy.
    """
    for block in item["content"] if item["type"] == "message" else ():
        if block["type"] == "input_image_url":
            image = block["image_url"]
            if fault := fault_of_url(image["url"]):
                raise InvalidItem(f"An image cannot be sent: {fault}.")
            if image.get("detail", "auto") not in DETAILS:
                raise InvalidItem(f"The detail of an image is one of {', '.join(DETAILS)}.")


def listed(items: object, what: str) -> list[object]:
    """Return the items as a list.

    Raises:
        InvalidItem: for what holds no items.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InvalidItem(f"{what} are given as a list, not as {type(items).__name__}.")
    return list(items)


def assistant_message(item_id: str, output: object) -> tuple[MessageItem | None, str | None]:
    """Return the message made of a provider's output, and its thinking.

    The message is None when nothing is left to keep: thinking stays only where the provider needs it back
    and something follows it. Blocks that are not the assistant's are left out with a warning. ``output`` is
    a list of items, a text, or an object with such an ``output``.

    Raises:
        InvalidItem: for anything else.
    """
    blocks = [block for item in _output_items(output) for block in _assistant_blocks(item)]
    thinking = "\n".join(
        str(block.get("thinking", "")) for block in blocks if block.get("type") == "thinking"
    )
    kept = [block for block in blocks if block["type"] != "thinking" or block.get("persistInHistory")]
    if not kept:
        return None, thinking or None
    message = cast(
        "MessageItem", check_item({"type": "message", "id": item_id, "role": "assistant", "content": kept})
    )
    said = without_idle_thinking(message["content"])
    return ({**message, "content": said} if said else None), thinking or None


def opaque_output(output: object) -> list[InputItem]:
    """Return what only the provider can read of its output, to be sent back with the next prompt.

    Raises:
        InvalidItem: when such an item has no id.
    """
    return [
        check_item(dict(item))
        for item in _output_items(output)
        if item.get("type") in OPAQUE_TYPES and item.get("encrypted_content")
    ]


def tool_results_message(item_id: str, results: Sequence[ToolOutcome]) -> MessageItem:
    """Return one user message with one block per result.

    Content that is not text becomes compact JSON; images in its ``__images`` move beside the text.

    Raises:
        InvalidItem: for a result without id or with content that JSON cannot hold.
    """
    blocks = [_result_block(each) for each in listed(results, "Tool results")]
    message: dict[str, object] = {"type": "message", "id": item_id, "role": "user", "content": blocks}
    return cast("MessageItem", check_item(message))


def _output_items(output: object) -> list[Mapping[str, Any]]:
    if isinstance(output, str):
        return [{"type": "message", "content": output}]
    if not isinstance(output, Sequence):
        inner = getattr(output, "output", None)
        if isinstance(inner, str | Sequence):
            return _output_items(inner)
        raise InvalidItem("An assistant response is a text, a list of items, or an object with `output`.")
    if not all(isinstance(item, Mapping) and isinstance(item.get("type"), str) for item in output):
        raise InvalidItem("The items of an assistant response are dicts with a `type`, such as message.")
    if any(item["type"] == "message" and item.get("role", "assistant") != "assistant" for item in output):
        raise InvalidItem("The messages of an assistant response have the role assistant.")
    return list(output)


def _assistant_blocks(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    if item["type"] != "message":
        return []
    content = item.get("content") or []
    if isinstance(content, str):
        content = [{"type": "output_text", "text": content}]
    if not isinstance(content, Sequence) or not all(isinstance(block, dict) for block in content):
        raise InvalidItem("The content of an assistant message is a text or a list of blocks.")
    blocks = [_assistant_block(_repaired(block)) for block in content]
    return [block for block in blocks if _is_assistants(block) and block.get("text") != ""]


def _repaired(block: dict[str, Any]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json_values.repair(block))
    except json_values.InvalidJSON as fault:
        raise InvalidItem(f"A block cannot be stored: {fault}") from fault


def _is_assistants(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    if isinstance(kind, str) and kind in ALLOWED["assistant"]:
        return True
    logger.warning(
        "A block of type %.40r%s is left out of the assistant's message: it is none of its kinds. "
        "Add results with add_tool_results.",
        kind,
        f" for call {block.get('tool_use_id')!s:.80}" if kind == "tool_result" else "",
    )
    return False


def _assistant_block(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("type") in _TEXT_TYPES:
        return {**block, "type": "output_text"}
    if block.get("type") == "tool_use" and not isinstance(block.get("arguments"), str):
        given = block.pop("arguments", None) or block.pop("input", None) or {}
        return {**block, "arguments": _as_json_text(given, "The arguments of a call")}
    return block


def _as_json_text(value: object, what: str) -> str:
    try:
        return json_values.encode(value)
    except json_values.InvalidJSON as fault:
        raise InvalidItem(f"{what} cannot be written as JSON: {fault}") from fault


def _result_block(result: object) -> dict[str, JSON]:
    if not isinstance(result, Mapping):
        given = type(result).__name__
        raise InvalidItem(f"A tool result is a dict with `tool_use_id` and `content`, not {given}.")
    content: object = result.get("content")
    images: list[JSON] = []
    lost: list[str] = []
    if isinstance(content, dict) and isinstance(content.get(IMAGES), list) and content[IMAGES]:
        faults = [(each, fault_of_result(each)) for each in content[IMAGES]]
        images = [each for each, fault in faults if fault is None]
        lost = [f"[An image is left out: {fault}.]" for _, fault in faults if fault]
        content = {name: value for name, value in content.items() if name not in {IMAGES, "base64"}}
    text = content if isinstance(content, str) else _as_json_text(content, "The tool result")
    text = "\n".join([text, *lost])
    block: dict[str, JSON] = {
        "type": "tool_result",
        "tool_use_id": result.get("tool_use_id"),
        "content": json_values.repair_text(text),
    }
    error = result.get("error") or _FAILED_STATES.get(str(result.get("state")))
    if error:
        block["error"] = json_values.repair_text(words_of(error))
    if images:
        block[IMAGES] = json_values.repair(images)
    return block
