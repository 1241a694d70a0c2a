"""Contexts of an exact size, and the conversations in them."""

from functools import partial
from typing import Any, cast

from agents.context import AgentContext, ApproximateTokenEstimator
from agents.context.messages import InputItem
from agents.context.options import ContextOptions
from tests.agents.context.cast import BARE, StoppedClock, assistant, results, user

NOTES = {"working_memory": True, "in_context_memory": False}
BOARD_AND_NOTES = {"working_memory": True, "in_context_memory": True}
BOARD = {"working_memory": False, "in_context_memory": True}


def words(tokens: int) -> str:
    """Return a text of exactly so many tokens by the approximate count."""
    return "x" * int(tokens * 3.5)


def sized(content_max: int, **options: Any) -> AgentContext:
    """Return a context whose system message, history and input may together be so large."""
    given: dict[str, Any] = {
        "model": "gpt-4.1",
        "features": BARE,
        "estimator": ApproximateTokenEstimator(),
        "clock": StoppedClock(),
        "agent_id": "agent",
        "response_reserve": 0,
    }
    given |= options
    probe = AgentContext.create(
        **cast("ContextOptions", {**given, "max_context_tokens": 10**9, "lifecycle_hooks": None})
    )
    return AgentContext.create(
        **cast("ContextOptions", {**given, "max_context_tokens": content_max + probe.tools_tokens})
    )


def fill_to(context: AgentContext, used: int) -> None:
    """Add input so that the content is exactly so large."""
    missing = used - context.calculate_budget().content_used - 4
    context.add_user_message(words(missing))
    assert context.calculate_budget().content_used == used


def load(context: AgentContext, *items: InputItem) -> None:
    """Let the context hold exactly these items as its history."""
    context.load_conversation([(item, None) for item in items])


def turn(name: str, tokens: int = 50) -> list[InputItem]:
    """Return a question and an answer of about so many tokens each."""
    return [
        user(f"{name} {words(tokens)}", f"u-{name}"),
        assistant(f"{name} {words(tokens)}", (), f"a-{name}"),
    ]


def exchange(name: str, *sizes: int, text: str = "") -> list[InputItem]:
    """Return a message with one call for each size, and one message with results of so many tokens."""
    ids = tuple(f"{name}-{number}" for number in range(len(sizes)))
    answered = cast("Any", results(*ids, item_id=f"r-{name}"))
    for block, size in zip(answered["content"], sizes, strict=True):
        block["content"] = f"{block['tool_use_id']} {words(size)}" if size > 5 else "ok"
    return [assistant(text, ids, f"c-{name}"), answered]


def heard(context: AgentContext, *events: str) -> list[tuple[str, Any]]:
    """Return a list that grows with every such event."""
    seen: list[tuple[str, Any]] = []
    for event in events:
        context.on(event, partial(_hear, seen, event))
    return seen


def _hear(seen: list[tuple[str, Any]], event: str, payload: Any) -> None:
    seen.append((event, payload))


def ids_of(items: list[InputItem]) -> list[str]:
    return [item["id"] for item in items]


def contents_of(items: list[InputItem]) -> dict[str, str]:
    """Return the text of every result by the id of its call."""
    return {
        block["tool_use_id"]: block["content"]
        for item in items
        if item["type"] == "message"
        for block in item["content"]
        if block["type"] == "tool_result"
    }


def note_values(context: AgentContext) -> dict[str, Any]:
    """Return every note by key, without counting that as an access."""
    return {entry.key: entry.value for entry in context.memory.entries()}
