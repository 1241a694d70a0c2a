"""Results that the context cannot keep, told to the model as such instead of lost with all the others."""

from collections.abc import Sequence

from agents.context import json_values
from agents.context.errors import InvalidItem
from agents.context.messages import ToolOutcome, tool_results_message
from agents.context.tools import ToolCallState

UNKEPT_RESULT = (
    "This call was carried out, but its result cannot be kept: {fault}. Check what it did, and ask for less "
    "at once, for example in several calls."
)
TOO_LARGE = "the results of one answer may be {most:,} bytes together, and this one has {size:,}"
# What stands around the results of a message, and around each of them.
_MESSAGE_BYTES = 1_000


def keepable(outcomes: Sequence[ToolOutcome]) -> list[ToolOutcome]:
    """Return the outcomes with an error for each that cannot be kept, and for the largest until all fit."""
    kept = [_keepable_alone(outcome) for outcome in outcomes]
    sizes = [_size(outcome) for outcome in kept]
    most = json_values.MAX_BYTES - _MESSAGE_BYTES * len(kept)
    for place in sorted(range(len(kept)), key=sizes.__getitem__, reverse=True):
        if sum(sizes) <= most:
            break
        kept[place] = _unkept(kept[place], TOO_LARGE.format(most=most, size=sizes[place]))
        sizes[place] = _size(kept[place])
    return kept


def _keepable_alone(outcome: ToolOutcome) -> ToolOutcome:
    try:
        tool_results_message("result", [outcome])
    except InvalidItem as fault:
        return _unkept(outcome, str(fault).removesuffix("."))
    return outcome


def _size(outcome: ToolOutcome) -> int:
    """Return the bytes of a result as it is kept."""
    return len(json_values.compact(tool_results_message("result", [outcome])["content"]).encode())


def _unkept(outcome: ToolOutcome, fault: str) -> ToolOutcome:
    note = UNKEPT_RESULT.format(fault=fault)
    return ToolOutcome(
        tool_use_id=outcome["tool_use_id"], content=note, state=ToolCallState.FAILED, error=note
    )
