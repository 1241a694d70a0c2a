"""Writes what happens in a turn as it happens: rows of messages and calls, and what watchers see of it."""

from types import TracebackType
from typing import Self

from django.db import transaction

from agents import leases
from agents.bindings import Run
from agents.call_recorder import CallRecorder
from agents.checkpoint import Checkpoint, show_doing
from agents.connecting import give_connections_back
from agents.connectors.base import Done, ToolArgumentsDelta
from agents.context.errors import TurnAborted
from agents.context.toolbox import ToolManager
from agents.loop.events import (
    ReplyDiscarded,
    ReplyStored,
    ResultsStored,
    TextStreamed,
    ThinkingStreamed,
    ToolStarted,
    TurnEvent,
)
from agents.models import Turn
from agents.streaming import DraftStream, pump

# They come in hundreds and touch no row.
_STREAMED = (TextStreamed, ThinkingStreamed, ToolArgumentsDelta)


class TurnWriter:
    """One turn's way into rows; between its writes the thread holds no database connection.

    As a context manager it streams what the model writes, and keeps what was said when the turn is stopped
    or fails in the middle of an answer.
    """

    def __init__(
        self, run: Run, turn: Turn, checkpoint: Checkpoint, calls: CallRecorder, tools: ToolManager
    ) -> None:
        self._run, self._turn = run, turn
        self._checkpoint, self._calls, self._tools = checkpoint, calls, tools
        self._stream = DraftStream(run, turn)

    def __enter__(self) -> Self:
        pump.start(self._turn.pk, self._stream)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        pump.stop(self._turn.pk)
        said = self._stream.text
        self._stream.end()
        if isinstance(fault, Exception) and not isinstance(fault, TurnAborted):
            with transaction.atomic():
                session = leases.hold(self._run.session.pk, self._run.fence)
                self._calls.break_off(fault)
                self._checkpoint.store_cut(session, said)

    def write(self, event: TurnEvent) -> None:
        """Write the event.

        Raises:
            agents.leases.LeaseLost: the session went to another worker; nothing was written.
        """
        if isinstance(event, ReplyStored | ReplyDiscarded | ResultsStored):
            # Before the transaction, in which the pump would wait for a lock that it may hold.
            self._stream.observe(event, None)
            self._store(event)
        elif isinstance(event, ToolStarted):
            show_doing(self._run, self._line(event), event.place)
        else:
            self._stream.observe(event, self._calls.observe(event))
        if not isinstance(event, _STREAMED):
            give_connections_back()

    def _store(self, event: ReplyStored | ReplyDiscarded | ResultsStored) -> None:
        """Store what came of the call together with what was said, or neither."""
        with transaction.atomic():
            session = leases.hold(self._run.session.pk, self._run.fence)
            self._calls.observe(event)
            if isinstance(event, ReplyStored):
                self._checkpoint.store(session, thinking=_thinking(event.reply))
            elif isinstance(event, ResultsStored):
                self._checkpoint.store_results(session)

    def _line(self, event: ToolStarted) -> str:
        found = self._tools.get(event.name)
        return found.describe_call(dict(event.arguments)) if found else event.name


def _thinking(reply: Done) -> str:
    blocks = [block for item in reply.output for block in item.get("content", ())]
    thoughts = [str(block.get("thinking", "")) for block in blocks if block["type"] == "thinking"]
    return "\n\n".join(filter(None, thoughts))
