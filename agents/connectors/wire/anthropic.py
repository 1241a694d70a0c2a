"""Items to and from the messages of the Anthropic Messages API."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never, cast

from agents.connectors.wire.parts import (
    NothingToSend,
    Wire,
    arguments_object,
    numbered,
    part_text,
    reading,
    repaired,
    result_image,
    result_image_urls,
    results_first,
    safe_id,
    safe_name,
    sendable,
    split_data_url,
    unique_calls,
    unknown,
)
from agents.context.images import IMAGE_TYPES
from agents.context.messages import Block, InputItem, MessageItem, Thinking, ToolResult, ToolUse

PROVIDER = "anthropic"
# The first message must be a user's; after compaction the first one left may be the assistant's.
OPENING = "[The conversation before this point is not shown.]"

_OPENING_BLOCK = {"type": "text", "text": OPENING}
_MAX_ID_LENGTH = 64


def to_anthropic(items: Iterable[InputItem], tools: Sequence[Mapping[str, Any]] = ()) -> Wire:
    """Return ``messages`` and, when there are any, ``system`` and ``tools`` of a request body.

    System messages at the start become ``system``, later ones a marked text of the user, so that the part
    before them stays cacheable. Neighbouring messages of one role are merged, results first. Left out: blank
    texts, opaque items, thinking that has no signature, is another provider's or led to nothing, and white
    space after a last text of the assistant. A call whose id was used before gets another one.

    Raises:
        NothingToSend: there is no message beside the system's.
    """
    system: list[Wire] = []
    messages: list[Wire] = []
    for item in unique_calls(results_first(sendable(items))):
        if item["type"] != "message":
            continue
        if item["role"] == "developer" and not messages:
            system += [block for each in item["content"] for block in _to_block(each)]
            continue
        role = "assistant" if item["role"] == "assistant" else "user"
        _append(messages, role, _to_content(item))
    if not messages:
        raise NothingToSend
    _trim_end(messages)
    body: Wire = {"messages": messages}
    if system:
        body["system"] = system
    if tools:
        body["tools"] = [_definition(tool) for tool in tools]
    return body


def _trim_end(messages: list[Wire]) -> None:
    """Cut white space from the end of a last text of the assistant, which the provider refuses there."""
    if messages and messages[-1]["role"] == "assistant":
        content = messages[-1]["content"]
        if content and content[-1]["type"] == "text":
            content[-1] = {**content[-1], "text": content[-1]["text"].rstrip()}


def from_anthropic(
    messages: Sequence[Mapping[str, Any]], system: str | Sequence[Mapping[str, Any]] | None = None
) -> list[InputItem]:
    """Return the items of a list of messages, also of a single reply, after those of ``system``.

    A user message with results and other blocks becomes two items. Thinking with a signature is kept to be
    sent back.

    Raises:
        WireError: for a role or block that has no counterpart.
    """
    given = [{"role": "system", "content": system}] if system else []
    read: list[tuple[str, list[Wire]]] = []
    for place, message in enumerate([*repaired(given), *repaired(messages)]):
        with reading(place):
            role, blocks = _from_message(message)
        # Results alone in their message: that is how the context keeps them.
        read.append((role, [block for block in blocks if block["type"] == "tool_result"]))
        read.append((role, [block for block in blocks if block["type"] != "tool_result"]))
    return numbered(read)


def _append(messages: list[Wire], role: str, content: list[Wire]) -> None:
    if not content:
        return
    if not messages and role == "assistant":
        messages.append({"role": "user", "content": [dict(_OPENING_BLOCK)]})
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += content
    else:
        messages.append({"role": role, "content": content})


def _to_content(item: MessageItem) -> list[Wire]:
    content = [block for each in item["content"] for block in _to_block(each)]
    if item["role"] != "developer":
        return content
    text = "\n\n".join(block["text"] for block in content)
    return [{"type": "text", "text": f"<system>\n{text}\n</system>"}] if text else []


def _to_block(block: Block) -> Iterator[Wire]:
    match block["type"]:
        case "input_text" | "output_text":
            if block["text"].strip():
                yield {"type": "text", "text": block["text"]}
        case "input_image_url":
            yield _to_image(block["image_url"]["url"])
        case "input_file":
            yield {"type": "document", "source": {"type": "file", "file_id": block["file_id"]}}
        case "tool_use":
            yield _to_call(block)
        case "tool_result":
            yield _to_result(block)
        case "thinking":
            yield from _to_thinking(block)
        case _ as never:
            assert_never(never)


def _to_image(url: str) -> Wire:
    parts = split_data_url(url)
    if parts is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    media_type, data = parts
    if media_type not in IMAGE_TYPES:
        return {"type": "text", "text": f"[An image of type {media_type}, which cannot be shown here.]"}
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _to_call(block: ToolUse) -> Wire:
    return {
        "type": "tool_use",
        "id": safe_id(block["id"], _MAX_ID_LENGTH),
        "name": safe_name(block["name"]),
        "input": arguments_object(block["arguments"]),
    }


def _to_result(block: ToolResult) -> Wire:
    error = block.get("error")
    texts = [text for text in (error, block["content"]) if text and text.strip()]
    result: Wire = {
        "type": "tool_result",
        "tool_use_id": safe_id(block["tool_use_id"], _MAX_ID_LENGTH),
        "content": [
            *({"type": "text", "text": text} for text in texts),
            *(_to_image(url) for url in result_image_urls(block)),
        ],
    }
    return {**result, "is_error": True} if error else result


def _to_thinking(block: Thinking) -> Iterator[Wire]:
    made_by = cast("Wire", block)
    if made_by.get("provider", PROVIDER) != PROVIDER or not block.get("signature"):
        return
    if made_by.get("redacted"):
        yield {"type": "redacted_thinking", "data": block["signature"]}
    else:
        yield {"type": "thinking", "thinking": block["thinking"], "signature": block["signature"]}


def _definition(tool: Mapping[str, Any]) -> Wire:
    schema = {"type": "object", **tool["parameters"]}
    return {"name": tool["name"], "description": tool["description"], "input_schema": schema}


def _from_message(message: Wire) -> tuple[str, list[Wire]]:
    role = "developer" if message["role"] == "system" else message["role"]
    if role not in {"developer", "user", "assistant"}:
        raise unknown("message", role)
    content = message["content"]
    if content in (OPENING, [_OPENING_BLOCK]):
        return role, []
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return role, [_from_block(part, role) for part in parts]


def _from_block(block: Wire, role: str) -> Wire:
    match block.get("type"):
        case "image":
            return _from_image(block["source"])
        case "document" if block["source"].get("type") == "file":
            return {"type": "input_file", "file_id": block["source"]["file_id"]}
        case "tool_use":
            # Compact, as providers write arguments themselves.
            arguments = json.dumps(block["input"], ensure_ascii=False, separators=(",", ":"))
            return {"type": "tool_use", "id": block["id"], "name": block["name"], "arguments": arguments}
        case "tool_result":
            return _from_result(block)
        case "thinking" | "redacted_thinking":
            return _from_thinking(block)
        case _:
            kind = "output_text" if role == "assistant" else "input_text"
            return {"type": kind, "text": part_text(block, "text")}


def _from_thinking(block: Wire) -> Wire:
    kept: Wire = {"type": "thinking", "provider": PROVIDER, "persistInHistory": True}
    if block["type"] == "redacted_thinking":
        return {**kept, "thinking": "", "signature": block["data"], "redacted": True}
    return {**kept, "thinking": block["thinking"], "signature": block["signature"]}


def _from_image(source: Wire) -> Wire:
    match source.get("type"):
        case "url":
            return {"type": "input_image_url", "image_url": {"url": source["url"]}}
        case "base64":
            return {"type": "input_image_url", "image_url": {"url": _data_url(source)}}
        case "file":
            return {"type": "input_file", "file_id": source["file_id"]}
        case kind:
            raise unknown("image source", kind)


def _data_url(source: Wire) -> str:
    return f"data:{source['media_type']};base64,{source['data']}"


def _from_result(block: Wire) -> Wire:
    content = block.get("content") or []
    parts: list[Wire] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    images = [_from_image(part["source"]) for part in parts if part.get("type") == "image"]
    texts = [part_text(part, "text") for part in parts if part.get("type") != "image"]
    result: Wire = {"type": "tool_result", "tool_use_id": block["tool_use_id"]}
    if block.get("is_error"):
        result["error"] = texts.pop(0) if texts else "The tool failed."
    result["content"] = "\n\n".join(texts)
    if images:
        result["__images"] = [result_image(image["image_url"]["url"]) for image in images]
    return result
