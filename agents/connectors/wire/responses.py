"""Items to and from the input and output of the OpenAI Responses API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never, cast

from agents.connectors.wire.parts import (
    NothingToSend,
    Wire,
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
    texts_of,
    unknown,
)
from agents.context.messages import (
    Block,
    InputItem,
    MessageItem,
    OpaqueItem,
    OutputText,
    Thinking,
    ToolResult,
)

PROVIDER = "openai"

_MAX_ID_LENGTH = 64
_TEXT_TYPES = ("input_text", "output_text", "text", "refusal")
# Kept beside an opaque item for us; the API refuses fields it does not know.
_OWN_FIELDS = frozenset({"provider", "account"})


def to_responses(items: Iterable[InputItem], tools: Sequence[Mapping[str, Any]] = ()) -> Wire:
    """Return ``input`` and, when there are any, ``tools`` of a request body.

    Reasoning and compaction items of other providers are left out, and so is reasoning that led to nothing.
    A failed result starts with its error. Arguments that are no JSON object are sent in a field of one.

    Raises:
        NothingToSend: there is no message beside the system's.
    """
    parts = [part for item in results_first(sendable(items)) for part in _to_input(item)]
    if all(part.get("role") == "developer" for part in parts):
        raise NothingToSend
    body: Wire = {"input": parts}
    if tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["parameters"],
                # The strict mode allows no optional and no open fields; the store tools have both.
                "strict": False,
            }
            for tool in tools
        ]
    return body


def from_responses(parts: str | Sequence[Mapping[str, Any]]) -> list[InputItem]:
    """Return the items of an ``input``, or of the ``output`` of a reply.

    Text, reasoning and calls of one reply become one assistant message, outputs of calls one user message.
    Reasoning becomes thinking whose signature is the encrypted content, so that it can be sent back.

    Raises:
        WireError: for a part that has no counterpart, and for malformed parts.
    """
    if isinstance(parts, str):
        parts = [{"role": "user", "content": parts}]
    messages: list[tuple[str, list[Wire]]] = []
    opaque: list[tuple[int, Wire]] = []
    previous = ""
    for place, part in enumerate(repaired(parts)):
        with reading(place):
            kind = part.get("type", "message")
            if kind == "compaction":
                opaque.append((len(messages), _from_compaction(place, part)))
                previous = kind
                continue
            role, blocks = _from_part(kind, part)
        group = "results" if kind == "function_call_output" else role
        if group == previous and group in {"results", "assistant"}:
            messages[-1][1].extend(blocks)
        elif blocks:
            messages.append((role, blocks))
            previous = group
    items = numbered(messages)
    for place, part in reversed(opaque):
        items.insert(place, cast("InputItem", part))
    return items


def _to_input(item: InputItem) -> Iterator[Wire]:
    if item["type"] != "message":
        yield from _to_opaque(item)
    elif item["role"] == "assistant":
        for block in item["content"]:
            yield from _to_output(block)
    else:
        yield from _to_messages(item)


def _to_messages(item: MessageItem) -> Iterator[Wire]:
    for block in item["content"]:
        if block["type"] == "tool_result":
            yield {
                "type": "function_call_output",
                "call_id": safe_id(block["tool_use_id"], _MAX_ID_LENGTH),
                "output": _to_result(block),
            }
    parts = [part for block in item["content"] for part in _to_content(block)]
    if parts:
        yield {"type": "message", "role": item["role"], "content": parts}


def _to_content(block: Block) -> Iterator[Wire]:
    match block["type"]:
        case "input_text" | "output_text":
            yield {"type": "input_text", "text": block["text"]}
        case "input_image_url":
            image = block["image_url"]
            yield {"type": "input_image", "image_url": image["url"], "detail": image.get("detail", "auto")}
        case "input_file":
            yield {"type": "input_file", "file_id": block["file_id"]}
        case "tool_use" | "tool_result" | "thinking":
            return
        case _ as never:
            assert_never(never)


def _to_output(block: Block) -> Iterator[Wire]:
    if block["type"] == "tool_use":
        yield {
            "type": "function_call",
            "call_id": safe_id(block["id"], _MAX_ID_LENGTH),
            "name": safe_name(block["name"]),
            "arguments": arguments_text(block["arguments"]),
        }
    elif block["type"] == "thinking":
        yield from _to_reasoning(block)
    else:
        # Nothing but texts is left of what may stand there.
        yield {"type": "message", "role": "assistant", "content": cast("OutputText", block)["text"]}


def _to_reasoning(block: Thinking) -> Iterator[Wire]:
    made_by = cast("Wire", block)
    if made_by.get("provider") == PROVIDER and block.get("signature") and made_by.get("id"):
        text = block["thinking"]
        yield {
            "type": "reasoning",
            "id": made_by["id"],
            "summary": [{"type": "summary_text", "text": text}] if text else [],
            "encrypted_content": block["signature"],
        }


def _to_opaque(item: OpaqueItem) -> Iterator[Wire]:
    if item.get("provider", PROVIDER) == PROVIDER and item.get("encrypted_content"):
        part: Wire = {name: value for name, value in item.items() if name not in _OWN_FIELDS}
        yield {"summary": [], **part} if item["type"] == "reasoning" else part


def _to_result(block: ToolResult) -> str | list[Wire]:
    urls = result_image_urls(block)
    text = result_text(block)
    if not urls:
        return text
    texts = [{"type": "input_text", "text": text}] if text else []
    return [*texts, *({"type": "input_image", "image_url": url} for url in urls)]


def _from_part(kind: str, part: Wire) -> tuple[str, list[Wire]]:
    match kind:
        case "message":
            return _from_message(part)
        case "function_call":
            call = {"id": part["call_id"], "name": part["name"], "arguments": part["arguments"]}
            return "assistant", [{"type": "tool_use", **call}]
        case "function_call_output":
            return "user", [_from_result(part)]
        case "reasoning":
            return "assistant", [_from_reasoning(part)]
        case _:
            raise unknown("part", kind)


def _from_message(message: Wire) -> tuple[str, list[Wire]]:
    content = message["content"]
    if message["role"] == "assistant":
        texts = texts_of(content, *_TEXT_TYPES)
        return "assistant", [{"type": "output_text", "text": text} for text in texts if text]
    role = "user" if message["role"] == "user" else "developer"
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    return role, [_from_content(part) for part in parts]


def _from_content(part: Wire) -> Wire:
    match part.get("type"):
        case "input_image" if part.get("image_url"):
            detail = {"detail": part["detail"]} if part.get("detail", "auto") != "auto" else {}
            return {"type": "input_image_url", "image_url": {"url": part["image_url"], **detail}}
        case "input_image" | "input_file" if part.get("file_id"):
            return {"type": "input_file", "file_id": part["file_id"]}
        case _:
            return {"type": "input_text", "text": part_text(part, *_TEXT_TYPES)}


def _from_result(part: Wire) -> Wire:
    output = part["output"]
    images: list[object] = []
    if not isinstance(output, str):
        images = [result_image(each["image_url"]) for each in output if each.get("type") == "input_image"]
        texts = [each for each in output if each.get("type") != "input_image"]
        output = "\n\n".join(texts_of(texts, *_TEXT_TYPES))
    result: Wire = {"type": "tool_result", "tool_use_id": part["call_id"], "content": output}
    return {**result, "__images": images} if images else result


def _from_compaction(place: int, part: Wire) -> Wire:
    return {**part, "id": part.get("id") or f"cmp_{place}", "provider": PROVIDER}


def _from_reasoning(part: Wire) -> Wire:
    thinking: Wire = {
        "type": "thinking",
        "thinking": "\n\n".join(summary["text"] for summary in part.get("summary") or ()),
        "id": part["id"],
        "provider": PROVIDER,
        "persistInHistory": False,
    }
    if part.get("encrypted_content"):
        thinking |= {"signature": part["encrypted_content"], "persistInHistory": True}
    return thinking
