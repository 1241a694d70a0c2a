"""Finished blocks of an answer that is still being written, rendered once for all pages that watch it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseError
from django.utils.module_loading import import_string

from agents.conversation import draft_of
from agents.draft import Piece, browser_length, text_behind

if TYPE_CHECKING:
    from agents.feed import Clock, OffLoop, Timer

# A little more than what `growing.GrowingText` waits between two looks, so that no look is in vain.
LOOK_SECONDS = 0.155

logger = logging.getLogger(__name__)


class Growing(Protocol):
    """A text that is being written; see ``settings.GROWING_TEXT``."""

    def add(self, more: str, now_ms: float) -> list[str]:
        """Return the blocks that are finished since the last call."""
        ...


@dataclass
class _Draft:
    """One answer as it came here.

    Attributes:
        place: number of the turn, and of the call in it.
        received: length of the text, as browsers count.
        fresh: text that was not looked at.
        held: pieces behind a gap, which the saved draft closes.
        finished: length of the finished blocks, as browsers count.
    """

    place: tuple[int, int]
    text: Growing
    received: int = 0
    fresh: list[str] = field(default_factory=list)
    held: list[Piece] = field(default_factory=list)
    finished: int = 0

    def take(self, piece: Piece) -> None:
        if piece.offset > self.received:
            self.held.append(piece)
            return
        more = text_behind(piece.text, self.received - piece.offset)
        self.fresh.append(more)
        self.received += browser_length(more)

    def fill(self, text: str) -> None:
        """Take the saved draft and what came behind it."""
        held, self.held = self.held, []
        for piece in [Piece(*self.place, text=text), *held]:
            self.take(piece)


class DraftBlocks:
    """Follows the drafts of one session. Its methods belong to the event loop, rendering does not.

    Attributes:
        frames: of all finished blocks of the draft that is being written, for pages that come late.
    """

    def __init__(
        self, session_id: UUID, clock: Clock, off_loop: OffLoop, send: Callable[[str], None]
    ) -> None:
        self.frames: list[str] = []
        self._session_id, self._clock, self._off_loop, self._send = session_id, clock, off_loop, send
        self._draft: _Draft | None = None
        self._timer: Timer | None = None
        # A strong reference: the loop itself keeps only a weak one.
        self._looking: asyncio.Task[None] | None = None
        self._looked = float("-inf")

    def take(self, piece: Piece) -> None:
        """Take over what the model writes; its finished blocks follow soon."""
        place = (piece.turn, piece.call)
        if self._draft is not None and place < self._draft.place:
            return
        if piece.is_over:
            self._forget()
        elif piece.voice == "text":
            if self._draft is None or place != self._draft.place:
                self._forget()
                self._draft = _Draft(place, import_string(settings.GROWING_TEXT)())
            self._draft.take(piece)
            self._look_soon()

    def rest(self) -> None:
        """Look no more until there is something new: nobody watches."""
        self._forget()

    def _forget(self) -> None:
        self._draft, self.frames = None, []
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_soon(self) -> None:
        if self._timer is None and self._looking is None:
            due = max(self._clock.time(), self._looked + LOOK_SECONDS)
            self._timer = self._clock.call_at(due, self._start)

    def _start(self) -> None:
        self._timer = None
        if self._draft is not None:
            self._looked = self._clock.time()
            self._looking = asyncio.get_running_loop().create_task(self._look(self._draft))

    async def _look(self, draft: _Draft) -> None:
        more, draft.fresh = "".join(draft.fresh), []
        work = partial(self._work, draft, more, now_ms=self._looked * 1000, is_behind=bool(draft.held))
        try:
            frames, saved = await self._off_loop(work)
        except DatabaseError:
            logger.exception(
                "Blocks of a draft in session %s are not shown before the next.", self._session_id
            )
            frames, saved, self._draft = [], None, None
        finally:
            self._looking = None
        if draft is not self._draft:
            # It is over, or another one began.
            if self._draft is not None:
                self._look_soon()
            return
        self.frames += frames
        for text in frames:
            self._send(text)
        if saved is not None and (saved["turn"], saved["call"]) == draft.place:
            draft.fill(saved["text"])
        if draft.fresh or draft.held:
            self._look_soon()

    def _work(
        self, draft: _Draft, more: str, *, now_ms: float, is_behind: bool
    ) -> tuple[list[str], Mapping[str, Any] | None]:
        """Return the frames of blocks finished by now, and the saved draft when pieces of it are missing."""
        saved = draft_of(self._session_id) if is_behind else None
        return [self._frame(draft, block) for block in draft.text.add(more, now_ms)], saved

    def _frame(self, draft: _Draft, block: str) -> str:
        (turn, call), start = draft.place, draft.finished
        draft.finished += browser_length(block)
        render = import_string(settings.MESSAGE_RENDERER)
        html = render(block, f"draft-{turn}-{call}-{start}", self._session_id).__html__()
        frame = {
            "type": "block",
            "turn": turn,
            "call": call,
            "start": start,
            "end": draft.finished,
            "html": f"<div>{html}</div>",
        }
        return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
