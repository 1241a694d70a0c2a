"""Answers in the stream format of OpenAI Chat Completions."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from tests.providers.answers import MODEL, Answer, sse

_HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_790_000_000, "model": MODEL}


def chunks(answer: Answer) -> Iterator[bytes]:
    yield _delta({"role": "assistant", "content": ""})
    for piece in answer.thinking:
        yield _delta({"reasoning_content": piece})
    for piece in answer.text:
        yield _delta({"content": piece})
    for place, call in enumerate(answer.calls):
        function = {"name": call.name, "arguments": ""}
        yield _call(place, {"id": call.id, "type": "function", "function": function})
    # Pieces of parallel calls arrive mixed.
    for row in zip_longest(*(call.pieces for call in answer.calls)):
        for place, piece in enumerate(row):
            if piece is not None:
                yield _call(place, {"function": {"arguments": piece}})
    yield _delta({}, finish=answer.finish or ("tool_calls" if answer.calls else "stop"))
    yield sse({**_HEAD, "choices": [], "usage": _usage(answer)})
    yield sse("[DONE]")


def error(code: str, message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _delta(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return sse({**_HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _call(place: int, fields: dict[str, Any]) -> bytes:
    return _delta({"tool_calls": [{"index": place, **fields}]})


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens, "audio_tokens": 0},
    }
