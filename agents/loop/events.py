"""What happens during a turn, in the order it happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from agents.connectors.base import Done, RequestSent, Retrying, ToolArgumentsDelta, ToolCallStarted
from agents.context.json_values import JSON

Status = Literal["completed", "cut_off", "limited", "empty", "cancelled"]
"""How a turn ended: with an answer; with one that the provider cut off; with the one asked for at the limit
of model calls; without a word; or because somebody cancelled it."""


@dataclass(frozen=True)
class CallStarted:
    """The model is about to be asked.

    Attributes:
        number: 1 for the first model call of the turn.
    """

    number: int


@dataclass(frozen=True)
class TextStreamed:
    """More text of the answer arrived."""

    text: str


@dataclass(frozen=True)
class ThinkingStreamed:
    """More of the model's thinking arrived."""

    text: str


@dataclass(frozen=True)
class ReplyDiscarded:
    """The reply was empty and is not kept; the model is asked again.

    Attributes:
        reply: what it cost all the same is in its usage.
        wait_s: seconds until the next try.
    """

    reply: Done
    wait_s: float


@dataclass(frozen=True)
class ReplyStored:
    """The whole reply is in the context: a moment to checkpoint."""

    reply: Done


@dataclass(frozen=True)
class ToolStarted:
    """A tool is about to run; ``arguments`` is empty when the model sent none that can be read.

    Attributes:
        place: of the call in its reply, from 0.
    """

    name: str
    arguments: Mapping[str, JSON]
    id: str = ""
    place: int = 0


@dataclass(frozen=True)
class ToolFinished:
    """A tool has run, or was refused; tools that run side by side finish in any order."""

    name: str
    failed: bool
    id: str = ""
    result: JSON = None


@dataclass(frozen=True)
class ResultsStored:
    """The results of every call of the reply are in the context: a moment to checkpoint."""


@dataclass(frozen=True)
class WaitingCall:
    """A call that cannot be carried out yet.

    Attributes:
        place: among the calls of its reply, from 0.
        arguments: as it will be carried out.
        until: the time it waits for; None when it waits for a person.
    """

    place: int
    id: str
    name: str
    arguments: Mapping[str, JSON]
    until: datetime | None


@dataclass(frozen=True)
class TurnSuspended:
    """The last event of a run that is taken up later: the last reply's calls have no results yet.

    Attributes:
        waiting: what must be decided or over first.
        results: of the calls that were carried out, by place.
    """

    waiting: Sequence[WaitingCall]
    results: Mapping[int, JSON]


@dataclass(frozen=True)
class TurnFinished:
    """The turn is over; ``text`` is the answer, or what there is of it."""

    text: str
    status: Status = "completed"


TurnEvent = (
    CallStarted
    | RequestSent
    | Retrying
    | TextStreamed
    | ThinkingStreamed
    | ToolCallStarted
    | ToolArgumentsDelta
    | ReplyDiscarded
    | ReplyStored
    | ToolStarted
    | ToolFinished
    | ResultsStored
    | TurnSuspended
    | TurnFinished
)
