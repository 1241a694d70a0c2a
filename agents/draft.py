"""A draft: an answer while it is being written, as the worker sends it and as a late page gets it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Voice = Literal["text", "thinking"]
# Of the feed's part that sends drafts.
PART_NAME = "draft"
NOTHING: Mapping[Voice, str] = {"text": "", "thinking": ""}


@dataclass(frozen=True)
class Piece:
    """More of a draft.

    Attributes:
        turn: number of the turn in its session.
        call: number of the model call in its turn.
        voice: what the text belongs to.
        offset: where it goes: the length of what was sent of this voice before, counted as browsers count
            text, in UTF-16 units.
        calls: names of the tool calls that were begun, all of them.
        note: what the reader should know meanwhile; empty when all goes well.
        is_over: the draft leads to nothing, or its message is stored.
    """

    turn: int
    call: int
    voice: Voice = "text"
    offset: int = 0
    text: str = ""
    calls: Sequence[str] = ()
    note: str = ""
    is_over: bool = False

    def frame(self) -> dict[str, Any]:
        """Return the frame for pages."""
        return {"type": "piece", **asdict(self)}


@dataclass
class Draft:
    """All of a draft so far.

    Attributes:
        sent: characters of each voice that were sent.
        offsets: the same in UTF-16 units.
    """

    turn: int
    call: int
    written: dict[Voice, str] = field(default_factory=lambda: dict(NOTHING))
    sent: dict[Voice, int] = field(default_factory=lambda: {"text": 0, "thinking": 0})
    offsets: dict[Voice, int] = field(default_factory=lambda: {"text": 0, "thinking": 0})
    calls: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether the model has sent nothing yet, and all goes well."""
        return not (any(self.written.values()) or self.calls or self.note)

    def unsent(self) -> list[Piece]:
        """Return what was not sent yet, and count it as sent; one empty piece when only the rest changed."""
        pieces = [
            self._piece(voice, text[self.sent[voice] :])
            for voice, text in self.written.items()
            if len(text) > self.sent[voice]
        ]
        return pieces or [self._piece("text", "")]

    def ends(self) -> list[Piece]:
        """Return where each voice stands, without text: a page that has less asks for the draft."""
        return [self._piece(voice, "") for voice, sent in self.sent.items() if sent]

    def as_json(self) -> dict[str, Any]:
        """Return the draft for a JSON column and for pages."""
        return {
            "turn": self.turn,
            "call": self.call,
            "text": self.written["text"],
            "thinking": self.written["thinking"],
            "calls": list(self.calls),
            "note": self.note,
        }

    def _piece(self, voice: Voice, text: str) -> Piece:
        offset = self.offsets[voice]
        self.sent[voice] += len(text)
        self.offsets[voice] += browser_length(text)
        return Piece(self.turn, self.call, voice, offset, text, tuple(self.calls), self.note)


def browser_length(text: str) -> int:
    """Return the length of a text as browsers count it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def text_behind(text: str, units: int) -> str:
    """Return what stands behind so many UTF-16 units of a text."""
    if units == 0:
        return text
    return text.encode("utf-16-le", "surrogatepass")[2 * units :].decode("utf-16-le", "surrogatepass")
