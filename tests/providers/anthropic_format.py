"""Answers in the stream format of Anthropic Messages."""

from collections.abc import Iterable, Iterator
from typing import Any

from tests.providers.answers import MODEL, Answer, sse


def chunks(answer: Answer) -> Iterator[bytes]:
    yield _event("message_start", message=_message(answer))
    yield _event("ping")
    for place, (block, deltas) in enumerate(_blocks(answer)):
        yield _event("content_block_start", index=place, content_block=block)
        for delta in deltas:
            yield _event("content_block_delta", index=place, delta=delta)
        yield _event("content_block_stop", index=place)
    stop = answer.finish or ("tool_use" if answer.calls else "end_turn")
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage={"output_tokens": answer.output_tokens})
    yield _event("message_stop")


def error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def error_event(kind: str, message: str) -> bytes:
    return sse(error(kind, message), "error")


def _blocks(answer: Answer) -> Iterator[tuple[dict[str, Any], Iterable[dict[str, Any]]]]:
    if answer.thinking:
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in answer.thinking]
        signature = {"type": "signature_delta", "signature": answer.signature}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
    elif answer.signature:
        yield {"type": "redacted_thinking", "data": answer.signature}, []
    if answer.text:
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in answer.text]
    for call in answer.calls:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        yield block, [{"type": "input_json_delta", "partial_json": piece} for piece in call.pieces]


def _message(answer: Answer) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        # The parts from and to the cache do not count as input here.
        "usage": {
            "input_tokens": answer.input_tokens - answer.cached_tokens - answer.cache_write_tokens,
            "cache_read_input_tokens": answer.cached_tokens,
            "cache_creation_input_tokens": answer.cache_write_tokens,
            "output_tokens": 1,
        },
    }


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)
