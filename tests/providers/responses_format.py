"""Answers in the stream format of OpenAI Responses."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.providers.answers import MODEL, Answer, Call, sse

Event = dict[str, Any]


def chunks(answer: Answer) -> Iterator[bytes]:
    for number, event in zip(count(), _events(answer), strict=False):
        yield sse({**event, "sequence_number": number}, event["type"])


def failure(code: str, message: str) -> bytes:
    """Return the event of a response that failed."""
    response = _response([], None, "failed") | {"error": {"code": code, "message": message}}
    return sse({"type": "response.failed", "sequence_number": 1, "response": response}, "response.failed")


def _events(answer: Answer) -> Iterator[Event]:
    yield {"type": "response.created", "response": _response([], None, "in_progress")}
    yield {"type": "response.in_progress", "response": _response([], None, "in_progress")}
    output: list[Event] = []
    for item, inner in _items(answer):
        place = len(output)
        for event in inner:
            yield {**event, "output_index": place}
        output.append(item)
    status = "incomplete" if answer.finish else "completed"
    response = _response(output, answer, status)
    if answer.finish:
        response["incomplete_details"] = {"reason": answer.finish}
    yield {"type": f"response.{status}", "response": response}


def _items(answer: Answer) -> Iterator[tuple[Event, Iterator[Event]]]:
    if answer.thinking or answer.signature:
        yield _reasoning(answer)
    if answer.text:
        yield _message(answer)
    for call in answer.calls:
        yield _call(call)


def _reasoning(answer: Answer) -> tuple[Event, Iterator[Event]]:
    summary = [{"type": "summary_text", "text": text} for text in answer.thinking]
    item = {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": answer.signature}

    def events() -> Iterator[Event]:
        yield {"type": "response.output_item.added", "item": {**item, "summary": []}}
        for place, text in enumerate(answer.thinking):
            here = {"item_id": "rs_1", "summary_index": place}
            part = {"type": "summary_text", "text": ""}
            yield {"type": "response.reasoning_summary_part.added", **here, "part": part}
            yield {"type": "response.reasoning_summary_text.delta", **here, "delta": text}
            yield {"type": "response.reasoning_summary_text.done", **here, "text": text}
            done = {**part, "text": text}
            yield {"type": "response.reasoning_summary_part.done", **here, "part": done}
        yield {"type": "response.output_item.done", "item": item}

    return item, events()


def _message(answer: Answer) -> tuple[Event, Iterator[Event]]:
    part = {"type": "output_text", "text": answer.full_text, "annotations": [], "logprobs": []}
    item = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    here = {"item_id": "msg_1", "content_index": 0}

    def events() -> Iterator[Event]:
        begun = {**item, "status": "in_progress", "content": []}
        yield {"type": "response.output_item.added", "item": begun}
        yield {"type": "response.content_part.added", **here, "part": {**part, "text": ""}}
        for piece in answer.text:
            yield {"type": "response.output_text.delta", **here, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **here, "text": answer.full_text, "logprobs": []}
        yield {"type": "response.content_part.done", **here, "part": part}
        yield {"type": "response.output_item.done", "item": item}

    return item, events()


def _call(call: Call) -> tuple[Event, Iterator[Event]]:
    item = {
        "id": f"fc_{call.id}",
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }
    here = {"item_id": item["id"]}

    def events() -> Iterator[Event]:
        begun = {**item, "status": "in_progress", "arguments": ""}
        yield {"type": "response.output_item.added", "item": begun}
        for piece in call.pieces:
            yield {"type": "response.function_call_arguments.delta", **here, "delta": piece}
        done = {"name": call.name, "arguments": call.arguments}
        yield {"type": "response.function_call_arguments.done", **here, **done}
        yield {"type": "response.output_item.done", "item": item}

    return item, events()


def _response(output: list[Event], answer: Answer | None, status: str) -> Event:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": status,
        "model": MODEL,
        "output": output,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": None if answer is None else _usage(answer),
    }


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {
            "cached_tokens": answer.cached_tokens,
            "cache_write_tokens": answer.cache_write_tokens,
        },
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + answer.output_tokens,
    }
