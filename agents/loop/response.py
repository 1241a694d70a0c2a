"""What a run gave: its events, added up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from agents.connectors.base import Item, Usage
from agents.loop.events import ReplyDiscarded, ReplyStored, Status, TurnEvent, TurnFinished


@dataclass(frozen=True)
class AgentResponse:
    """The end of a run.

    Attributes:
        output: items of the last reply, ready for ``add_assistant_response`` of another context.
        text: the answer, or what there is of it.
        usage: of all model calls together; None where the provider said nothing.
        turns: how many turns the conversation has had, this one included.
    """

    output: Sequence[Item]
    text: str
    usage: Usage
    status: Status
    turns: int


@dataclass(frozen=True)
class Tally:
    """What is added up while a run goes on."""

    output: Sequence[Item]
    usage: Usage
    end: TurnFinished


def tally(events: Iterable[TurnEvent]) -> Tally:
    """Return the sum of a finished run's events."""
    output: Sequence[Item] = ()
    usage, end = Usage(), TurnFinished("", "cancelled")
    for event in events:
        match event:
            case ReplyStored(reply):
                output, usage = reply.output, add_usage(usage, reply.usage)
            case ReplyDiscarded(reply):
                usage = add_usage(usage, reply.usage)
            case TurnFinished():
                end = event
            case _:
                pass
    return Tally(output, usage, end)


def add_usage(one: Usage, other: Usage) -> Usage:
    """Return the sum; what only one of them knows is taken from there."""
    return Usage(
        **{each.name: _sum(getattr(one, each.name), getattr(other, each.name)) for each in fields(one)}
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other
