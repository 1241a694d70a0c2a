"""Items of the context as the messages that pydantic-ai sends."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserContent,
    UserPromptPart,
)

from agents.connectors.access import Dialect
from agents.connectors.wire.anthropic import OPENING
from agents.connectors.wire.parts import (
    arguments_object,
    result_image_urls,
    result_text,
    results_first,
    safe_id,
    safe_name,
    sendable,
    split_data_url,
    unique_calls,
)
from agents.context.images import IMAGE_TYPES
from agents.context.messages import (
    Block,
    InputImage,
    InputItem,
    MessageItem,
    OpaqueItem,
    Thinking,
    ToolResult,
    ToolUse,
)

REDACTED = "redacted_thinking"


@dataclass(frozen=True)
class Form:
    """What a dialect can carry.

    Attributes:
        maker: the provider in pydantic-ai's words; decides which thinking is sent back.
        max_id_length: of the id of a call.
        has_inline_system: whether system messages may stand in the middle.
        opens_with_user: whether the first message must be the user's.
        has_error_results: whether a result can be marked as failed.
        no_content: what a result without content holds; Anthropic refuses empty texts.
        has_image_results: whether images stand inside results; otherwise they follow as the user's.
        loads_addresses: whether the provider, not this server, loads images by their address.
        has_opaque_items: whether compactions and reasoning are items of their own.
        sends_reasoning: whether encrypted thinking goes back to the model.
    """

    maker: Literal["openai", "anthropic", "google"]
    max_id_length: int = 64
    has_inline_system: bool = False
    opens_with_user: bool = False
    has_error_results: bool = False
    no_content: str | list[Any] = ""
    has_image_results: bool = True
    loads_addresses: bool = True
    has_opaque_items: bool = False
    sends_reasoning: bool = True


FORMS: dict[Dialect, Form] = {
    "chat": Form(
        "openai", max_id_length=40, has_inline_system=True, has_image_results=False, sends_reasoning=False
    ),
    "responses": Form("openai", has_inline_system=True, has_opaque_items=True),
    "anthropic": Form("anthropic", opens_with_user=True, has_error_results=True, no_content=[]),
    "google": Form("google", opens_with_user=True, has_error_results=True, loads_addresses=False),
}


def form_of(dialect: Dialect, *, sends_reasoning: bool) -> Form:
    """Return the form of a dialect for a model that takes encrypted thinking back or does not."""
    form = FORMS[dialect]
    return replace(form, sends_reasoning=form.sends_reasoning and sends_reasoning)


def to_messages(items: Sequence[InputItem], form: Form) -> list[ModelMessage]:
    """Return the messages of a prompt: neighbours of one side merged, results directly after their calls.

    System messages at the start stay system messages; later ones become marked texts of the user where the
    form has no place for them. Blank texts are left out, and so is what the form cannot carry. A call whose
    id was used before gets another one.
    """
    history = _History(form)
    seen = _from_last_compaction(items) if form.has_opaque_items else items
    for item in unique_calls(results_first(sendable(seen))):
        if item["type"] == "message":
            history.add(item)
        else:
            history.respond(_opaque_parts(item, form))
    return history.messages


class _History:
    """The messages so far, and the names of the tools that were called."""

    def __init__(self, form: Form) -> None:
        self.messages: list[ModelMessage] = []
        self._form = form
        self._tool_names: dict[str, str] = {}
        self._has_begun = False

    def add(self, item: MessageItem) -> None:
        if item["role"] == "assistant":
            self._tool_names |= {
                block["id"]: safe_name(block["name"])
                for block in item["content"]
                if block["type"] == "tool_use"
            }
            self.respond([part for block in item["content"] for part in _response_parts(block, self._form)])
        elif item["role"] == "developer":
            self._instruct("\n\n".join(_texts(item["content"])))
        else:
            self._ask(self._request_parts(item["content"]))

    def respond(self, parts: list[ModelResponsePart]) -> None:
        if not parts:
            return
        if not self._has_begun and self._form.opens_with_user:
            self._ask([UserPromptPart(OPENING)])
        self._has_begun = True
        last = self.messages[-1] if self.messages else None
        if isinstance(last, ModelResponse):
            cast("list[ModelResponsePart]", last.parts).extend(parts)
        else:
            self.messages.append(ModelResponse(parts, provider_name=self._form.maker))

    def _instruct(self, text: str) -> None:
        if not text:
            return
        if self._form.has_inline_system or not self._has_begun:
            self._request([SystemPromptPart(text)])
        else:
            self._request([UserPromptPart(f"<system>\n{text}\n</system>")])

    def _ask(self, parts: list[ModelRequestPart]) -> None:
        if parts:
            self._has_begun = True
            self._request(parts)

    def _request(self, parts: list[ModelRequestPart]) -> None:
        last = self.messages[-1] if self.messages else None
        if isinstance(last, ModelRequest):
            cast("list[ModelRequestPart]", last.parts).extend(parts)
        else:
            self.messages.append(ModelRequest(parts))

    def _request_parts(self, blocks: Iterable[Block]) -> list[ModelRequestPart]:
        results: list[ModelRequestPart] = []
        content: list[UserContent] = []
        for block in blocks:
            if block["type"] == "tool_result":
                results.append(self._result(block))
                content += self._images_beside(block)
            else:
                content += _user_content(block, self._form)
        if not content:
            return results
        only = content[0] if len(content) == 1 else None
        return [*results, UserPromptPart(only if isinstance(only, str) else content)]

    def _result(self, block: ToolResult) -> ToolReturnPart:
        has_failed = bool(block.get("error")) and self._form.has_error_results
        texts = [block.get("error"), block["content"]] if has_failed else [result_text(block)]
        content: list[Any] = [text for text in texts if text and text.strip()]
        if self._form.has_image_results:
            content += [_image(url, None, self._form) for url in result_image_urls(block)]
        call_id = block["tool_use_id"]
        return ToolReturnPart(
            tool_name=self._tool_names.get(call_id, "unknown"),
            content=content[0] if len(content) == 1 else content or self._form.no_content,
            tool_call_id=safe_id(call_id, self._form.max_id_length),
            outcome="failed" if has_failed else "success",
        )

    def _images_beside(self, block: ToolResult) -> Iterator[UserContent]:
        urls = [] if self._form.has_image_results else result_image_urls(block)
        if urls:
            yield f"Images of the result of call {block['tool_use_id']}:"
        for url in urls:
            yield _image(url, None, self._form)


def _from_last_compaction(items: Sequence[InputItem]) -> list[InputItem]:
    """Return the items with a compaction in the place of everything before it, except the system."""
    places = [place for place, item in enumerate(items) if item["type"] == "compaction"]
    if not places:
        return list(items)
    start = next(
        (
            place
            for place, item in enumerate(items)
            if item["type"] != "message" or item["role"] != "developer"
        ),
        0,
    )
    return [items[places[-1]], *items[:start], *items[places[-1] + 1 :]]


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if (block["type"] == "input_text" or block["type"] == "output_text") and block["text"].strip():
            yield block["text"]


def _user_content(block: Block, form: Form) -> Iterator[UserContent]:
    yield from _texts([block])
    if block["type"] == "input_image_url":
        yield _image(block["image_url"]["url"], _detail(block), form)
    elif block["type"] == "input_file":
        yield UploadedFile(file_id=block["file_id"], provider_name=form.maker)


def _detail(block: InputImage) -> dict[str, Any] | None:
    detail = block["image_url"].get("detail")
    return {"detail": detail} if detail else None


def _image(url: str, metadata: dict[str, Any] | None, form: Form) -> UserContent:
    parts = split_data_url(url)
    if parts is None:
        # Loading it here would let a conversation send this server anywhere.
        return (
            ImageUrl(url, vendor_metadata=metadata)
            if form.loads_addresses
            else f"[An image at {url}, which cannot be shown here.]"
        )
    media_type, data = parts
    if media_type not in IMAGE_TYPES:
        return f"[An image of type {media_type}, which cannot be shown here.]"
    try:
        decoded = base64.b64decode(data, validate=True)
    except binascii.Error:
        return "[An image whose data is damaged.]"
    return BinaryContent(decoded, media_type=media_type, vendor_metadata=metadata)


def _response_parts(block: Block, form: Form) -> Iterator[ModelResponsePart]:
    for text in _texts([block]):
        yield TextPart(text, **_signed(cast("dict[str, Any]", block), form))
    if block["type"] == "tool_use":
        yield _call(block, form)
    elif block["type"] == "thinking" and block.get("signature") and form.sends_reasoning:
        yield from _thinking(block, form)


def _call(block: ToolUse, form: Form) -> ToolCallPart:
    return ToolCallPart(
        safe_name(block["name"]),
        arguments_object(block["arguments"]),
        safe_id(block["id"], form.max_id_length),
        **_signed(cast("dict[str, Any]", block), form),
    )


def _signed(block: dict[str, Any], form: Form) -> dict[str, Any]:
    """Return the fields that give a part the signature which Google ties to it."""
    signature = block.get("thoughtSignature")
    if form.maker != "google" or not signature:
        return {}
    return {"provider_name": form.maker, "provider_details": {"thought_signature": signature}}


def _thinking(block: Thinking, form: Form) -> Iterator[ThinkingPart]:
    more = cast("dict[str, Any]", block)
    if form.maker == "google":
        signed = _signed({"thoughtSignature": block["signature"]}, form)
        yield ThinkingPart(block["thinking"], **signed)
    elif form.maker == "anthropic":
        part_id = REDACTED if more.get("redacted") else None
        yield _signed_thinking(block["thinking"], block["signature"], part_id, form)
    elif "id" in more:
        yield _signed_thinking(block["thinking"], block["signature"], str(more["id"]), form)


def _signed_thinking(text: str, signature: str, part_id: str | None, form: Form) -> ThinkingPart:
    return ThinkingPart(text, id=part_id, signature=signature, provider_name=form.maker)


def _opaque_parts(item: OpaqueItem, form: Form) -> list[ModelResponsePart]:
    encrypted = item.get("encrypted_content")
    if not form.has_opaque_items or not encrypted:
        return []
    if item["type"] == "reasoning":
        return [_signed_thinking("", encrypted, item["id"], form)] if form.sends_reasoning else []
    details = {"encrypted_content": encrypted}
    return [CompactionPart(None, id=item["id"], provider_name=form.maker, provider_details=details)]
