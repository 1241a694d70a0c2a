"""Sends an answer to its watchers while it is written: at once, then every 30 ms, and kept after 500 ms."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from agents import bus
from agents.bindings import Run
from agents.bus import DraftPiece
from agents.connectors.base import RequestSent, Retrying, ToolCallStarted
from agents.draft import Draft, Piece
from agents.loop.events import ReplyDiscarded, ReplyStored, TextStreamed, ThinkingStreamed, TurnEvent
from agents.models import ModelCall, Turn
from agents.process_thread import ProcessThread
from agents.visible_text import call_name

SEND_EVERY_S = 0.030
SAVE_AFTER_S = 0.500
NAMED_CALLS = 20

logger = logging.getLogger(__name__)


class DraftStream:
    """The draft of one turn, one model call after the other.

    What the model writes comes in on the turn's thread; ``tick`` comes from the pump of the process.
    """

    def __init__(self, run: Run, turn: Turn, clock: Callable[[], float] = time.monotonic) -> None:
        self._run, self._turn, self._clock = run, turn, clock
        self._lock = threading.Lock()
        self._draft: Draft | None = None
        self._sent_at = float("-inf")
        self._is_unsent = False
        self._unsaved_since: float | None = None
        # The call whose draft is in the row.
        self._saved_call = 0

    @property
    def text(self) -> str:
        """What the model has said in the call that runs."""
        with self._lock:
            return self._draft.written["text"] if self._draft else ""

    def observe(self, event: TurnEvent, call: ModelCall | None) -> None:
        """Take over what the model writes; ``call`` is the row of the call that runs."""
        if isinstance(event, ReplyStored | ReplyDiscarded):
            self.end()
        elif call is not None:
            with self._lock:
                if self._take(event, call):
                    self._is_unsent = True
                    self._note_unsaved()
                    self._send_if_due()

    def tick(self) -> None:
        """Send and save what waits for its time."""
        with self._lock:
            self._send_if_due()
            due = self._due_to_save()
        # Without the lock: a database that is busy must not hold up what the model writes.
        if due is not None:
            self._save(due)
            self._tell_ends()

    def end(self) -> None:
        """Take the draft from the pages; what was said is stored, or nothing of it is kept."""
        with self._lock:
            draft, self._draft = self._draft, None
            self._is_unsent, self._unsaved_since = False, None
        if draft:
            self._publish(Piece(draft.turn, draft.call, is_over=True))

    def _take(self, event: TurnEvent, call: ModelCall) -> bool:
        """Return whether the event changed the draft."""
        if self._draft is None or self._draft.call != call.ordinal:
            self._draft = Draft(self._turn.index, call.ordinal)
        draft = self._draft
        match event:
            case TextStreamed():
                draft.written["text"] += event.text
            case ThinkingStreamed():
                draft.written["thinking"] += event.text
            case ToolCallStarted():
                draft.calls = [*draft.calls, call_name(event.name)][:NAMED_CALLS]
            case Retrying():
                reason = event.reason[:1].upper() + event.reason[1:]
                draft.note = f"{reason}, trying again in {event.wait_s:.0f} s"
                return True
            case RequestSent():
                pass
            case _:
                return False
        draft.note = ""
        return True

    def _send_if_due(self) -> None:
        if self._draft and self._is_unsent and self._clock() - self._sent_at >= SEND_EVERY_S:
            self._is_unsent = False
            # Word that a call began holds up no words: the first of them leave at once.
            if not self._draft.is_blank:
                self._sent_at = self._clock()
            for piece in self._draft.unsent():
                self._publish(piece)

    def _note_unsaved(self) -> None:
        # That a call has begun stands in its own row.
        is_known = self._draft is None or (self._draft.is_blank and self._saved_call != self._draft.call)
        if self._unsaved_since is None and not is_known:
            self._unsaved_since = self._clock()

    def _tell_ends(self) -> None:
        """Let pages that opened after the last words were sent and before they were kept ask for them."""
        with self._lock:
            for piece in self._draft.ends() if self._draft else ():
                self._publish(piece)

    def _publish(self, piece: Piece) -> None:
        bus.current().publish(DraftPiece(self._run.session.pk, piece))

    def _due_to_save(self) -> dict[str, Any] | None:
        since = self._unsaved_since
        if not self._draft or since is None or self._clock() - since < SAVE_AFTER_S:
            return None
        self._unsaved_since, self._saved_call = None, self._draft.call
        return self._draft.as_json()

    def _save(self, draft: dict[str, Any]) -> None:
        held = Turn.objects.filter(pk=self._turn.pk, session__fence=self._run.fence)
        held.exclude(session__lease_owner="").update(draft=draft)


class Pump:
    """One thread of a process that keeps its streams going."""

    def __init__(self) -> None:
        self._streams: dict[UUID, DraftStream] = {}
        self._lock = threading.Lock()
        self._thread = ProcessThread("draft-pump", SEND_EVERY_S, self.tick)

    def start(self, turn_id: UUID, stream: DraftStream) -> None:
        """Keep the stream going until ``stop``."""
        with self._lock:
            self._streams[turn_id] = stream
            self._thread.go_on()

    def stop(self, turn_id: UUID) -> None:
        """Leave the stream alone."""
        with self._lock:
            self._streams.pop(turn_id, None)
            if not self._streams:
                self._thread.rest()

    def tick(self) -> None:
        """Let every stream send and save."""
        with self._lock:
            streams = list(self._streams.values())
        for stream in streams:
            try:
                stream.tick()
            except Exception:
                # The thread serves every turn of the process, so no fault of one may end it.
                logger.exception("A draft could not be saved; watchers still get it.")


pump = Pump()
