"""Answers in the stream format of the Gemini API."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from tests.providers.answers import MODEL, Answer, sse


def chunks(answer: Answer) -> Iterator[bytes]:
    for piece in answer.thinking:
        yield _chunk([{"text": piece, "thought": True}])
    for piece in answer.text:
        yield _chunk([{"text": piece}])
    for place, call in enumerate(answer.calls):
        part: dict[str, Any] = {"functionCall": {"name": call.name, "args": json.loads(call.arguments)}}
        if answer.signature and place == 0:
            part["thoughtSignature"] = base64.b64encode(answer.signature.encode()).decode()
        yield _chunk([part])
    yield _chunk([{"text": ""}], finishReason=answer.finish or "STOP", usage=_usage(answer))


def error(status: str, code: int, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status}}


def _chunk(parts: list[dict[str, Any]], usage: dict[str, int] | None = None, **candidate: str) -> bytes:
    content = {"role": "model", "parts": parts}
    chunk: dict[str, Any] = {
        "candidates": [{"content": content, "index": 0, **candidate}],
        "modelVersion": MODEL,
        "responseId": "resp_1",
    }
    return sse({**chunk, "usageMetadata": usage} if usage else chunk)


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "promptTokenCount": answer.input_tokens,
        "candidatesTokenCount": answer.output_tokens,
        "cachedContentTokenCount": answer.cached_tokens,
        "totalTokenCount": answer.input_tokens + answer.output_tokens,
    }
