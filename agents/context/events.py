"""Event handlers of one context; a failing handler is logged and disturbs nobody."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from agents.context.background import Answer
from agents.context.errors import InvalidOption
from agents.context.isolation import contain
from agents.context.kinds import FUNCTION, check_kind, shown

Payload = dict[str, object]
Handler = Callable[[Payload], Answer[object]]

# Source: spec 5.9, and 8.6 for sessions.
EVENTS = frozenset(
    {
        "message:added",
        "conversation:cleared",
        "input:oversized",
        "compaction:starting",
        "context:compacted",
        "budget:updated",
        "budget:warning",
        "budget:critical",
        "context:prepared",
        "context:rollover",
        "context:rollover_failed",
        "session:saved",
        "session:loaded",
    }
)


class Events:
    """Handlers by event name, called in the order they were added."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}

    def on(self, event: str, handler: Handler) -> None:
        """Call the handler with one dict (snake_case keys) at every such event; async ones are awaited.

        Raises:
            InvalidOption: for an event that does not exist, naming those that do, and for a handler that is
                no function.
        """
        if not isinstance(event, str) or event not in EVENTS:
            raise InvalidOption(f"Unknown event {shown(event)}; known are {', '.join(sorted(EVENTS))}.")
        check_kind(f"A handler of {event}", handler, FUNCTION)
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Stop calling the handler; one that was not added is passed over."""
        handlers = self._handlers.get(event, [])
        if handler in handlers:
            handlers.remove(handler)

    def emit(self, event: str, **payload: object) -> None:
        """Call the event's handlers one after another."""
        for handler in tuple(self._handlers.get(event, ())):
            contain(f"Handler of {event}", partial(handler, payload))

    def clear(self) -> None:
        """Forget all handlers."""
        self._handlers.clear()
