"""The history in units that stay or go together, and which of them are protected (spec 6.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agents.context.state import is_user_turn

if TYPE_CHECKING:
    from agents.context.messages import InputItem
    from agents.context.pairing import Piece

ANSWERED_NOW = "the current input answers it"
ROLLOVER_SUMMARY_PREFIX = "rollover_summary_"
COMPACTION_SUMMARY_PREFIX = "compaction_summary_"
"""Ids of summaries begin so; rows keep ids, so a summary is known again after a restart."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Items that are indivisible: one message, or an assistant message with the results of its calls.

    Attributes:
        first: position of its first item.
        stop: position after its last item.
        is_exchange: holds calls and their results.
        starts_turn: begins with a message of a person.
        protection: why it may not leave, empty when it may.
    """

    first: int
    stop: int
    is_exchange: bool
    starts_turn: bool
    protection: str = ""

    @property
    def positions(self) -> range:
        """The positions of its items."""
        return range(self.first, self.stop)


def is_summary(item: InputItem) -> bool:
    """Tell whether the item stands for earlier ones."""
    return item["id"].startswith((ROLLOVER_SUMMARY_PREFIX, COMPACTION_SUMMARY_PREFIX))


def is_rollover_summary(item: InputItem) -> bool:
    """Tell whether the item is the continuity summary of a rollover."""
    return item["id"].startswith(ROLLOVER_SUMMARY_PREFIX)


def starts_turn(item: InputItem) -> bool:
    """Tell whether a person speaks in the item; summaries have the same role and do not count."""
    return is_user_turn(item) and not is_summary(item)


def units_of(pieces: Sequence[Piece], pending: Iterable[Piece] = (), protected_turns: int = 4) -> list[Unit]:
    """Return the units of a history, oldest first, with their protection.

    Protected are: what the pending input answers, the first message of a person in the session, the last
    ``protected_turns`` turns, summaries of a rollover, and opaque state of a provider.
    """
    units = list(_split(pieces))
    waiting = list(pending)
    answered = {use_id for piece in waiting for use_id in piece.results}
    # What a person just said begins the last of these turns.
    recent = _first_of_last_turns(units, protected_turns - any(starts_turn(piece.item) for piece in waiting))
    anchor = _anchor(units, pieces)
    return [
        replace(unit, protection=reason) if reason else unit
        for unit, reason in (
            (unit, _protection(unit, pieces, answered, number >= recent, unit is anchor))
            for number, unit in enumerate(units)
        )
    ]


def turns_of(units: Iterable[Unit]) -> list[list[Unit]]:
    """Return the units by turn; the first list holds what came before the first turn, if anything did."""
    turns: list[list[Unit]] = []
    for unit in units:
        if unit.starts_turn or not turns:
            turns.append([])
        turns[-1].append(unit)
    return turns


def _split(pieces: Sequence[Piece]) -> Iterator[Unit]:
    place = 0
    while place < len(pieces):
        head = _after_reasoning(pieces, place)
        stop = _end_of_exchange(pieces, head)
        is_turn = head == place and starts_turn(pieces[head].item)
        yield Unit(place, stop, bool(pieces[head].uses), is_turn)
        place = stop


def _after_reasoning(pieces: Sequence[Piece], place: int) -> int:
    """Return the position of the reply that reasoning at this place led to, else the place itself."""
    head = place
    while head + 1 < len(pieces) and pieces[head].item["type"] == "reasoning":
        head += 1
    item = pieces[head].item
    return head if item["type"] == "message" and item["role"] == "assistant" else place


def _end_of_exchange(pieces: Sequence[Piece], head: int) -> int:
    """Return the position after the last answer to the calls of a message, at least after the message."""
    open_ids = set(pieces[head].uses)
    stop = place = head + 1
    while open_ids and place < len(pieces) and not pieces[place].uses:
        if open_ids.intersection(pieces[place].results):
            open_ids.difference_update(pieces[place].results)
            stop = place + 1
        place += 1
    return stop


def _first_of_last_turns(units: Sequence[Unit], count: int) -> int:
    """Return the number of the unit with which the last ``count`` turns begin."""
    begins = [number for number, unit in enumerate(units) if unit.starts_turn]
    if count <= 0:
        return len(units)
    return begins[-count] if len(begins) >= count else 0


def _anchor(units: Sequence[Unit], pieces: Sequence[Piece]) -> Unit | None:
    """Return the unit of the session's first message; after a rollover its summary stands for that."""
    if any(is_rollover_summary(piece.item) for piece in pieces):
        return None
    return next((unit for unit in units if unit.starts_turn), None)


def _protection(
    unit: Unit, pieces: Sequence[Piece], answered: set[str], is_recent: bool, is_anchor: bool
) -> str:
    items = [pieces[place] for place in unit.positions]
    if any(answered.intersection(piece.uses) for piece in items):
        return ANSWERED_NOW
    if is_anchor:
        return "first message of the session"
    if any(is_rollover_summary(piece.item) for piece in items):
        return "summary of a rollover"
    if any(piece.item["type"] == "compaction" for piece in items):
        return "state of the provider"
    return "recent turn" if is_recent else ""
