"""Our messages as LangChain has them, counted by the same tokenizer."""

import json
from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, trim_messages

from agents.context import InputItem
from agents.context.vocabulary_files import load_encoding
from benchmarks.messages import texts_of


def foreign(items: Sequence[InputItem]) -> list[BaseMessage]:
    """Return the messages; each result is a message of its own there."""
    return [message for item in items for message in _messages(item)]


def trim(messages: list[BaseMessage], max_tokens: int) -> list[BaseMessage]:
    """Return the last messages that fit, as an application of LangChain makes room."""
    kept: list[BaseMessage] = trim_messages(
        messages, max_tokens=max_tokens, strategy="last", token_counter=count, include_system=True
    )
    return kept


def count(messages: list[BaseMessage]) -> int:
    """Return the tokens of all texts, names and arguments."""
    encode = load_encoding("o200k_base").encode_ordinary
    total = 0
    for message in messages:
        total += len(encode(str(message.content)))
        for call in getattr(message, "tool_calls", ()):
            total += len(encode(call["name"])) + len(encode(json.dumps(call["args"])))
    return total


def orphans(messages: Sequence[BaseMessage]) -> int:
    """Return how many calls have no result and how many results have no call."""
    calls = {call["id"] for message in messages for call in getattr(message, "tool_calls", ())}
    results = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    return len(calls ^ results)


def _messages(item: InputItem) -> Iterator[BaseMessage]:
    blocks = item["content"] if item["type"] == "message" else []
    calls = [
        {"name": block["name"], "args": json.loads(block["arguments"]), "id": block["id"]}
        for block in blocks
        if block["type"] == "tool_use"
    ]
    if calls:
        yield AIMessage(content="", tool_calls=calls)
        return
    for block in blocks:
        match block["type"]:
            case "tool_result":
                yield ToolMessage(content=block["content"], tool_call_id=block["tool_use_id"])
            case "output_text":
                yield AIMessage(content=block["text"])
            case _:
                yield HumanMessage(content=next(texts_of([item])))
