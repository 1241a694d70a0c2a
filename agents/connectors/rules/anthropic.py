"""What the Anthropic Messages API demands of a request body."""

from __future__ import annotations

from typing import Any

from agents.connectors.rules.faults import (
    IMAGE_TYPES,
    Fault,
    Faults,
    PartCheck,
    base64_data,
    fields,
    identifier,
    one_of,
    parts,
    plain_json,
    text,
)
from agents.connectors.rules.tools import definitions, tool_name

_MAX_ID_LENGTH = 64
_MAX_TOOL_NAME = 128
_THINKING = ("thinking", "redacted_thinking")
_DOCUMENTS = ("application/pdf", "text/plain")


def anthropic_faults(body: Any) -> Faults:
    """Yield every fault of a Messages body: ``messages`` and, if there are any, ``system`` and ``tools``."""
    if not isinstance(body, dict):
        yield Fault("body", f"must be an object, not {type(body).__name__}")
        return
    yield from plain_json("body", body)
    if "system" in body:
        yield from _content("system", body["system"], {"text": _text})
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield Fault("messages", "must be a list with at least one message")
        return
    for number, message in enumerate(messages):
        yield from _message(f"messages[{number}]", message)
    known = [message if isinstance(message, dict) else {} for message in messages]
    yield from _alternation(known)
    yield from _pairs(known)
    yield from _last_words(known)
    if "tools" in body:
        yield from definitions("tools", body["tools"], _tool, "input_schema")


def _message(place: str, message: Any) -> Faults:
    yield from fields(place, message, ("role", "content"))
    if not isinstance(message, dict):
        return
    role = message.get("role")
    yield from one_of(f"{place}.role", role, ("user", "assistant"))
    yield from _content(
        f"{place}.content", message.get("content"), _REPLY_PARTS if role == "assistant" else _USER_PARTS
    )


def _content(place: str, content: object, checks: dict[str, PartCheck]) -> Faults:
    if isinstance(content, str):
        yield from text(place, content)
    else:
        yield from parts(place, content, checks)


def _alternation(messages: list[dict[str, Any]]) -> Faults:
    """Yield the faults of the order of roles: the user begins, and nobody speaks twice in a row."""
    if messages[0].get("role") == "assistant":
        yield Fault("messages[0].role", "the first message is the user's")
    for number in range(1, len(messages)):
        if messages[number].get("role") == messages[number - 1].get("role"):
            yield Fault(f"messages[{number}].role", "user and assistant must alternate")


def _pairs(messages: list[dict[str, Any]]) -> Faults:
    """Yield the faults of calls and results: every call is answered at the start of the next message."""
    seen: set[object] = set()
    open_ids: list[object] = []
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        yield from _results(place, message, open_ids)
        open_ids = []
        for block in _blocks(message):
            if block.get("type") == "tool_use":
                if str(block.get("id")) in seen:
                    yield Fault(place, f"the id {block.get('id')!r} was used by an earlier call")
                seen.add(str(block.get("id")))
                open_ids.append(block.get("id"))
    if open_ids:
        yield Fault("messages", f"the calls {open_ids} at the end have no results")


def _results(place: str, message: dict[str, Any], open_ids: list[object]) -> Faults:
    left = list(open_ids)
    other_came = False
    for number, block in enumerate(_blocks(message)):
        if block.get("type") != "tool_result":
            other_came = True
            continue
        use_id = block.get("tool_use_id")
        if other_came:
            yield Fault(f"{place}.content[{number}]", "results stand before everything else in a message")
        if use_id in left:
            left.remove(use_id)
        else:
            yield Fault(
                f"{place}.content[{number}]", f"answers {use_id!r}, no open call of the message before"
            )
    if left:
        yield Fault(place, f"has no results of the calls {left} of the message before")


def _last_words(messages: list[dict[str, Any]]) -> Faults:
    """Yield the faults at the end of assistant messages."""
    for number, message in enumerate(messages):
        blocks = _blocks(message)
        if message.get("role") == "assistant" and blocks and blocks[-1].get("type") in _THINKING:
            yield Fault(f"messages[{number}]", "thinking must not be the last block of a message")
    last = messages[-1]
    if last.get("role") != "assistant":
        return
    blocks, content = _blocks(last), last.get("content")
    words = blocks[-1].get("text") if blocks else content
    if isinstance(words, str) and words != words.rstrip():
        yield Fault(f"messages[{len(messages) - 1}]", "the last assistant text must not end with white space")


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "text"), ("citations", "cache_control"))
    yield from text(f"{place}.text", part.get("text"))


def _image(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "source"), ("cache_control",))
    yield from _source(f"{place}.source", part.get("source"), IMAGE_TYPES)


def _document(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "source"), ("title", "context", "citations", "cache_control"))
    yield from _source(f"{place}.source", part.get("source"), _DOCUMENTS)


def _source(place: str, source: Any, media_types: tuple[str, ...]) -> Faults:
    kind = source.get("type") if isinstance(source, dict) else None
    if kind == "base64":
        yield from fields(place, source, ("type", "media_type", "data"))
        yield from one_of(f"{place}.media_type", source.get("media_type"), media_types)
        yield from base64_data(f"{place}.data", source.get("data"))
    elif kind == "url":
        yield from fields(place, source, ("type", "url"))
        if not str(source.get("url")).startswith(("https://", "http://")):
            yield Fault(f"{place}.url", "must be an http(s) address")
    elif kind == "file":
        yield from fields(place, source, ("type", "file_id"))
        yield from text(f"{place}.file_id", source.get("file_id"))
    else:
        yield Fault(place, "must be a source of type base64, url or file")


def _call(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "id", "name", "input"), ("cache_control",))
    yield from identifier(f"{place}.id", part.get("id"), _MAX_ID_LENGTH)
    yield from tool_name(f"{place}.name", part.get("name"), _MAX_TOOL_NAME)
    if not isinstance(part.get("input"), dict):
        yield Fault(f"{place}.input", "must be an object")


def _result(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "tool_use_id"), ("content", "is_error", "cache_control"))
    yield from identifier(f"{place}.tool_use_id", part.get("tool_use_id"), _MAX_ID_LENGTH)
    content = part.get("content", [])
    if content not in ("", []):
        yield from _content(f"{place}.content", content, {"text": _text, "image": _image})
    if not isinstance(part.get("is_error", False), bool):
        yield Fault(f"{place}.is_error", "must be true or false")


def _thinking(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "thinking", "signature"))
    yield from text(f"{place}.thinking", part.get("thinking"), may_be_empty=True, may_be_blank=True)
    yield from text(f"{place}.signature", part.get("signature"))


def _redacted(place: str, part: dict[str, Any]) -> Faults:
    yield from fields(place, part, ("type", "data"))
    yield from text(f"{place}.data", part.get("data"))


def _tool(place: str, tool: dict[str, Any]) -> Faults:
    yield from fields(place, tool, ("name", "input_schema"), ("description", "type", "cache_control"))


_USER_PARTS: dict[str, PartCheck] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "tool_result": _result,
}
_REPLY_PARTS: dict[str, PartCheck] = {
    "text": _text,
    "tool_use": _call,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
}
