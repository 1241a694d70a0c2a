"""Writes what happens in a turn as it happens: rows of messages and calls, and what watchers see of it."""

from django.db import transaction

from agents.bindings import Run
from agents.call_recorder import CallRecorder
from agents.checkpoint import Checkpoint, show_doing
from agents.connecting import give_connections_back
from agents.connectors.base import ToolArgumentsDelta
from agents.context.toolbox import ToolManager
from agents.loop.events import (
    ReplyStored,
    ResultsStored,
    TextStreamed,
    ThinkingStreamed,
    ToolStarted,
    TurnEvent,
)

# They come in hundreds and touch no row.
_STREAMED = (TextStreamed, ThinkingStreamed, ToolArgumentsDelta)


class TurnWriter:
    """One turn's way into rows; between its writes the thread holds no database connection."""

    def __init__(self, run: Run, checkpoint: Checkpoint, calls: CallRecorder, tools: ToolManager) -> None:
        self._run, self._checkpoint, self._calls, self._tools = run, checkpoint, calls, tools

    def write(self, event: TurnEvent) -> None:
        """Write the event.

        Raises:
            agents.leases.LeaseLost: the session went to another worker; nothing was written.
        """
        if isinstance(event, ReplyStored | ResultsStored):
            # What came of the call and what was said are stored together, or neither.
            with transaction.atomic():
                self._calls.observe(event)
                self._checkpoint.save()
        elif isinstance(event, ToolStarted):
            show_doing(self._run, self._line(event), event.place)
        else:
            self._calls.observe(event)
        if not isinstance(event, _STREAMED):
            give_connections_back()

    def _line(self, event: ToolStarted) -> str:
        found = self._tools.get(event.name)
        return found.describe_call(dict(event.arguments)) if found else event.name
