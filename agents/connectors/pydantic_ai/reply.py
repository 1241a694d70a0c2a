"""What a provider streams, as our events and output items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_ai.messages import (
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.usage import RequestUsage

from agents.connectors.access import Access
from agents.connectors.base import (
    Done,
    FinishReason,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolCallStarted,
    Usage,
)
from agents.connectors.pydantic_ai.history import REDACTED

Block = dict[str, Any]
Arguments = str | Mapping[str, Any] | None

# Words of compatible servers for an answer that did not come to its end, and for one that became too long.
_BROKEN = frozenset({"abort", "error", "insufficient_system_resource", "network_error"})
_TOO_LONG = frozenset({"max_tokens", "max_length", "model_length"})
# What the columns of every database hold; no honest figure is near it.
_MOST_TOKENS = 2**31 - 1


class Reply:
    """Turns the events of one stream into ours; remembers which call each part belongs to."""

    def __init__(self) -> None:
        self._call_ids: dict[int, str] = {}

    def events(self, event: ModelResponseStreamEvent) -> Iterator[ModelEvent]:
        """Yield what the event adds to the answer."""
        if isinstance(event, PartStartEvent):
            yield from self._start(event.index, event.part)
        elif isinstance(event, PartDeltaEvent):
            delta = event.delta
            if isinstance(delta, TextPartDelta):
                yield from _text(delta.content_delta)
            elif isinstance(delta, ThinkingPartDelta):
                yield from _thinking(delta.content_delta)
            elif isinstance(delta, ToolCallPartDelta):
                yield from self._arguments(event.index, delta.args_delta)

    def _start(self, index: int, part: ModelResponsePart) -> Iterator[ModelEvent]:
        if isinstance(part, TextPart):
            yield from _text(part.content)
        elif isinstance(part, ThinkingPart):
            yield from _thinking(part.content)
        elif isinstance(part, ToolCallPart):
            self._call_ids[index] = _sure(part.tool_call_id)
            yield ToolCallStarted(_sure(part.tool_call_id), _sure(part.tool_name))
            yield from self._arguments(index, part.args)

    def _arguments(self, index: int, arguments: Arguments) -> Iterator[ModelEvent]:
        if arguments:
            yield ToolArgumentsDelta(self._call_ids[index], _json_text(arguments))


def done(response: ModelResponse, finish_reason: FinishReason, access: Access) -> Done:
    """Return the last event of an answer: its blocks in the order in which they came.

    What a model says to refuse, which OpenAI sends apart from its text, is its answer.

    Raises:
        TypeError: a part holds what the wire format does not allow there.
    """
    blocks: list[Block] = []
    for part in response.parts:
        for block in _blocks(part, access):
            if not _continues(blocks, block):
                blocks.append(block)
    refusal = (response.provider_details or {}).get("refusal")
    if refusal and not any(block["type"] == "output_text" for block in blocks):
        blocks.append({"type": "output_text", "text": _sure(refusal)})
    if finish_reason == "stop" and any(block["type"] == "tool_use" for block in blocks):
        # Not every provider tells the two apart.
        finish_reason = "tool_call"
    output = [{"type": "message", "role": "assistant", "content": blocks}] if blocks else []
    return Done(output, usage_of(response.usage), finish_reason, _sure(response.model_name or ""))


def finish_reason_of(response: ModelResponse) -> FinishReason | None:
    """Return why the model stopped, None when the answer broke off.

    A word that nobody knows means that the answer is there.
    """
    if response.finish_reason is not None:
        return response.finish_reason
    said = str((response.provider_details or {}).get("finish_reason") or "").lower()
    if not said or said in _BROKEN:
        return None
    return "length" if said in _TOO_LONG else "stop"


def usage_of(usage: RequestUsage) -> Usage:
    """Return the tokens as reported; a provider that reported nothing gives None everywhere.

    So does a figure that cannot be one.
    """
    if not usage.input_tokens and not usage.output_tokens:
        return Usage()
    return Usage(
        input_tokens=_count(usage.input_tokens),
        output_tokens=_count(usage.output_tokens),
        cached_tokens=_count(usage.cache_read_tokens),
        cache_write_tokens=_count(usage.cache_write_tokens),
    )


def _count(reported: object) -> int | None:
    return reported if isinstance(reported, int) and 0 <= reported <= _MOST_TOKENS else None


def _sure(text: object) -> str:
    """Return the text; the classes of pydantic-ai promise one and hold whatever the provider sent."""
    if not isinstance(text, str):
        raise TypeError(f"a text was expected, not {type(text).__name__}")
    return text


def _text(text: str) -> Iterator[ModelEvent]:
    if text:
        yield TextDelta(_sure(text))


def _thinking(text: str | None) -> Iterator[ModelEvent]:
    if text:
        yield ThinkingDelta(_sure(text))


def _blocks(part: ModelResponsePart, access: Access) -> Iterator[Block]:
    if isinstance(part, TextPart):
        yield {"type": "output_text", "text": _sure(part.content), **_google_signature(part)}
    elif isinstance(part, ToolCallPart):
        call = {"type": "tool_use", "id": _sure(part.tool_call_id), "name": _sure(part.tool_name)}
        yield {**call, "arguments": _json_text(part.args or {}), **_google_signature(part)}
    elif isinstance(part, ThinkingPart):
        yield _thinking_block(part, access)


def _thinking_block(part: ThinkingPart, access: Access) -> Block:
    block: Block = {"type": "thinking", "thinking": part.content, "persistInHistory": False}
    if part.id == REDACTED:
        block["redacted"] = True
    elif part.id:
        block["id"] = part.id
    signature = part.signature or (part.provider_details or {}).get("thought_signature")
    if not signature:
        return block
    # Named by who can read it again: DECISIONS E7.
    owner = {"provider": access.maker, "account": access.account}
    return {**block, "signature": signature, "persistInHistory": True, **owner}


def _continues(blocks: list[Block], block: Block) -> bool:
    """Tell whether a block is more of the thinking before it, and then add it there.

    OpenAI cuts one reasoning item into several summaries.
    """
    last = blocks[-1] if blocks else {}
    if "id" not in last or (last["type"], last["id"]) != ("thinking", block.get("id")):
        return False
    thinking = "\n\n".join(filter(None, (last["thinking"], block["thinking"])))
    last |= {**(block if "signature" in block else {}), "thinking": thinking}
    return True


def _google_signature(part: TextPart | ToolCallPart) -> Mapping[str, str]:
    signature = (part.provider_details or {}).get("thought_signature")
    return {"thoughtSignature": signature} if signature else {}


def _json_text(arguments: str | Mapping[str, Any]) -> str:
    """Return the arguments as the model wrote them, or as JSON where the provider parsed them."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
