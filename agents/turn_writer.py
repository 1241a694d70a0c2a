"""Writes what happens in a turn as it happens: rows of messages and calls, and what watchers see of it."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

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
from agents.loop.turn import TurnStopped
from agents.models import AgentSession, Message
from agents.order import Step, order
from agents.silence import reason_of
from agents.streaming import DraftStream, pump

# The model had more to say.
_CUT = ("length", "content_filter")
# They come in hundreds and touch no row.
_STREAMED = (TextStreamed, ThinkingStreamed, ToolArgumentsDelta)


class TurnWriter:
    """One turn's way into rows; between its writes the thread holds no database connection.

    As a context manager it streams what the model writes, and keeps what was said when the turn is stopped
    or fails in the middle of an answer.

    Attributes:
        has_ended: the rows say that the turn is over.
        silence: why the model said nothing in the whole turn, although it might have; empty when it did.
    """

    def __init__(
        self,
        run: Run,
        checkpoint: Checkpoint,
        calls: CallRecorder,
        tools: ToolManager,
        end: Callable[[AgentSession], Mapping[str, Any] | None],
    ) -> None:
        """Write the turn of the run.

        Args:
            run: holds the session.
            checkpoint: of the turn's context.
            calls: records them.
            tools: describe their calls.
            end: called with the locked session when the answer is stored; it returns what else is to be
                written of the session for the turn to be over, None when the turn is not.
        """
        if run.turn is None:
            raise RuntimeError("Only a run of a turn writes a turn.")
        self._run, self._turn, self._end = run, run.turn, end
        self._checkpoint, self._calls, self._tools = checkpoint, calls, tools
        self._stream = DraftStream(run, run.turn)
        self.has_ended = False
        self.silence = ""
        # A turn that is taken up again has left something.
        self._has_said = not run.is_first

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
                cut = Message.Cut.STOPPED if isinstance(fault, TurnStopped) else Message.Cut.FAILED
                self._checkpoint.store_cut(session, said, cut)

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
        ending: Mapping[str, Any] | None = None
        with order.place(Step.STORE), transaction.atomic():
            session = leases.hold(self._run.session.pk, self._run.fence)
            self._calls.observe(event)
            if isinstance(event, ReplyStored):
                ending = self._store_reply(session, event.reply)
            elif isinstance(event, ResultsStored):
                self._checkpoint.store_results(session)
        self.has_ended = ending is not None

    def _store_reply(self, session: AgentSession, reply: Done) -> Mapping[str, Any] | None:
        """Store the reply; return what ends the turn with it, None when the turn is not over."""
        has_calls = bool(_blocks(reply, "tool_use"))
        self._has_said |= has_calls or reply.is_final or _has_text(reply)
        self.silence = "" if self._has_said else reason_of(reply)
        ending = None if has_calls or self.silence else self._end(session)
        self._checkpoint.store(session, thinking=_thinking(reply), cut=self._cut(reply), columns=ending)
        return ending

    def _cut(self, reply: Done) -> Message.Cut | None:
        if self.silence:
            return Message.Cut.SILENT
        return Message.Cut.PROVIDER if reply.finish_reason in _CUT else None

    def _line(self, event: ToolStarted) -> str:
        found = self._tools.get(event.name)
        return found.describe_call(dict(event.arguments)) if found else event.name


def _has_text(reply: Done) -> bool:
    return any(block["text"].strip() for block in _blocks(reply, "output_text"))


def _thinking(reply: Done) -> str:
    thoughts = [str(block.get("thinking", "")) for block in _blocks(reply, "thinking")]
    return "\n\n".join(filter(None, thoughts))


def _blocks(reply: Done, kind: str) -> list[Any]:
    return [block for item in reply.output for block in item.get("content", ()) if block["type"] == kind]
