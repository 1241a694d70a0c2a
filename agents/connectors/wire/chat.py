"""Items to and from the messages of the OpenAI Chat Completions API, which many other providers speak too."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, assert_never

from agents.connectors.wire.parts import (
    NothingToSend,
    Wire,
    arguments_text,
    numbered,
    part_text,
    reading,
    repaired,
    result_image_urls,
    result_text,
    results_first,
    safe_id,
    safe_name,
    sendable,
    texts_of,
    unknown,
)
from agents.context.messages import Block, InputItem, MessageItem, ToolResult

_MAX_ID_LENGTH = 40


def to_chat(
    items: Iterable[InputItem],
    tools: Sequence[Mapping[str, Any]] = (),
    *,
    system_role: Literal["developer", "system"] = "developer",
) -> Wire:
    """Return ``messages`` and, when there are any, ``tools`` of a request body.

    The API has no place for thinking and for opaque items: they are left out. It cannot mark a result as
    failed: the error stands before its text. Images of results follow in a user message. Arguments that are
    no JSON object are sent in a field of one.

    Raises:
        NothingToSend: there is no message beside the system's.
    """
    messages: list[Wire] = []
    for item in results_first(sendable(items)):
        if item["type"] == "message":
            messages += _to_messages(item, system_role)
    if all(message["role"] == system_role for message in messages):
        raise NothingToSend
    body: Wire = {"messages": messages}
    if tools:
        body["tools"] = [{"type": "function", "function": _definition(tool)} for tool in tools]
    return body


def from_chat(messages: Sequence[Mapping[str, Any]]) -> list[InputItem]:
    """Return the items of a list of messages, also of a single reply.

    Neighbouring tool messages become one item, as they were made by one batch of calls. Broken text is
    repaired; reasoning that some providers add becomes thinking that is not sent back.

    Raises:
        WireError: for a role or part that has no counterpart, and for malformed messages.
    """
    read: list[tuple[str, list[Wire]]] = []
    previous = ""
    for place, message in enumerate(repaired(messages)):
        with reading(place):
            role, blocks = _from_message(message)
        if message["role"] == previous == "tool":
            read[-1][1].extend(blocks)
        else:
            read.append((role, blocks))
        previous = message["role"]
    return numbered(read)


def _to_messages(item: MessageItem, system_role: str) -> Iterator[Wire]:
    if item["role"] == "assistant":
        yield from _to_assistant(item["content"])
        return
    results = [block for block in item["content"] if block["type"] == "tool_result"]
    for result in results:
        call_id = safe_id(result["tool_use_id"], _MAX_ID_LENGTH)
        yield {"role": "tool", "tool_call_id": call_id, "content": result_text(result)}
    parts = [part for result in results for part in _image_parts(result)]
    parts += [part for block in item["content"] for part in _to_parts(block)]
    if parts:
        role = system_role if item["role"] == "developer" else "user"
        yield {"role": role, "content": _plain(parts)}


def _to_assistant(blocks: Sequence[Block]) -> Iterator[Wire]:
    texts = [part for block in blocks for part in _to_parts(block)]
    message: Wire = {"role": "assistant", "content": _plain(texts) if texts else None}
    calls = [
        {
            "id": safe_id(block["id"], _MAX_ID_LENGTH),
            "type": "function",
            "function": {
                "name": safe_name(block["name"]),
                "arguments": arguments_text(block["arguments"]),
            },
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    if calls:
        message["tool_calls"] = calls
    if texts or calls:
        yield message


def _to_parts(block: Block) -> Iterator[Wire]:
    match block["type"]:
        case "input_text" | "output_text":
            yield {"type": "text", "text": block["text"]}
        case "input_image_url":
            yield {"type": "image_url", "image_url": dict(block["image_url"])}
        case "input_file":
            yield {"type": "file", "file": {"file_id": block["file_id"]}}
        case "tool_use" | "tool_result" | "thinking":
            return
        case _ as never:
            assert_never(never)


def _image_parts(result: ToolResult) -> Iterator[Wire]:
    urls = result_image_urls(result)
    if urls:
        yield {"type": "text", "text": f"Images of the result of call {result['tool_use_id']}:"}
    for url in urls:
        yield {"type": "image_url", "image_url": {"url": url}}


def _plain(parts: list[Wire]) -> str | list[Wire]:
    """Return a single text as it is, because every provider takes that, and anything else as parts."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return str(parts[0]["text"])
    return parts


def _definition(tool: Mapping[str, Any]) -> Wire:
    return {name: tool[name] for name in ("name", "description", "parameters")}


def _from_message(message: Wire) -> tuple[str, list[Wire]]:
    content = message.get("content")
    match message["role"]:
        case "system" | "developer":
            return "developer", [{"type": "input_text", "text": text} for text in texts_of(content, "text")]
        case "user":
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
            return "user", [_from_part(part) for part in parts]
        case "tool":
            text = "".join(texts_of(content, "text"))
            return "user", [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": text}]
        case "assistant":
            return "assistant", [*_from_reply(message), *map(_from_call, message.get("tool_calls") or ())]
        case role:
            raise unknown("message", role)


def _from_reply(message: Wire) -> Iterator[Wire]:
    if reasoning := message.get("reasoning_content"):
        yield {"type": "thinking", "thinking": reasoning, "persistInHistory": False}
    texts = texts_of(message.get("content"), "text", "refusal") + texts_of(message.get("refusal"))
    for text in filter(None, texts):
        yield {"type": "output_text", "text": text}


def _from_call(call: Wire) -> Wire:
    if call.get("type", "function") != "function":
        raise unknown("tool call", call["type"])
    function = call["function"]
    return {
        "type": "tool_use",
        "id": call["id"],
        "name": function["name"],
        "arguments": function["arguments"],
    }


def _from_part(part: Wire) -> Wire:
    match part.get("type"):
        case "image_url":
            return {"type": "input_image_url", "image_url": part["image_url"]}
        case "file" if "file_id" in part["file"]:
            return {"type": "input_file", "file_id": part["file"]["file_id"]}
        case _:
            return {"type": "input_text", "text": part_text(part, "text")}
