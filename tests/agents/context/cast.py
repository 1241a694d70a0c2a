"""The cast of the context tests: a clock that stands still, plugins that behave and plugins that do not."""

import itertools
from collections.abc import Callable
from typing import Any

from agents.context import AgentContext, BasePlugin
from agents.context.json_values import JSON
from agents.context.messages import InputItem
from agents.context.stores import StoreResult, StoreSchema
from agents.context.tokens import ApproximateTokenEstimator

START_MS = 1_769_798_400_000
BARE = {"working_memory": False, "in_context_memory": False}


class StoppedClock:
    """A clock that moves only when told to."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def advance(self, ms: int) -> None:
        self.now_ms += ms


class CountingEstimator(ApproximateTokenEstimator):
    """Remembers every text it was asked to count."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def estimate_tokens(self, text: str, content_type: str = "mixed") -> int:
        self.texts.append(text)
        return super().estimate_tokens(text, content_type)


class NotePad(BasePlugin):
    """A plugin of one text."""

    name = "note_pad"

    def __init__(self, text: str | None = None, instructions: str | None = None) -> None:
        self.text = text
        self.instructions = instructions
        self.destroyed = 0

    def get_instructions(self) -> str | None:
        return self.instructions

    def get_content(self) -> str | None:
        return self.text

    def get_contents(self) -> object:
        return {"text": self.text}

    def get_state(self) -> object:
        return {"text": self.text}

    def restore_state(self, state: object) -> None:
        if not isinstance(state, dict):
            raise TypeError("A note pad state is a dict.")
        self.text = state["text"]

    def destroy(self) -> None:
        self.destroyed += 1


class Shelf(BasePlugin):
    """The simplest store: every method of the protocol and nothing else."""

    name = "shelf"

    def __init__(self, store: str = "shelf", **schema: Any) -> None:
        self.store = store
        self.schema = schema
        self.entries: dict[str, dict[str, JSON]] = {}

    def get_store_schema(self) -> StoreSchema:
        base: Any = {
            "storeId": self.store,
            "displayName": self.store.title(),
            "description": f"The {self.store}.",
            "usageHint": "For tests.",
            "setDataFields": {
                "description": {"type": "string", "description": "what it is", "required": True},
                "value": {"description": "any value", "required": True},
                "note": {"type": "string", "description": "an aside"},
            },
        }
        schema: StoreSchema = base | self.schema
        return schema

    def get_state(self) -> object:
        return {"entries": dict(self.entries)}

    def restore_state(self, state: object) -> None:
        assert isinstance(state, dict)
        self.entries = dict(state["entries"])

    def store_get(self, key: str | None = None) -> StoreResult:
        if key is None:
            return {"found": True, "entries": [{"key": name, **data} for name, data in self.entries.items()]}
        if key not in self.entries:
            return {"found": False, "key": key}
        return {"found": True, "key": key, "entry": self.entries[key]}

    def store_set(self, key: str, data: dict[str, JSON]) -> StoreResult:
        if "value" not in data:
            return {"success": False, "key": key, "message": "description and value are required"}
        self.entries[key] = data
        return {"success": True, "key": key}

    def store_delete(self, key: str) -> StoreResult:
        return {"deleted": self.entries.pop(key, None) is not None, "key": key}

    def store_list(self, filter: dict[str, JSON] | None = None) -> StoreResult:
        wanted = [key for key in self.entries if filter is None or filter.get("pattern") in (None, key)]
        return {"entries": [{"key": key} for key in wanted], "total": len(wanted)}


class ActingShelf(Shelf):
    """A store with a harmless and a destructive action."""

    def __init__(self, store: str = "shelf") -> None:
        super().__init__(
            store,
            actions={
                "dust": {"description": "clean up"},
                "burn": {"description": "delete all", "destructive": True},
            },
        )
        self.done: list[tuple[str, dict[str, JSON] | None]] = []

    def store_action(self, action: str, params: dict[str, JSON] | None = None) -> StoreResult:
        self.done.append((action, params))
        return {"success": True, "action": action}


class Broken(BasePlugin):
    """A plugin whose every word to the model fails."""

    name = "broken"

    def get_instructions(self) -> str | None:
        raise RuntimeError("no instructions")

    def get_content(self) -> str | None:
        raise RuntimeError("no content")

    def get_contents(self) -> object:
        raise RuntimeError("no contents")

    def is_compactable(self) -> bool:
        raise RuntimeError("no idea")

    def destroy(self) -> None:
        raise RuntimeError("no end")


def context_of(**options: Any) -> AgentContext:
    """Return a context without built-in plugins that counts by length, on a clock that stands still."""
    given: dict[str, Any] = {
        "model": "gpt-4.1",
        "features": BARE,
        "estimator": ApproximateTokenEstimator(),
        "clock": StoppedClock(),
        "agent_id": "agent",
    }
    return AgentContext.create(**(given | options))


def talked(**options: Any) -> AgentContext:
    """Return a context of one turn whose call is answered and not yet told to the model."""
    context = context_of(**options)
    context.add_user_message("one")
    context.add_assistant_response(reply("two", {"c": "look"}))
    context.add_tool_results([{"tool_use_id": "c", "content": "three"}])
    return context


def user(text: str, item_id: str = "u") -> InputItem:
    return {
        "type": "message",
        "id": item_id,
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }


def assistant(text: str = "", calls: tuple[str, ...] = (), item_id: str = "a") -> InputItem:
    content: list[Any] = [{"type": "output_text", "text": text}] if text else []
    content += [{"type": "tool_use", "id": each, "name": "look", "arguments": "{}"} for each in calls]
    return {"type": "message", "id": item_id, "role": "assistant", "content": content}


def results(*ids: str, item_id: str = "r", text: str = "seen") -> InputItem:
    content: list[Any] = [{"type": "tool_result", "tool_use_id": each, "content": text} for each in ids]
    return {"type": "message", "id": item_id, "role": "user", "content": content}


def reply(text: str = "", calls: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Return provider output: a text and calls of id to tool name."""
    content: list[dict[str, Any]] = [{"type": "output_text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": use_id, "name": name, "arguments": "{}"}
        for use_id, name in (calls or {}).items()
    ]
    return [{"type": "message", "role": "assistant", "content": content}]


def texts_of(items: list[InputItem]) -> list[str]:
    """Return the text of every block that has one, in order."""
    return [
        str(block["text"])
        for item in items
        if item["type"] == "message"
        for block in item["content"]
        if block["type"] in ("input_text", "output_text")
    ]


def counter() -> Callable[[], int]:
    """Return a function that gives 1, 2, 3 …"""
    numbers = itertools.count(1)
    return lambda: next(numbers)


def say(text: str = "") -> str:
    """Return the text."""
    return text
