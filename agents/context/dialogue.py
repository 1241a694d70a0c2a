"""The message flow of a context: what comes in, in which order, and what is still to be answered."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agents.context.conversation import Conversation, Counted
from agents.context.errors import ContextDestroyed
from agents.context.execution import ExecutionGuard
from agents.context.ids import Clock, new_id
from agents.context.messages import (
    assistant_message,
    check_given,
    listed,
    opaque_output,
    tool_results_message,
    user_message,
)
from agents.context.wire_form import check_counted, check_item

if TYPE_CHECKING:
    from agents.context.events import Events, Handler
    from agents.context.journal import JournalRecorder
    from agents.context.messages import InputItem, ToolOutcome

logger = logging.getLogger(__name__)


class Dialogue:
    """The part of a context that holds its messages.

    Attributes:
        turn_index: number of user turns so far.
        execution: held by the run that works on this context.
    """

    def __init__(
        self, *, conversation: Conversation, events: Events, recorder: JournalRecorder, clock: Clock
    ) -> None:
        self._conversation = conversation
        self._events = events
        self._recorder = recorder
        self._clock = clock
        self._turn_time_ms: int | None = None
        self._destroyed = False
        self.execution = ExecutionGuard()
        self._last_thinking: str | None = None
        self.turn_index = 0

    @property
    def is_destroyed(self) -> bool:
        """Whether ``destroy`` was called."""
        return self._destroyed

    @property
    def last_thinking(self) -> str | None:
        """What the model thought in its last response."""
        return self._last_thinking

    def turn_time(self) -> int:
        """Return when the turn began, in epoch milliseconds.

        The date line of the prompt shows it. It stands still within a turn, so that a provider's prefix cache
        survives from one model call to the next.
        """
        if self._turn_time_ms is None:
            self._turn_time_ms = self._clock()
        return self._turn_time_ms

    def add_user_message(self, content: str | Sequence[Mapping[str, Any]]) -> str:
        """Return the id of a message appended to the current input; it begins a turn.

        Raises:
            InvalidItem: for content that is empty or only blank text, blocks that are unknown, empty or not
                the user's, text that cannot be stored, and images that no provider takes.
        """
        self._check_alive()
        item = user_message(self._new_item_id(), content)
        self._conversation.add_pending(item)
        self.turn_index += 1
        self._turn_time_ms = self._clock()
        self._recorder.record("user", item, self.turn_index)
        self._events.emit("message:added", role="user", index=len(self._conversation))
        return item["id"]

    def add_assistant_response(self, output: object) -> str:
        """Return the id of the assistant message; the current input moved into the history before it.

        ``output`` is a list of items, a text, or an object with such an ``output``. Its ``reasoning`` and
        ``compaction`` items, which only the provider can read, are kept before the message. Blocks that are
        not the assistant's are left out with a warning. Without anything to keep no message is added, and the
        id is that of none.

        Raises:
            InvalidItem: for output of another form.
        """
        self._check_alive()
        item_id = self._new_item_id()
        item, self._last_thinking = assistant_message(item_id, output)
        opaque = opaque_output(output)
        self._conversation.settle_pending()
        self._conversation.append(opaque)
        if item is not None:
            self._conversation.append([item])
            self._recorder.record("assistant", item, self.turn_index)
            self._events.emit("message:added", role="assistant", index=len(self._conversation) - 1)
        return item_id

    def add_tool_results(self, results: Sequence[ToolOutcome]) -> str:
        """Return the id of one message with all results, appended to the current input; "" for no results.

        A result that answers no open call is kept and warned of: prompts leave it out.

        Raises:
            InvalidItem: for a result without id or with content that JSON cannot hold.
        """
        self._check_alive()
        if not listed(results, "Tool results"):
            return ""
        item = tool_results_message(self._new_item_id(), results)
        stray = self._conversation.stray_results(item)
        if stray:
            logger.warning(
                "The results of %s answer no open call, and prompts leave them out. Add the response with "
                "the calls first, and each result once.",
                ", ".join(f"{each!r:.80}" for each in stray),
            )
        self._conversation.add_pending(item)
        self._recorder.record("tool_result", item, self.turn_index)
        self._events.emit("message:added", role="tool", index=len(self._conversation))
        return item["id"]

    def add_input_items(self, items: Iterable[InputItem]) -> None:
        """Append items to the history as they are; a user message at the end becomes the current input.

        One whose id is held already gets another.

        Raises:
            InvalidItem: for an item that does not have the wire form, or holds a block that is empty or may
                not stand in its role; nothing was added then.
        """
        self._check_alive()
        checked = [check_item(each) for each in listed(items, "Input items")]
        for each in checked:
            check_given(each)
        last = checked.pop() if checked and _is_user_message(checked[-1]) else None
        self._conversation.append(checked)
        if last is not None:
            self._conversation.add_pending(last)

    def load_conversation(self, items: Iterable[Counted], pending: Iterable[Counted] = ()) -> None:
        """Replace history and current input by stored items; those with a count are not counted again.

        Of two items with one id the later gets another.

        Raises:
            InvalidItem: for what are no pairs of a message and its count, or None; nothing was replaced.
        """
        self._check_alive()
        self._conversation.load(check_counted(items), check_counted(pending))

    def get_conversation(self) -> list[InputItem]:
        """Return the history without the current input; the items are read-only."""
        return self._conversation.items()

    def get_current_input(self) -> list[InputItem]:
        """Return what the next call answers to; the items are read-only."""
        return self._conversation.pending_items()

    def get_conversation_length(self) -> int:
        """Return the number of items in the history."""
        return len(self._conversation)

    def item_tokens(self, item_id: str) -> int:
        """Return the tokens of an item of the history or the current input; KeyError for another."""
        return self._conversation.tokens_of(item_id)

    def clear_conversation(self, reason: str | None = None) -> None:
        """Drop history and current input; the stores keep what they have."""
        self._check_alive()
        self._conversation.clear()
        self._events.emit("conversation:cleared", reason=reason)

    def on(self, event: str, handler: Handler) -> None:
        """Call the handler at every such event (spec 5.9) with one dict."""
        self._events.on(event, handler)

    def off(self, event: str, handler: Handler) -> None:
        """Stop calling the handler."""
        self._events.off(event, handler)

    def _new_item_id(self) -> str:
        return f"msg_{new_id(self._clock)}"

    def _check_alive(self) -> None:
        if self._destroyed:
            raise ContextDestroyed


def _is_user_message(item: InputItem) -> bool:
    return item["type"] == "message" and item["role"] == "user"
