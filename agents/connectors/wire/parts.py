"""What the three wire formats share: order of results, ids, images, errors and the items read back."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from agents.context import json_values
from agents.context.errors import InvalidItem
from agents.context.images import UNKNOWN_TYPE
from agents.context.messages import Block, InputItem, MessageItem, ToolResult
from agents.context.roles import ALLOWED, is_empty, speaks, without_idle_thinking
from agents.context.wire_form import check_item

Wire = dict[str, Any]

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NAME_CHARACTERS = 48
_DATA_URL = re.compile(r"data:(?P<media_type>[\w.+-]+/[\w.+-]+);base64,")
_BROKEN_ARGUMENTS = "invalid_json"


class WireError(ValueError):
    """A foreign message holds something that the context has no item for; the text names it."""


class NothingToSend(WireError):
    """There is no message to send; the text says what to add."""

    def __init__(self) -> None:
        super().__init__(
            "The prompt has no message beside the system's, and providers refuse that. Say something first, "
            "with add_user_message."
        )


def sendable(items: Iterable[InputItem]) -> list[InputItem]:
    """Return the items without what providers refuse.

    That is: blocks that may not stand in the role of their message, empty texts, files without an id, and
    reasoning that led to nothing.
    """
    kept: list[InputItem] = []
    # Read backwards: whether the assistant goes on after a thought.
    is_followed = False
    for item in reversed(list(items)):
        if item["type"] == "message":
            known = ALLOWED[item["role"]]
            blocks = [block for block in item["content"] if block["type"] in known and not is_empty(block)]
            if item["role"] == "assistant":
                blocks = without_idle_thinking(blocks, is_followed=is_followed)
                is_followed = is_followed or any(map(speaks, blocks))
            else:
                is_followed = False
            if len(blocks) == len(item["content"]):
                kept.append(item)
            elif blocks:
                kept.append({**item, "content": blocks})
        elif item["type"] == "compaction":
            is_followed = False
            kept.append(item)
        elif is_followed:
            kept.append(item)
    return kept[::-1]


def results_first(items: Iterable[InputItem]) -> Iterator[InputItem]:
    """Yield the items with the results of calls directly after the message that made them.

    Results and other input that arrived between two assistant messages are told apart: the results come
    first, in one message. Nothing is added, dropped or changed.
    """
    run: list[MessageItem] = []
    for item in items:
        if item["type"] == "message" and item["role"] != "assistant":
            run.append(item)
            continue
        yield from _sorted_run(run)
        run = []
        yield item
    yield from _sorted_run(run)


def unique_calls(items: Iterable[InputItem]) -> Iterator[InputItem]:
    """Yield the items with another id for every call whose id an earlier message used already.

    Some models number their calls anew in every reply. Results follow their calls directly, so they are
    renamed with them.
    """
    seen: dict[str, int] = {}
    renamed: dict[str, str] = {}
    for item in items:
        if item["type"] != "message":
            yield item
        elif item["role"] == "assistant":
            renamed = {}
            for block in item["content"]:
                if block["type"] == "tool_use":
                    seen[block["id"]] = seen.get(block["id"], 0) + 1
                    if seen[block["id"]] > 1:
                        renamed[block["id"]] = f"{block['id']}-{seen[block['id']]}"
            yield _with_ids(item, renamed)
        else:
            yield _with_ids(item, renamed)


def safe_id(call_id: str, max_length: int) -> str:
    """Return an id every provider accepts: the given one, or a digest of it that is the same every time.

    Providers refuse each other's ids when they are too long or hold other characters than letters, digits,
    ``_`` and ``-``.
    """
    if len(call_id) <= max_length and _SAFE_ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def safe_name(name: str) -> str:
    """Return a tool's name every provider accepts: the given one, or what can be read of it with a digest.

    Models invent names, and providers refuse a history with one that is empty, longer than 64 characters or
    made of other characters than letters, digits, ``_`` and ``-``. Two names stay two.
    """
    if _SAFE_NAME.fullmatch(name):
        return name
    readable = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:_NAME_CHARACTERS]
    # Google wants a letter first.
    return f"tool_{readable}_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def arguments_object(text: str) -> Wire:
    """Return the arguments of a call as an object; what is none stays readable in a field of its own."""
    if not text.strip():
        return {}
    value = _parsed_object(text)
    # What a model escaped, a body in UTF-8 cannot always hold.
    return {_BROKEN_ARGUMENTS: text} if value is None else cast("Wire", json_values.repair(value))


def arguments_text(text: str) -> str:
    """Return arguments as the model wrote them, or as JSON text of an object when they are none."""
    return json_values.encode(arguments_object(text)) if _parsed_object(text) is None else text


def result_text(block: ToolResult) -> str:
    """Return content and error as one text, for providers that cannot mark a result as failed."""
    error = block.get("error")
    if not error:
        return block["content"]
    return "\n\n".join(filter(None, (f"Error: {error}", block["content"])))


def result_image_urls(block: ToolResult) -> list[str]:
    """Return the addresses or data URLs of the images beside a result."""
    urls = []
    for image in block.get("__images", []):
        if isinstance(image, dict):
            data = image.get("base64")
            media_type = image.get("mediaType") or UNKNOWN_TYPE
            urls.append(f"data:{media_type};base64,{data}" if data else str(image.get("url", "")))
    return [url for url in urls if url]


def result_image(url: str) -> dict[str, json_values.JSON]:
    """Return the form in which a result keeps an image beside its text."""
    parts = split_data_url(url)
    return {"url": url} if parts is None else {"base64": parts[1], "mediaType": parts[0]}


def split_data_url(url: str) -> tuple[str, str] | None:
    """Return media type and base64 text of a data URL, None for any other address."""
    head = _DATA_URL.match(url)
    return None if head is None else (head["media_type"].lower(), url[head.end() :])


def repaired(messages: Sequence[Mapping[str, Any]]) -> list[Wire]:
    """Return copies in which no text holds what databases and browsers refuse.

    Raises:
        WireError: for what is no list.
    """
    if isinstance(messages, str | Mapping) or not isinstance(messages, Iterable):
        raise WireError(f"The messages are a list, not a value of type {type(messages).__name__}.")
    return cast("list[Wire]", json_values.repair(cast("json_values.JSON", list(messages))))


@contextmanager
def reading(place: int) -> Iterator[None]:
    """Turn the faults of a malformed message into a WireError that names its place, counted from 0."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as fault:
        raise WireError(f"Message {place} is malformed: {fault!r}") from fault


def numbered(messages: Iterable[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[InputItem]:
    """Return message items of (role, blocks), with their place as id; those without blocks are left out.

    Raises:
        WireError: when a block does not have the form of the context.
    """
    kept = [(role, list(blocks)) for role, blocks in messages if blocks]
    try:
        return [
            check_item({"type": "message", "id": f"msg_{place}", "role": role, "content": blocks})
            for place, (role, blocks) in enumerate(kept)
        ]
    except InvalidItem as fault:
        raise WireError(str(fault)) from fault


def texts_of(content: object, *types: str) -> list[str]:
    """Return the texts of a content that is one text, or a list of parts of only these types.

    Raises:
        WireError: for a part of another type.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    return [part_text(part, *types) for part in cast("Sequence[Wire]", content)]


def part_text(part: Wire, *types: str) -> str:
    """Return the text of a part of one of these types.

    Raises:
        WireError: for a part of another type.
    """
    if part.get("type") not in types:
        raise unknown("part", part.get("type"))
    return str(part.get("text", part.get("refusal", "")))


def unknown(what: str, kind: object) -> WireError:
    """Return the error for something that has no counterpart."""
    return WireError(f"A {what} of type {kind!r} has no counterpart in the context; leave it out")


def _parsed_object(text: str) -> dict[str, json_values.JSON] | None:
    try:
        value = json_values.decode(text)
    except json_values.InvalidJSON:
        return None
    return value if isinstance(value, dict) else None


def _with_ids(item: MessageItem, renamed: Mapping[str, str]) -> MessageItem:
    return {**item, "content": [_with_id(block, renamed) for block in item["content"]]} if renamed else item


def _with_id(block: Block, renamed: Mapping[str, str]) -> Block:
    if block["type"] == "tool_use" and block["id"] in renamed:
        return {**block, "id": renamed[block["id"]]}
    if block["type"] == "tool_result" and block["tool_use_id"] in renamed:
        return {**block, "tool_use_id": renamed[block["tool_use_id"]]}
    return block


def _sorted_run(run: Sequence[MessageItem]) -> Iterator[InputItem]:
    results = [block for item in run for block in item["content"] if block["type"] == "tool_result"]
    if not results:
        yield from run
        return
    first = next(item for item in run if any(block["type"] == "tool_result" for block in item["content"]))
    yield {**first, "content": cast("list[Block]", results)}
    for item in run:
        others: list[Block] = [block for block in item["content"] if block["type"] != "tool_result"]
        if others:
            yield {**item, "content": others}
