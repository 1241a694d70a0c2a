"""What the OpenAI Responses API demands of a request body."""

from __future__ import annotations

from typing import Any

from agents.connectors.rules.faults import (
    Fault,
    Faults,
    PartCheck,
    arguments,
    fields,
    identifier,
    image_url,
    one_of,
    parts,
    plain_json,
    text,
    text_part,
)
from agents.connectors.rules.tools import definitions, tool_name

_MAX_ID_LENGTH = 64
_ROLES = ("user", "assistant", "system", "developer")
_DETAILS = ("auto", "low", "high")
_TOOL_FIELDS = ("type", "name", "parameters")


def responses_faults(body: Any) -> Faults:
    """Yield every fault of a Responses body: its ``input`` and, if there are any, ``tools``."""
    if not isinstance(body, dict):
        yield Fault("body", f"must be an object, not {type(body).__name__}")
        return
    yield from plain_json("body", body)
    given = body.get("input")
    if isinstance(given, str):
        yield from text("input", given)
    elif not isinstance(given, list) or not given:
        yield Fault("input", "must be a text or a list with at least one item")
    else:
        yield from _items(given)
    if "tools" in body:
        yield from definitions("tools", body["tools"], _tool, "parameters")


def _items(items: list[Any]) -> Faults:
    for number, item in enumerate(items):
        place = f"input[{number}]"
        if not isinstance(item, dict):
            yield Fault(place, f"an item is an object, not {type(item).__name__}")
            continue
        kind = item.get("type", "message")
        check = _ITEMS.get(kind) if isinstance(kind, str) else None
        if check is None:
            yield Fault(f"{place}.type", f"must be one of {', '.join(_ITEMS)}, not {kind!r}")
        else:
            yield from check(place, item)
    known = [item if isinstance(item, dict) else {} for item in items]
    yield from _pairs(known)
    yield from _reasoning_order(known)


def _message(place: str, item: dict[str, Any]) -> Faults:
    yield from fields(place, item, ("role", "content"), ("type", "id", "status", "phase"))
    yield from one_of(f"{place}.role", item.get("role"), _ROLES)
    content = item.get("content")
    if isinstance(content, str):
        yield from text(f"{place}.content", content, may_be_blank=True)
    else:
        checks = _REPLY_PARTS if item.get("role") == "assistant" else _INPUT_PARTS
        yield from parts(f"{place}.content", content, checks)


def _call(place: str, item: dict[str, Any]) -> Faults:
    yield from fields(place, item, ("type", "call_id", "name", "arguments"), ("id", "status"))
    yield from identifier(f"{place}.call_id", item.get("call_id"), _MAX_ID_LENGTH)
    yield from tool_name(f"{place}.name", item.get("name"))
    yield from arguments(f"{place}.arguments", item.get("arguments"))


def _output(place: str, item: dict[str, Any]) -> Faults:
    yield from fields(place, item, ("type", "call_id", "output"), ("id", "status"))
    yield from identifier(f"{place}.call_id", item.get("call_id"), _MAX_ID_LENGTH)
    output = item.get("output")
    if not isinstance(output, str):
        yield from parts(f"{place}.output", output, _INPUT_PARTS)


def _reasoning(place: str, item: dict[str, Any]) -> Faults:
    yield from fields(place, item, ("type", "id", "summary"), ("encrypted_content", "status", "content"))
    yield from text(f"{place}.id", item.get("id"))
    summary = item.get("summary")
    if summary != []:
        yield from parts(f"{place}.summary", summary, {"summary_text": text_part})
    if "encrypted_content" in item:
        yield from text(f"{place}.encrypted_content", item["encrypted_content"])


def _compaction(place: str, item: dict[str, Any]) -> Faults:
    yield from fields(place, item, ("type", "encrypted_content"), ("id",))
    yield from text(f"{place}.encrypted_content", item.get("encrypted_content"))


def _pairs(items: list[dict[str, Any]]) -> Faults:
    """Yield the faults of calls and outputs: each call answered once, before anybody else speaks."""
    open_ids: list[object] = []
    for number, item in enumerate(items):
        place, kind, call_id = f"input[{number}]", item.get("type", "message"), item.get("call_id")
        if kind == "function_call":
            if call_id in open_ids:
                yield Fault(place, f"two open calls have the id {call_id!r}")
            open_ids.append(call_id)
        elif kind == "function_call_output":
            if call_id in open_ids:
                open_ids.remove(call_id)
            else:
                yield Fault(place, f"answers {call_id!r}, which is no open call")
        elif open_ids and kind == "message" and item.get("role") != "assistant":
            yield Fault(place, f"stands before the outputs of the calls {open_ids}")
    if open_ids:
        yield Fault("input", f"the calls {open_ids} have no outputs")


def _reasoning_order(items: list[dict[str, Any]]) -> Faults:
    """Yield a fault for reasoning that is not followed by what it led to."""
    for number, item in enumerate(items):
        if item.get("type") != "reasoning":
            continue
        after = items[number + 1] if number + 1 < len(items) else {}
        led_to = after.get("type", "message")
        is_reply = led_to == "message" and after.get("role") == "assistant"
        if not is_reply and led_to not in {"function_call", "reasoning"}:
            yield Fault(f"input[{number}]", "reasoning must be followed by the reply or call it led to")


def _image(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type",), ("image_url", "file_id", "detail"))
    yield from one_of(f"{place}.detail", part.get("detail", "auto"), _DETAILS)
    if "file_id" in part:
        yield from text(f"{place}.file_id", part["file_id"])
    else:
        yield from image_url(f"{place}.image_url", part.get("image_url"))


def _file(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type",), ("file_id", "file_data", "file_url", "filename", "detail"))
    if not any(part.get(name) for name in ("file_id", "file_data", "file_url")):
        yield Fault(place, "needs `file_id`, `file_data` or `file_url`")


def _refusal(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "refusal"))
    yield from text(f"{place}.refusal", part.get("refusal"))


def _tool(place: str, tool: dict[str, Any]) -> Faults:
    yield from fields(place, tool, _TOOL_FIELDS, ("description", "strict"))
    yield from one_of(f"{place}.type", tool.get("type"), ("function",))
    if not isinstance(tool.get("strict", False), bool):
        yield Fault(f"{place}.strict", "must be true or false")


_INPUT_PARTS: dict[str, PartCheck] = {"input_text": text_part, "input_image": _image, "input_file": _file}
_REPLY_PARTS: dict[str, PartCheck] = {"output_text": text_part, "refusal": _refusal}
_ITEMS: dict[str, PartCheck] = {
    "message": _message,
    "function_call": _call,
    "function_call_output": _output,
    "reasoning": _reasoning,
    "compaction": _compaction,
}
