"""What happens during a turn, in the order it happens."""

from collections.abc import Mapping
from dataclasses import dataclass

from agents.connectors.base import Usage
from agents.context.json_values import JSON


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
class ReplyStored:
    """The whole reply is in the context: a moment to checkpoint."""

    usage: Usage


@dataclass(frozen=True)
class ToolStarted:
    """A tool is about to run; ``arguments`` is empty when the model sent none that can be read."""

    name: str
    arguments: Mapping[str, JSON]


@dataclass(frozen=True)
class ToolFinished:
    """A tool has run, or was refused."""

    name: str
    failed: bool


@dataclass(frozen=True)
class ResultsStored:
    """The results of every call of the reply are in the context: a moment to checkpoint."""


@dataclass(frozen=True)
class TurnFinished:
    """The model answered without calling a tool; ``text`` is its answer."""

    text: str


TurnEvent = (
    CallStarted | TextStreamed | ReplyStored | ToolStarted | ToolFinished | ResultsStored | TurnFinished
)
