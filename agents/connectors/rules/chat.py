"""What the OpenAI Chat Completions API demands of a request body."""

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
from agents.connectors.rules.tools import definitions, tool_name, wrapped_function

_MAX_ID_LENGTH = 40
_DETAILS = ("auto", "low", "high")
_FIELDS = {
    "system": ("name",),
    "developer": ("name",),
    "user": ("name",),
    "assistant": ("name", "tool_calls", "refusal", "content"),
    "tool": ("tool_call_id",),
}


def chat_faults(body: Any) -> Faults:
    """Yield every fault of a Chat Completions body: its ``messages`` and, if there are any, ``tools``."""
    if not isinstance(body, dict):
        yield Fault("body", f"must be an object, not {type(body).__name__}")
        return
    yield from plain_json("body", body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield Fault("messages", "must be a list with at least one message")
        return
    for number, message in enumerate(messages):
        yield from _message(f"messages[{number}]", message)
    yield from _pairs(messages)
    if "tools" in body:
        yield from definitions("tools", body["tools"], wrapped_function, "parameters")


def _message(place: str, message: Any) -> Faults:
    if not isinstance(message, dict):
        yield Fault(place, f"a message is an object, not {type(message).__name__}")
        return
    role = message.get("role")
    if not isinstance(role, str) or role not in _FIELDS:
        yield Fault(f"{place}.role", f"must be one of {', '.join(_FIELDS)}, not {role!r}")
        return
    required = ("role",) if role == "assistant" else ("role", "content")
    yield from fields(place, message, required, _FIELDS[role])
    here, content = f"{place}.content", message.get("content")
    if role == "assistant":
        yield from _assistant(place, message)
    elif role == "user":
        yield from _content(here, content, _USER_PARTS)
    elif role == "tool":
        yield from identifier(f"{place}.tool_call_id", message.get("tool_call_id"), _MAX_ID_LENGTH)
        if content != "":
            yield from _content(here, content, _TEXT_PARTS)
    else:
        yield from _content(here, content, _TEXT_PARTS)


def _content(place: str, content: object, checks: dict[str, PartCheck]) -> Faults:
    if isinstance(content, str):
        yield from text(place, content, may_be_blank=True)
    else:
        yield from parts(place, content, checks)


def _assistant(place: str, message: dict[str, Any]) -> Faults:
    content, calls = message.get("content"), message.get("tool_calls")
    if content is not None:
        yield from _content(f"{place}.content", content, _REPLY_PARTS)
    elif calls is None and not message.get("refusal"):
        yield Fault(place, "an assistant message needs `content` or `tool_calls`")
    if "tool_calls" in message:
        yield from _calls(f"{place}.tool_calls", calls)


def _calls(place: str, calls: object) -> Faults:
    if not isinstance(calls, list) or not calls:
        yield Fault(place, "must be a list with at least one call, or be left out")
        return
    for number, call in enumerate(calls):
        here = f"{place}[{number}]"
        yield from fields(here, call, ("id", "type", "function"))
        if not isinstance(call, dict):
            continue
        yield from identifier(f"{here}.id", call.get("id"), _MAX_ID_LENGTH)
        yield from one_of(f"{here}.type", call.get("type"), ("function",))
        function = call.get("function")
        yield from fields(f"{here}.function", function, ("name", "arguments"))
        if isinstance(function, dict):
            yield from tool_name(f"{here}.function.name", function.get("name"))
            yield from arguments(f"{here}.function.arguments", function.get("arguments"))


def _pairs(messages: list[Any]) -> Faults:
    """Yield the faults of calls and results: each call answered once, in the messages right after it."""
    open_ids: list[object] = []
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        place = f"messages[{number}]"
        if message.get("role") == "tool":
            call_id = message.get("tool_call_id")
            if call_id in open_ids:
                open_ids.remove(call_id)
            else:
                yield Fault(place, f"answers {call_id!r}, which is no open call of the message before")
            continue
        if open_ids:
            yield Fault(place, f"stands before the results of the calls {open_ids}")
        open_ids = _ids_of(message)
        if len(set(map(str, open_ids))) < len(open_ids):
            yield Fault(f"{place}.tool_calls", "two calls of one message have the same id")
    if open_ids:
        yield Fault("messages", f"the calls {open_ids} at the end have no results")


def _ids_of(message: dict[str, Any]) -> list[object]:
    calls = message.get("tool_calls")
    return [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _image(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "image_url"))
    image = part.get("image_url")
    here = f"{place}.image_url"
    yield from fields(here, image, ("url",), ("detail",))
    if isinstance(image, dict):
        yield from image_url(f"{here}.url", image.get("url"))
        yield from one_of(f"{here}.detail", image.get("detail", "auto"), _DETAILS)


def _file(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "file"))
    file = part.get("file")
    here = f"{place}.file"
    yield from fields(here, file, (), ("file_id", "file_data", "filename"))
    if isinstance(file, dict) and not (file.get("file_id") or file.get("file_data")):
        yield Fault(here, "needs `file_id` or `file_data`")


def _refusal(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "refusal"))
    yield from text(f"{place}.refusal", part.get("refusal"))


_TEXT_PARTS: dict[str, PartCheck] = {"text": text_part}
_USER_PARTS: dict[str, PartCheck] = {"text": text_part, "image_url": _image, "file": _file}
_REPLY_PARTS: dict[str, PartCheck] = {"text": text_part, "refusal": _refusal}
